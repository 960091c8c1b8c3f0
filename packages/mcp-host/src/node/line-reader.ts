import type { Readable } from 'node:stream';
import type { Clock } from '@toolyard/protocol';
import { LINES_PER_TURN, rest } from '../transports/pacing.ts';

const NEWLINE = 0x0a;

/**
 * Splits a byte stream into lines. Collects the pieces of an unfinished line, so that a long line costs time linear in
 * its length, and rejects one over the limit.
 */
export class LineReader {
  readonly #limitBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** The lines this chunk completes, without line endings; null once a line is too long. */
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

  /** The rest without a line ending, after the end of the stream. */
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

/**
 * Reads the lines of a pipe, with a pause after {@link LINES_PER_TURN} of one chunk: the pipe is full meanwhile. All are read
 * when the pipe ends.
 */
export function readPaced(
  pipe: Readable,
  split: (chunk: Buffer) => readonly string[],
  read: (line: string) => void,
  clock: Clock,
): void {
  let waiting: readonly string[] = [];
  const take = (count: number): void => {
    const lines = waiting.slice(0, count);
    waiting = waiting.slice(count);
    for (const line of lines) read(line);
    if (waiting.length === 0) return void pipe.resume();
    pipe.pause();
    void rest(clock).then(() => take(LINES_PER_TURN));
  };
  pipe.on('data', (chunk: Buffer) => {
    waiting = split(chunk);
    take(LINES_PER_TURN);
  });
  pipe.on('end', () => take(Infinity));
}
