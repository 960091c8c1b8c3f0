import type { CodeBlock } from '../blocks.ts';
import { ColouredLines } from './coloured-lines.ts';
import type { LanguageId } from './languages.ts';

/** Maximum time for highlighting per frame, in milliseconds. */
const SLICE_MS = 4;

/**
 * Highlighting of one code block. Colours are added after the text and never change its layout: the highlighter is
 * loaded with the first code block and works in slices between frames.
 */
export class CodeColours {
  /** HTML of the highlighted part, from the beginning of the code. */
  pieces: readonly string[] = $state.raw([]);
  /** Length of the highlighted part in the text. */
  colouredTo = $state(0);

  #language: string | null = null;
  #lines: ColouredLines | null = null;
  #block: CodeBlock | null = null;
  #frame = 0;
  #stopped = false;

  show(block: CodeBlock): void {
    this.#block = block;
    if (this.#language !== block.language) {
      this.#language = block.language;
      this.#lines = null;
      void this.#load(block.language);
    }
    if (this.#lines === null) {
      this.#publish([], 0);
      return;
    }
    this.#lines.update(block.text);
    // Text that no longer starts with the highlighted part is shown plain at once.
    this.#publish(this.#lines.pieces, block.text.length - this.#lines.rest.length);
    this.#soon();
  }

  stop(): void {
    this.#stopped = true;
    cancelAnimationFrame(this.#frame);
  }

  async #load(name: string): Promise<void> {
    const { languageId } = await import('./languages.ts');
    const language: LanguageId | null = languageId(name);
    if (language === null) return;
    try {
      const { colourLinesOf } = await import('./highlighter.ts');
      const colour = await colourLinesOf(language);
      if (this.#stopped || this.#language !== name || this.#block === null) return;
      this.#lines = new ColouredLines(colour);
      this.#lines.update(this.#block.text);
      this.#soon();
    } catch {
      // The code is readable without colours.
    }
  }

  #soon(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#highlight());
  }

  #highlight(): void {
    const lines = this.#lines;
    const block = this.#block;
    if (this.#stopped || lines === null || block === null) return;
    const more = lines.work(SLICE_MS, { open: block.open, now: () => performance.now() });
    this.#publish(lines.pieces, block.text.length - lines.rest.length);
    if (more) this.#soon();
  }

  #publish(pieces: readonly string[], to: number): void {
    this.pieces = pieces;
    this.colouredTo = to;
  }
}
