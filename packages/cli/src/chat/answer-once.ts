import type { Agent, AgentRun } from '@toolyard/agent-host';
import { ToolyardError } from '@toolyard/protocol';
import { explain } from '../explain.ts';
import { reportFailure } from '../failure.ts';
import { EXIT } from '../exit.ts';
import type { Terminal } from './terminal.ts';
import { Transcript } from './transcript.ts';

/** Asks one question: the answer goes to output, the way to it to err; gives the exit code. */
export async function answerOnce(of: {
  agent: Agent;
  question: string;
  terminal: Terminal;
  /** Every event as a line of JSON on output, and nothing else there. */
  json: boolean;
  track: (run: AgentRun) => AgentRun;
}): Promise<number> {
  const { agent, question, terminal, json, track } = of;
  const run = track(agent.run(question));
  // The reader of a pipe may leave before the answer ends; then nobody waits for it.
  const onBrokenPipe = (): void => run.cancel();
  terminal.output.once('error', onBrokenPipe);
  try {
    if (json) {
      for await (const event of run) terminal.output.write(`${JSON.stringify(event)}\n`);
    } else {
      const transcript = new Transcript(terminal);
      for await (const event of run) transcript.show(event);
    }
    const { status } = await run.result;
    return status === 'done' ? EXIT.done : EXIT.stopped;
  } catch (thrown) {
    reportFailure(ToolyardError.isInstance(thrown) ? await explain(thrown, agent) : thrown, terminal.err);
    return EXIT.failed;
  } finally {
    terminal.output.off('error', onBrokenPipe);
  }
}
