import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';

/** Longer than the shutdown timeout of any component, and shorter than the 30 s after which most supervisors send SIGKILL. */
const SHUTDOWN_TIMEOUT_S = 25;

type Shutdown = {
  /** The component that the shutdown waits for; null if unknown. */
  waitsFor: () => string | null;
  log: (line: string) => void;
  /** Seconds; default 25. */
  timeoutS?: number;
};

/**
 * Exits if the shutdown takes too long, and logs open is still open. Does not keep the process alive.
 *
 * @returns stops the timer, for a shutdown that has completed
 */
export function exitAfterTimeout(
  io: CommandIo,
  { waitsFor, log, timeoutS = SHUTDOWN_TIMEOUT_S }: Shutdown,
): () => void {
  const timer = setTimeout(() => {
    const open = waitsFor() ?? `resources of this process: ${process.getActiveResourcesInfo().join(', ')}`;
    log(`shutdown did not complete within ${timeoutS} s; exiting. Still open: ${open}`);
    io.exit(EXIT.failed);
  }, timeoutS * 1_000);
  timer.unref();
  return () => clearTimeout(timer);
}
