/** Longer than this the end of a scroll is not awaited, in milliseconds. */
const MAX_WAIT_MS = 1000;

/**
 * Tells when a scroll has come to rest. Messages are inserted above only then: a browser moves a smooth scroll and the
 * inserted rows in the same frame otherwise, and what is visible jumps.
 */
export class ScrollRest {
  #isMoving = false;
  #waiting: (() => void)[] = [];

  moved(): void {
    // A browser without the event does not say when a scroll ends.
    this.#isMoving = 'onscrollend' in globalThis;
  }

  ended(): void {
    this.#isMoving = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  reached(): Promise<void> {
    if (!this.#isMoving) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      setTimeout(resolve, MAX_WAIT_MS);
    });
  }
}
