import type { StreamPart } from '../types.ts';
import { StreamedAnswer } from './answer.ts';
import { BlockCalls } from './block-calls.ts';
import type { WireName } from '@toolyard/protocol';
import { sealReplay } from './replay.ts';

/** An answer of an API that marks where its calls and blocks start and end. */
export abstract class BlockAnswer extends StreamedAnswer {
  protected abstract readonly wire: WireName;
  protected readonly calls = new BlockCalls();
  /**
   * Calls whose block is closed. Whether the token limit truncated the last one is known only from the stop reason, which
   * follows.
   */
  readonly #closed: number[] = [];
  /** Signatures of blocks of reasoning that are still open. */
  protected readonly signatures = new Map<number, string>();

  protected get callCount(): number {
    return this.calls.count;
  }

  protected endCalls(cut: boolean, out: StreamPart[]): void {
    this.calls.endAll(cut, out);
  }

  protected addSignature(index: number, piece: string): void {
    this.signatures.set(index, (this.signatures.get(index) ?? '') + piece);
  }

  protected closeBlock(index: number, out: StreamPart[]): void {
    const signature = this.signatures.get(index);
    this.signatures.delete(index);
    if (signature !== undefined) this.keep(`thinking:${signature}`, out);
    if (this.calls.has(index)) this.#closed.push(index);
  }

  /** A further block has started: the calls before it are complete. */
  protected endClosedCalls(out: StreamPart[]): void {
    for (const index of this.#closed.splice(0)) this.calls.end(index, false, out);
  }

  /** Keeps data that is sent back at this place. */
  protected keep(content: string, out: StreamPart[]): void {
    out.push({ type: 'reasoning_signature', signature: sealReplay(this.wire, content) });
  }
}
