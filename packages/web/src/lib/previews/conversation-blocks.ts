import type { CodeBlock, MarkdownBlock } from '../markdown/blocks.ts';
import { blocksReader } from '../markdown/read-blocks.ts';
import type { AssistantRow, RowBlock } from '../transcript/rows.ts';
import type { RowList } from '../transcript/transcript.ts';
import type { FoundBlock } from './group-blocks.ts';

/** `row`: key of the row of its answer. */
export type AnswerBlock = FoundBlock & { row: string };

const NO_CODE: readonly CodeBlock[] = [];

/** Reads the code blocks of answers; what has not changed since the last time is not parsed again. */
export class ConversationBlocks {
  readonly #known = new WeakMap<RowBlock, readonly CodeBlock[]>();
  /** Texts that grow, by key. */
  readonly #readers = new Map<string, ReturnType<typeof blocksReader>>();

  /**
   * All blocks. `isOver`: whether the time for this call has run out; then it returns null, and the next call reads on.
   */
  read(rows: RowList): AnswerBlock[];
  read(rows: RowList, isOver: () => boolean): AnswerBlock[] | null;
  read(rows: RowList, isOver: () => boolean = () => false): AnswerBlock[] | null {
    const found: AnswerBlock[] = [];
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows.at(index);
      // What remains of an answer that was abandoned is shown folded, and replaced by the next one.
      if (row?.kind !== 'assistant' || row.status === 'abandoned') continue;
      const hasParsed = this.#readRow(row, found);
      if (hasParsed && isOver()) return null;
    }
    return found;
  }

  /** Returns whether a text was parsed. The keys are those of stored messages, which a reload does not change. */
  #readRow(row: AssistantRow, into: AnswerBlock[]): boolean {
    let hasParsed = false;
    for (const [place, block] of row.blocks.entries()) {
      if (block.type !== 'text') continue;
      const key = `${row.messageId}:${String(place)}`;
      hasParsed ||= !this.#known.has(block);
      for (const [index, code] of this.#listCode(block, key).entries()) {
        into.push({ key: `${key}:${String(index)}`, row: row.key, block: code, open: code.open && block.open });
      }
    }
    return hasParsed;
  }

  #listCode(block: RowBlock & { type: 'text' }, key: string): readonly CodeBlock[] {
    const before = this.#known.get(block);
    if (before !== undefined) return before;
    if (!/```|~~~|^(?: {4}|\t)/m.test(block.text)) {
      this.#known.set(block, NO_CODE);
      return NO_CODE;
    }
    const read = this.#readers.get(key) ?? blocksReader();
    if (block.open) this.#readers.set(key, read);
    else this.#readers.delete(key);
    const found: CodeBlock[] = [];
    collect(read(block.text, block.open), found);
    this.#known.set(block, found);
    return found;
  }
}

function collect(blocks: readonly MarkdownBlock[], into: CodeBlock[]): void {
  for (const block of blocks) {
    if (block.type === 'code') into.push(block);
    else if (block.type === 'quote' || block.type === 'footnote') collect(block.blocks, into);
    else if (block.type === 'list') for (const item of block.items) collect(item.blocks, into);
  }
}

/** The block that the page shows as `shown` in a row; the text of one that grows is shown with a delay. */
export function findBlock(blocks: readonly AnswerBlock[], shown: CodeBlock, row: string | null): AnswerBlock | null {
  const from = row === null ? -1 : blocks.findIndex((one) => one.row === row);
  const later = blocks.slice(Math.max(0, from));
  const isSame = ({ block }: AnswerBlock): boolean => block.language === shown.language && block.text === shown.text;
  const grows = ({ block }: AnswerBlock): boolean =>
    shown.open && block.language === shown.language && block.text.startsWith(shown.text);
  return later.find(isSame) ?? later.findLast(grows) ?? null;
}
