/** Shuts parts down in reverse order of their start; each is shut down even if another one fails. */
export class ShutdownStack implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  #now: string | null = null;

  /** @param what names the part in one or two words, to show what a shutdown waits for */
  defer(what: string, end: () => unknown): void {
    this.#stack.defer(async () => {
      this.#now = what;
      try {
        await end();
      } finally {
        this.#now = null;
      }
    });
  }

  /** The part that is shutting down now; null if none is. */
  get now(): string | null {
    return this.#now;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
