import type { CodeBlock } from '../markdown/blocks.ts';
import type { RowList } from '../transcript/transcript.ts';
import type { AnswerBlock } from './conversation-blocks.ts';
import { ConversationBlocks, findBlock } from './conversation-blocks.ts';
import type { PreviewDocument } from './document.ts';
import { groupBlocks } from './group-blocks.ts';

/** While an answer grows, its documents are read this often: each time the frame of a preview is loaded again. */
const READ_EVERY_MS = 1_500;
/** Reading pauses after this time, so that typing and scrolling stay smooth while earlier messages arrive. */
const SLICE_MS = 8;

/** The documents of the open conversation. */
export class ConversationDocuments {
  all: readonly PreviewDocument[] = $state.raw([]);

  readonly #blocks = new ConversationBlocks();
  #rows: RowList | null = null;
  #readAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  follow(rows: RowList): void {
    this.#rows = rows;
    if (this.#timer !== undefined) return;
    const wait = this.#readAt + READ_EVERY_MS - performance.now();
    if (wait <= 0) this.#readSlice();
    else this.#readIn(wait);
  }

  /** The document of a code block that the page shows, and the key of its version. */
  find(rows: RowList, shown: CodeBlock, row: string | null): { document: PreviewDocument; key: string } | null {
    const key = findBlock(this.#read(rows), shown, row)?.key;
    const document = this.all.find(({ versions }) => versions.some((one) => one.key === key));
    return key === undefined || document === undefined ? null : { document, key };
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #readIn(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#readSlice();
    }, ms);
  }

  #readSlice(): void {
    if (this.#rows === null) return;
    const end = performance.now() + SLICE_MS;
    const blocks = this.#blocks.read(this.#rows, () => performance.now() > end);
    if (blocks === null) return this.#readIn(0);
    this.#readAt = performance.now();
    this.all = groupBlocks(blocks);
  }

  #read(rows: RowList): AnswerBlock[] {
    this.#readAt = performance.now();
    const blocks = this.#blocks.read(rows);
    this.all = groupBlocks(blocks);
    return blocks;
  }
}
