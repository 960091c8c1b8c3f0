import type { ColourLines } from './highlighter.ts';

type State = Parameters<ColourLines>[1];

/** So many lines make one piece of the page, which is not touched again once it is full. */
const LINES_A_PIECE = 40;

/**
 * Colours code that may still grow: each line once, when it is whole, from where the line before it left off. What is
 * not coloured yet is {@link rest}, to be shown as it is.
 */
export class ColouredLines {
  readonly #colour: ColourLines;
  #text = '';
  /** Where each piece ends in the text, the state there, and its HTML. */
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

  /** What does not go on where the text ended before is coloured anew. */
  update(text: string): void {
    if (!text.startsWith(this.#text)) this.#pieces = [];
    this.#text = text;
  }

  /**
   * Colours for at most about so many milliseconds; false when there is nothing left to do. The last line is left out
   * while it may still grow.
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
    const room = last === undefined || last.lines >= LINES_A_PIECE ? LINES_A_PIECE : LINES_A_PIECE - last.lines;
    const start = this.#end;
    const { end, lines } = cutLines(this.#text, start, stop, Math.min(room, 10));
    const source = this.#text.slice(start, end);
    const ended = source.endsWith('\n');
    const coloured = this.#colour(ended ? source.slice(0, -1) : source, last?.state);
    const html = ended ? `${coloured.html}\n` : coloured.html;
    if (last === undefined || last.lines >= LINES_A_PIECE) {
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
