import { codePieceEnd } from './code-pieces.ts';
import type { ColourLines } from './highlighter.ts';

type State = Parameters<ColourLines>[1];

/** Highlighted in one go. */
const LINES_AT_ONCE = 10;

/**
 * Highlights streaming code: each complete line once, starting from the state after the line before. The part not
 * highlighted yet is {@link rest}, to be shown plain.
 */
export class ColouredLines {
  readonly #colour: ColourLines;
  #text = '';
  /** What is highlighted of each piece of the page. */
  #pieces: { start: number; end: number; state: State; html: string }[] = [];

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
    const start = this.#end;
    const isOpen = last !== undefined && codePieceEnd(this.#text, last.start, stop) > start;
    const pieceStart = isOpen ? last.start : start;
    const end = endOfLines(this.#text, start, codePieceEnd(this.#text, pieceStart, stop));
    const source = this.#text.slice(start, end);
    const ended = source.endsWith('\n');
    const coloured = this.#colour(ended ? source.slice(0, -1) : source, last?.state);
    const html = ended ? `${coloured.html}\n` : coloured.html;
    const piece = { start: pieceStart, end, state: coloured.state, html: isOpen ? last.html + html : html };
    if (isOpen) this.#pieces = this.#pieces.with(-1, piece);
    else this.#pieces.push(piece);
  }
}

function endOfLines(text: string, start: number, stop: number): number {
  let end = start;
  for (let lines = 0; end < stop && lines < LINES_AT_ONCE; lines += 1) {
    const newline = text.indexOf('\n', end);
    end = newline < 0 || newline >= stop ? stop : newline + 1;
  }
  return end;
}
