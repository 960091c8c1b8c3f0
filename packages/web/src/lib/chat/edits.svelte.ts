import { SvelteMap } from 'svelte/reactivity';

/** Messages being edited. Stored here so that the text survives while the row is scrolled out of the page. */
class Edits {
  readonly #texts = new SvelteMap<string, string>();

  of(messageId: string): string | undefined {
    return this.#texts.get(messageId);
  }

  begin(messageId: string, text: string): void {
    this.#texts.set(messageId, text);
  }

  write(messageId: string, text: string): void {
    if (this.#texts.has(messageId)) this.#texts.set(messageId, text);
  }

  end(messageId: string): void {
    this.#texts.delete(messageId);
  }
}

export const edits = new Edits();
