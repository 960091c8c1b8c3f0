/** How what was begun is ended: in the reverse order, each even where another one fails. */
export class ShutdownStack implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  #now: string | null = null;

  /** @param what in a word or two, for whoever waits for the end */
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

  /** What is being ended at the moment, if anything is. */
  get now(): string | null {
    return this.#now;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
