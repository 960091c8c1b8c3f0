const NEWLINE = 10;
const SPACE = 32;
const BACKTICK = 96;
const TILDE = 126;

type Place = 'indent' | 'run' | 'info' | 'line';

/**
 * Follows Markdown code fences character by character (CommonMark 4.5, without containers): what a model shows inside
 * one is an example, not a call.
 */
export class MarkdownFence {
  #place: Place = 'indent';
  #indent = 0;
  #runCode = 0;
  #runLength = 0;
  #open: { code: number; length: number } | null = null;

  /** True inside a fence, and on a line that is about to open one. */
  get inside(): boolean {
    if (this.#open !== null) return true;
    return this.#place === 'info' || (this.#place === 'run' && this.#runLength >= 3);
  }

  /** True where only a newline can change anything: the rest of the line need not be fed. */
  get settled(): boolean {
    return this.#place === 'line';
  }

  /** Takes one UTF-16 code unit of the shown text. */
  feed(code: number): void {
    if (code === NEWLINE) {
      this.#endLine();
      return;
    }
    switch (this.#place) {
      case 'indent':
        this.#feedIndent(code);
        return;
      case 'run':
        this.#feedRun(code);
        return;
      case 'info':
        // A backtick behind the opening run makes it inline code; anything but blanks keeps an open fence open.
        if (this.#open === null && this.#runCode === BACKTICK && code === BACKTICK) this.#place = 'line';
        if (this.#open !== null && code !== SPACE && code !== 9 && code !== 13) this.#place = 'line';
        return;
      case 'line':
        return;
    }
  }

  /** What was just read (a block) ends the beginning of the line. */
  leaveLineStart(): void {
    this.#place = 'line';
  }

  #feedIndent(code: number): void {
    if (code === SPACE && this.#indent < 3) {
      this.#indent += 1;
      return;
    }
    if (code !== BACKTICK && code !== TILDE) {
      this.#place = 'line';
      return;
    }
    this.#place = 'run';
    this.#runCode = code;
    this.#runLength = 1;
  }

  #feedRun(code: number): void {
    if (code === this.#runCode) {
      this.#runLength += 1;
      return;
    }
    if (this.#runLength < 3) {
      this.#place = 'line';
      return;
    }
    this.#place = 'info';
    this.feed(code);
  }

  #endLine(): void {
    const isFence = (this.#place === 'run' || this.#place === 'info') && this.#runLength >= 3;
    if (isFence && this.#open === null) this.#open = { code: this.#runCode, length: this.#runLength };
    else if (isFence && this.#open?.code === this.#runCode && this.#runLength >= this.#open.length) this.#open = null;
    this.#place = 'indent';
    this.#indent = 0;
    this.#runLength = 0;
  }
}
