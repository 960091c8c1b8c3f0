const NEWLINE = 0x0a;

/**
 * Cuts a byte stream into lines. Keeps the pieces of an unfinished line apart until its end comes, so that a long
 * line costs no more than its length, and refuses one that is longer than the limit.
 */
export class LineReader {
  readonly #limitBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** The lines this chunk completes, without their ends; null once a line is too long. */
  push(chunk: Buffer): string[] | null {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(this.#finish(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) {
      this.#pieces.push(chunk.subarray(start));
      this.#length += chunk.length - start;
    }
    return this.#length > this.#limitBytes ? null : lines;
  }

  /** What is left without a line end, once the stream is over. */
  rest(): string {
    return this.#finish(Buffer.alloc(0));
  }

  #finish(tail: Buffer): string {
    const bytes = this.#pieces.length === 0 ? tail : Buffer.concat([...this.#pieces, tail]);
    this.#pieces = [];
    this.#length = 0;
    const line = bytes.toString('utf8');
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}
