import type { Partner, Answering } from './partner.ts';
import { jsonLine } from '../plain.ts';
import { follow } from './follow.ts';
import type { Terminal } from './terminal.ts';
import { Transcript } from './transcript.ts';

/** Asks one question: the answer goes to output, the way to it to err; gives the exit code. */
export async function answerOnce(of: {
  partner: Partner;
  question: string;
  terminal: Terminal;
  /** Every event as a line of JSON on output, and nothing else there. */
  json: boolean;
  track: (run: Answering) => Answering;
}): Promise<number> {
  const { partner, question, terminal, json, track } = of;
  const run = track(partner.ask(question));
  // The reader of a pipe may leave before the answer ends; then nobody waits for it.
  const onBrokenPipe = (): void => run.cancel();
  terminal.output.once('error', onBrokenPipe);
  try {
    if (json) {
      return await follow(run, partner, {
        terminal,
        show: (event) => void terminal.output.write(`${jsonLine(event)}\n`),
        settle: () => {},
      });
    }
    const transcript = new Transcript(terminal);
    return await follow(run, partner, {
      terminal,
      show: (event) => transcript.show(event),
      settle: () => transcript.settle(),
    });
  } finally {
    terminal.output.off('error', onBrokenPipe);
  }
}
