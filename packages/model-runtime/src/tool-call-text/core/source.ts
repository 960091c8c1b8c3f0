/** Result of {@link Source.peek} if no character has arrived yet. */
export const NO_CHARACTER = -1;

/**
 * The text as it arrives: reads forward by character and can seek back.
 *  The pieces are kept separately: reading a character of a rope string flattens all of it, so a long call in short
 *  pieces would take quadratic time.
 */
export class Source {
  /** The piece at the cursor, and the offset in it. */
  piece = '';
  at = 0;
  /** True if no more pieces will come. */
  ended = false;
  /** Number of characters examined in total: proves that parsing is linear. */
  examined = 0;
  readonly #pieces: string[] = [];
  #index = -1;
  /** Number of characters before the current piece. */
  #before = 0;

  add(chunk: string): void {
    if (chunk !== '') this.#pieces.push(chunk);
  }

  /** Number of characters before the cursor. */
  get position(): number {
    return this.#before + this.at;
  }

  /** The code unit at the cursor, or {@link NO_CHARACTER}. */
  peek(): number {
    if (this.at < this.piece.length) return this.piece.charCodeAt(this.at);
    return this.#turnPage() ? this.piece.charCodeAt(0) : NO_CHARACTER;
  }

  advance(): void {
    this.at += 1;
    this.examined += 1;
  }

  /** Moves the cursor back, or forward over received text. */
  seek(position: number): void {
    while (position < this.#before) {
      this.#index -= 1;
      this.piece = this.#pieces[this.#index] ?? '';
      this.#before -= this.piece.length;
    }
    while (position > this.#before + this.piece.length && this.#nextPiece()) continue;
    this.at = position - this.#before;
  }

  /** The text between two positions, both at or before the cursor's piece. */
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

  /** Received text from a position on, at most `limit` characters. */
  textFrom(from: number, limit: number): string {
    return this.text(from, from + limit);
  }

  /** Moves the cursor to the end of the received text. */
  seekToEnd(): void {
    while (this.#nextPiece()) continue;
    this.at = this.piece.length;
  }

  /** Drops the text before the current piece, which is no longer needed. */
  forget(): void {
    // Amortized: dropping one piece costs as much as dropping half of them.
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
