/** Apps outside the rendered part of a long chat that stay in memory. */
const MAX_KEPT = 4;

/** Keeps the row of an app rendered; returns the function that ends that. */
type Keep = () => () => void;

/**
 * The apps that were used last: removing one from the document would lose its state, which belongs to the app alone.
 * More than a few are not kept, because each is a document with its own process and memory.
 */
export class KeptApps {
  readonly #kept = new Map<string, () => void>();

  /** The app is used: it is kept, instead of the one that was used longest ago. */
  use(key: string, keep: Keep): void {
    const release = this.#kept.get(key) ?? keep();
    // The map is in the order of insertion.
    this.#kept.delete(key);
    this.#kept.set(key, release);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) return;
      this.release(oldest);
    }
  }

  release(key: string): void {
    this.#kept.get(key)?.();
    this.#kept.delete(key);
  }
}

export const keptApps = new KeptApps();
