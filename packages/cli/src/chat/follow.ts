import type { RunEvent } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { EXIT } from '../exit.ts';
import { reportFailure } from '../failure.ts';
import { ServerLost } from '../server/server-lost.ts';
import type { ChatRun, ChatBackend } from './chat-backend.ts';
import type { Terminal } from './terminal.ts';

/** Output for the events of a run. */
type Screen = {
  terminal: Terminal;
  show(event: RunEvent): void;
  /** Ends an open line, before other output. */
  settle(): void;
};

/** Shows a run to its end, and its error if it fails. Returns the exit code. */
export async function follow(run: ChatRun, backend: ChatBackend, screen: Screen): Promise<number> {
  try {
    for await (const event of run) screen.show(event);
    const { status } = await run.result;
    return status === 'done' ? EXIT.done : EXIT.stopped;
  } catch (thrown) {
    screen.settle();
    reportFailure(ToolyardError.isInstance(thrown) ? await backend.explain(thrown) : thrown, screen.terminal.io);
    return thrown instanceof ServerLost ? EXIT.lost : EXIT.failed;
  }
}
