import { eventually } from '@toolyard/testing';

/** Reads what a screen shows from top to bottom, as a user does: nothing is seen twice. */
export class ScreenReader {
  readonly #shown: () => string;
  #seen = 0;

  constructor(shown: () => string) {
    this.#shown = shown;
  }

  /** Waits until `text` is shown after what was seen before, and returns all that came with it. */
  async see(text: string | RegExp): Promise<string> {
    const pattern = typeof text === 'string' ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text;
    const match = await eventually(
      () => {
        const found = pattern.exec(this.#shown().slice(this.#seen));
        if (found) return found;
        throw new Error(`${String(text)} is not shown behind what was seen:\n${this.#shown().slice(this.#seen)}`);
      },
      { what: String(text) },
    );
    const end = this.#seen + match.index + match[0].length;
    const shown = this.#shown().slice(this.#seen, end);
    this.#seen = end;
    return shown;
  }
}
