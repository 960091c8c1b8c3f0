import type { Clock } from '@toolyard/protocol';
import { isStorageFault, pause } from '@toolyard/protocol';

const AGAIN_MS = 2_000;

type UntilStoredOptions = {
  clock: Pick<Clock, 'after'>;
  signal: AbortSignal;
  /** Asked before every retry, including the last; false: nothing is left to do. */
  isStillWanted?: () => boolean;
};

/**
 * Retries an operation after storage errors until it succeeds; after an abort, once more. The operation must be
 * idempotent. For work that no caller would retry.
 */
export async function retryUntilStored(
  work: () => unknown,
  { clock, signal, isStillWanted = () => true }: UntilStoredOptions,
): Promise<void> {
  for (;;) {
    const isLast = signal.aborted;
    try {
      await work();
      return;
    } catch (thrown) {
      if (!isStorageFault(thrown) || isLast) throw thrown;
    }
    // Rejects when the signal is aborted; the last attempt follows at once.
    await pause(clock, AGAIN_MS, signal).catch(() => undefined);
    if (!isStillWanted()) return;
  }
}
