import type { RowBlock, TranscriptRow } from '../../transcript/rows.ts';
import type { RowList } from '../../transcript/transcript.ts';
import { toSegments } from '../tools/call-groups.ts';
import { HeightIndex } from './height-index.ts';

/** Row heights of a conversation: measured for rendered rows, estimated for others. */
export class RowHeights extends HeightIndex {
  readonly #keys: string[] = [];
  readonly #places = new Map<string, number>();
  readonly #measured = new Map<string, number>();
  #settled: readonly TranscriptRow[] = [];
  #width = 720;

  keyAt(index: number): string | undefined {
    return this.#keys[index];
  }

  findIndex(key: string): number | undefined {
    return this.#places.get(key);
  }

  /** Synchronizes with the rows. While an answer streams, this only looks at the rows of its run. */
  follow(rows: RowList): void {
    const same = rows.settled === this.#settled ? rows.settled.length : this.#sameUpTo(rows);
    this.#settled = rows.settled;
    let index = Math.min(same, this.length);
    while (index < Math.min(rows.length, this.length) && rows.at(index)?.key === this.#keys[index]) index += 1;
    this.#cutTo(index);
    for (; index < rows.length; index += 1) {
      const row = rows.at(index);
      if (row === undefined) break;
      this.#keys.push(row.key);
      this.#places.set(row.key, index);
      this.push(this.#measured.get(row.key) ?? guessHeight(row, this.#width));
    }
  }

  measure(key: string, height: number): void {
    this.#measured.set(key, height);
    const index = this.#places.get(key);
    if (index !== undefined) this.set(index, height);
  }

  /** The width changed and text wraps differently: measured heights become estimates again. */
  resize(width: number, rows: RowList): void {
    if (width === this.#width) return;
    this.#width = width;
    this.#measured.clear();
    this.#cutTo(0);
    this.follow(rows);
  }

  #sameUpTo(rows: RowList): number {
    let index = 0;
    while (index < this.length && rows.at(index)?.key === this.#keys[index]) index += 1;
    return index;
  }

  #cutTo(length: number): void {
    for (let index = length; index < this.#keys.length; index += 1) {
      const key = this.#keys[index];
      if (key !== undefined) this.#places.delete(key);
    }
    this.#keys.length = length;
    this.truncate(length);
  }
}

const LINE = 26;
const CHARACTER = 7.4;

/** Accurate enough for the scrollbar; rendered rows are measured. */
function guessHeight(row: TranscriptRow, width: number): number {
  const column = Math.max(240, Math.min(width, 736));
  switch (row.kind) {
    case 'user':
      return row.message.parts.reduce(
        (sum, part) => sum + (part.type === 'text' ? Math.min(340, textHeight(part.text, column * 0.8)) : 90),
        38,
      );
    case 'assistant':
      return toSegments(row.blocks).reduce(
        (sum, segment) => sum + (segment.type === 'block' ? blockHeight(segment.block, column) : 68),
        (row.head ? 36 : 0) + (row.answer === null ? 12 : 48),
      );
    case 'compaction':
    case 'notice':
      return 44;
    case 'outcome':
      return 84;
    case 'budget':
      return 190;
  }
}

function blockHeight(block: Exclude<RowBlock, { type: 'call' }>, column: number): number {
  switch (block.type) {
    case 'text':
      return textHeight(block.text, column) + 16;
    case 'image':
      return 320;
    case 'error':
      return 84;
    case 'reasoning':
    case 'citations':
      return 48;
  }
}

function textHeight(text: string, column: number): number {
  let breaks = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks += 1;
  return LINE * (Math.ceil((text.length * CHARACTER) / column) + breaks * 0.7);
}
