import type { ChatBackend, ChatRun } from './chat-backend.ts';
import { jsonLine } from '../sanitize.ts';
import { follow } from './follow.ts';
import type { Terminal } from './terminal.ts';
import { TerminalTranscript } from './transcript.ts';

/** Answers one message: the answer goes to output, everything else to err. Returns the exit code. */
export async function answerOnce(of: {
  backend: ChatBackend;
  message: string;
  terminal: Terminal;
  /** Write run events to output as JSON lines, and nothing else. */
  json: boolean;
  track: (run: ChatRun) => ChatRun;
}): Promise<number> {
  const { backend, message, terminal, json, track } = of;
  const run = track(backend.ask(message));
  // If the reader closes the pipe before the answer ends, cancel the run.
  const onBrokenPipe = (): void => run.cancel();
  terminal.output.once('error', onBrokenPipe);
  try {
    if (json) {
      return await follow(run, backend, {
        terminal,
        show: (event) => void terminal.output.write(`${jsonLine(event)}\n`),
        settle: () => {},
      });
    }
    const transcript = new TerminalTranscript(terminal);
    return await follow(run, backend, {
      terminal,
      show: (event) => transcript.show(event),
      settle: () => transcript.settle(),
    });
  } finally {
    terminal.output.off('error', onBrokenPipe);
  }
}
