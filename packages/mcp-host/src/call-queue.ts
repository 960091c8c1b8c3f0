/** Lets one in after the other, in the order they came. */
export class CallQueue {
  #last: Promise<void> = Promise.resolve();

  /**
   * Resolves when it is this one's turn, with what ends that; with null if the signal was aborted before.
   */
  async enter(signal: AbortSignal | undefined): Promise<(() => void) | null> {
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
    await Promise.race([before, aborted]);
    signal?.removeEventListener('abort', onAbort);
    if (signal?.aborted !== true) return leave;
    // Those behind it still wait for those before it.
    void before.then(leave);
    return null;
  }
}
