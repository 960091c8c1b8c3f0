import type { Clock } from '@toolyard/protocol';
import { isStorageFault } from '@toolyard/protocol';

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
export async function untilStored(
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
    await pause(clock, signal);
    if (!isStillWanted()) return;
  }
}

function pause(clock: Pick<Clock, 'after'>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      callOff();
      signal.removeEventListener('abort', over);
      resolve();
    };
    const callOff = clock.after(AGAIN_MS, over);
    signal.addEventListener('abort', over);
    if (signal.aborted) over();
  });
}
