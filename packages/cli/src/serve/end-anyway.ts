import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';

/** Each part of the server has a shutdown timeout of its own; after half a minute most supervisors send SIGKILL. */
const END_WITHIN_S = 25;

/**
 * Exits after a timeout, whatever the shutdown waits for, and logs what that is. Does not keep the process alive.
 *
 * @param of.waitsFor null if nothing with a name is waited for
 * @returns stops the timer, for a shutdown that has completed
 */
export function endAnyway(
  io: CommandIo,
  { waitsFor, tell }: { waitsFor: () => string | null; tell: (line: string) => void },
): () => void {
  const timer = setTimeout(() => {
    const what = waitsFor() ?? `open in this process: ${process.getActiveResourcesInfo().join(', ')}`;
    tell(`not ended after ${END_WITHIN_S} s and ended all the same; what held on: ${what}`);
    io.exit(EXIT.failed);
  }, END_WITHIN_S * 1_000);
  timer.unref();
  return () => clearTimeout(timer);
}
