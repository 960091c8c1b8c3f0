import type { ColourLines } from './highlighter.ts';

type State = Parameters<ColourLines>[1];

/** Lines per element of the page; a full element is not touched again. */
export const LINES_PER_PIECE = 40;

/**
 * Highlights streaming code: each complete line once, starting from the state after the line before. The part not
 * highlighted yet is {@link rest}, to be shown plain.
 */
export class ColouredLines {
  readonly #colour: ColourLines;
  #text = '';
  /** End offset, tokenizer state and HTML of each element. */
  #pieces: { end: number; state: State; html: string; lines: number }[] = [];

  constructor(colour: ColourLines) {
    this.#colour = colour;
  }

  /** HTML: escaped text in `<span class="hl-...">`. */
  get pieces(): readonly string[] {
    return this.#pieces.map(({ html }) => html);
  }

  get rest(): string {
    return this.#text.slice(this.#end);
  }

  get #end(): number {
    return this.#pieces.at(-1)?.end ?? 0;
  }

  /** Text that does not continue the previous one is highlighted from the start. */
  update(text: string): void {
    if (!text.startsWith(this.#text)) this.#pieces = [];
    this.#text = text;
  }

  /**
   * Highlights for about this many milliseconds; returns false when nothing is left. The last line is skipped while it
   * may still grow.
   */
  work(milliseconds: number, options: { open: boolean; now: () => number }): boolean {
    const until = options.now() + milliseconds;
    while (options.now() < until) {
      const stop = options.open ? this.#text.lastIndexOf('\n') + 1 : this.#text.length;
      if (this.#end >= stop) return false;
      this.#colourNext(stop);
    }
    return true;
  }

  #colourNext(stop: number): void {
    const last = this.#pieces.at(-1);
    const room = last === undefined || last.lines >= LINES_PER_PIECE ? LINES_PER_PIECE : LINES_PER_PIECE - last.lines;
    const start = this.#end;
    const { end, lines } = cutLines(this.#text, start, stop, Math.min(room, 10));
    const source = this.#text.slice(start, end);
    const ended = source.endsWith('\n');
    const coloured = this.#colour(ended ? source.slice(0, -1) : source, last?.state);
    const html = ended ? `${coloured.html}\n` : coloured.html;
    if (last === undefined || last.lines >= LINES_PER_PIECE) {
      this.#pieces.push({ end, state: coloured.state, html, lines });
    } else {
      const grown = { end, state: coloured.state, html: last.html + html, lines: last.lines + lines };
      this.#pieces = this.#pieces.with(-1, grown);
    }
  }
}

function cutLines(text: string, start: number, stop: number, most: number): { end: number; lines: number } {
  let end = start;
  let lines = 0;
  while (end < stop && lines < most) {
    const newline = text.indexOf('\n', end);
    end = newline < 0 || newline >= stop ? stop : newline + 1;
    lines += 1;
  }
  return { end, lines };
}
