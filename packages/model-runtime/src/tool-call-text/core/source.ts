/** What {@link Source.peek} gives where no character has arrived yet. */
export const NO_CHARACTER = -1;

/**
 * The text as it arrives, read character by character with the way back open.
 *
 * The pieces stay as they came: looking into a string that is still being put together copies all of it, and a long
 * call in short pieces would take quadratic time.
 */
export class Source {
  /** The piece under the cursor, and the place in it. */
  piece = '';
  at = 0;
  /** No more pieces will come. */
  ended = false;
  /** How many characters were looked at in all: the proof that reading is linear. */
  examined = 0;
  readonly #pieces: string[] = [];
  #index = -1;
  /** How many characters stand before the current piece. */
  #before = 0;

  add(chunk: string): void {
    if (chunk !== '') this.#pieces.push(chunk);
  }

  /** How many characters stand before the cursor. */
  get position(): number {
    return this.#before + this.at;
  }

  /** The code unit under the cursor, or {@link NO_CHARACTER}. */
  peek(): number {
    if (this.at < this.piece.length) return this.piece.charCodeAt(this.at);
    return this.#turnPage() ? this.piece.charCodeAt(0) : NO_CHARACTER;
  }

  advance(): void {
    this.at += 1;
    this.examined += 1;
  }

  /** Goes back, or forward over what has arrived. */
  seek(position: number): void {
    while (position < this.#before) {
      this.#index -= 1;
      this.piece = this.#pieces[this.#index] ?? '';
      this.#before -= this.piece.length;
    }
    while (position > this.#before + this.piece.length && this.#nextPiece()) continue;
    this.at = position - this.#before;
  }

  /** The text between two places, both at or before the cursor's piece. */
  text(from: number, to: number): string {
    let index = this.#index;
    let start = this.#before;
    while (start > from) {
      index -= 1;
      start -= this.#pieces[index]?.length ?? start;
    }
    const parts: string[] = [];
    for (; start < to && index < this.#pieces.length; index += 1) {
      const piece = this.#pieces[index] ?? '';
      parts.push(piece.slice(Math.max(0, from - start), to - start));
      start += piece.length;
    }
    return parts.length === 1 ? (parts[0] ?? '') : parts.join('');
  }

  /** What has arrived from a place on, `limit` characters at most. */
  textFrom(from: number, limit: number): string {
    return this.text(from, from + limit);
  }

  /** Goes behind all that has arrived. */
  seekToEnd(): void {
    while (this.#nextPiece()) continue;
    this.at = this.piece.length;
  }

  /** What lies before the current piece is not needed any more. */
  forget(): void {
    // Rarely, for dropping the first of many is as much work as dropping half of them.
    if (this.#index < 32 || this.#index * 2 < this.#pieces.length) return;
    this.#pieces.splice(0, this.#index);
    this.#index = 0;
  }

  #turnPage(): boolean {
    if (!this.#nextPiece()) return false;
    this.at = 0;
    return true;
  }

  #nextPiece(): boolean {
    const next = this.#pieces[this.#index + 1];
    if (next === undefined) return false;
    this.#before += this.piece.length;
    this.#index += 1;
    this.piece = next;
    return true;
  }
}
