/** How much a slow reader may leave unread; beyond it he is sent back to what is stored. */
const MAX_BACKLOG = 5_000;

/** What has come and is not read yet. Bounded: once it has run over it keeps nothing until {@link Backlog.restart}. */
export class Backlog<T> {
  readonly #max: number;
  #items: T[] = [];
  #overrun = false;
  #wake: (() => void) | null = null;

  constructor(max = MAX_BACKLOG) {
    this.#max = max;
  }

  push(items: readonly T[]): void {
    if (this.#overrun) return;
    if (this.#items.length + items.length > this.#max) {
      this.#overrun = true;
      this.#items = [];
    } else {
      for (const item of items) this.#items.push(item);
    }
    this.#wake?.();
  }

  /** True where something was lost: read what is stored, after {@link restart}. */
  get overrun(): boolean {
    return this.#overrun;
  }

  /** Collects again. */
  restart(): void {
    this.#overrun = false;
  }

  /** All there is, as soon as there is something; empty where it has run over or the signal ends it. */
  async take(signal: AbortSignal): Promise<readonly T[]> {
    if (this.#items.length === 0 && !this.#overrun && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          signal.removeEventListener('abort', wake);
          this.#wake = null;
          resolve();
        };
        this.#wake = wake;
        signal.addEventListener('abort', wake, { once: true });
      });
    }
    const items = this.#items;
    this.#items = [];
    return items;
  }
}
