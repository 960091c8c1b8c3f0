import type { Clock } from '@toolyard/protocol';

/** How long one waits before that is said: whoever is in may wait for a person. Milliseconds. */
const TOLD_MS = 1_000;

/** Lets one in after the other, in the order they came. */
export class CallQueue {
  readonly #clock: Clock;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when it is this one's turn, with what ends that; with null if the signal was aborted before.
   *
   * @param onLongWait called once, if it takes its time
   */
  async enter(signal: AbortSignal | undefined, onLongWait: () => void): Promise<(() => void) | null> {
    const before = this.#last;
    let leave = (): void => undefined;
    this.#last = new Promise((resolve) => {
      leave = resolve;
    });
    let onAbort = (): void => undefined;
    const aborted = new Promise<void>((resolve) => {
      onAbort = resolve;
      if (signal?.aborted === true) resolve();
      signal?.addEventListener('abort', onAbort, { once: true });
    });
    const callOff = this.#clock.after(TOLD_MS, onLongWait);
    await Promise.race([before, aborted]);
    callOff();
    signal?.removeEventListener('abort', onAbort);
    if (signal?.aborted !== true) return leave;
    // Those behind it still wait for those before it.
    void before.then(leave);
    return null;
  }
}
