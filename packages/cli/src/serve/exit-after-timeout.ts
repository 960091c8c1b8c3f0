import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';

/** Each part of the server has a shutdown timeout of its own; after half a minute most supervisors send SIGKILL. */
const END_WITHIN_S = 25;

type Shutdown = {
  /** What the shutdown waits for now; null if nothing with a name. */
  waitsFor: () => string | null;
  tell: (line: string) => void;
  /** Seconds; default 25. */
  withinS?: number;
};

/**
 * Exits after a timeout, whatever the shutdown waits for, and logs what that is. Does not keep the process alive.
 *
 * @returns stops the timer, for a shutdown that has completed
 */
export function exitAfterTimeout(io: CommandIo, { waitsFor, tell, withinS = END_WITHIN_S }: Shutdown): () => void {
  const timer = setTimeout(() => {
    const what = waitsFor() ?? `open in this process: ${process.getActiveResourcesInfo().join(', ')}`;
    tell(`not ended after ${withinS} s and ended all the same; what held on: ${what}`);
    io.exit(EXIT.failed);
  }, withinS * 1_000);
  timer.unref();
  return () => clearTimeout(timer);
}
