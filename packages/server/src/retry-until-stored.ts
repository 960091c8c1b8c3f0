import type { Clock } from '@toolyard/protocol';
import { isStorageFault, pause } from '@toolyard/protocol';

const AGAIN_MS = 2_000;

type UntilStoredOptions = {
  clock: Pick<Clock, 'after'>;
  signal: AbortSignal;
  /** Asked before each time but the first, also the last one: false where there is nothing left to do. */
  isStillWanted?: () => boolean;
};

/**
 * Does what nobody asks for a second time: where the store fails, again, until it does not; once it is called off, one
 * last time. What is done has to be harmless twice.
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
    // Rejects when the signal is aborted: the last attempt follows at once.
    await pause(clock, AGAIN_MS, signal).catch(() => undefined);
    if (!isStillWanted()) return;
  }
}
