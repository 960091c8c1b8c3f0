import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import type { SealedReasoning } from '../wire/block-turns.ts';
import { sealReasoning } from '../wire/block-turns.ts';
import { StreamedAnswer } from '../wire/answer.ts';
import { argumentsTextOf } from '../wire/arguments.ts';
import { BlockCalls } from '../wire/block-calls.ts';
import { readUsage } from './usage.ts';

/** Converts the events of one streamed answer into parts. */
export class ConverseAnswer extends StreamedAnswer {
  readonly #calls = new BlockCalls();
  /**
   * Calls whose block is closed. Whether the token limit truncated the last one is known only from `messageStop`, which
   * follows.
   */
  readonly #closed: number[] = [];
  /** Signatures of reasoning blocks that are still open. */
  readonly #signatures = new Map<number, string>();

  protected get callCount(): number {
    return this.#calls.count;
  }

  protected endCalls(cut: boolean, out: StreamPart[]): void {
    this.#calls.endAll(cut, out);
  }

  protected chunk(value: JsonValue, out: StreamPart[], name?: string): void {
    if (this.ended || !isJsonObject(value)) return;
    switch (name) {
      case 'messageStart':
        this.began = true;
        return;
      case 'contentBlockStart': {
        this.began = true;
        this.#endClosed(out);
        const start = value['start'];
        const call = isJsonObject(start) ? start['toolUse'] : null;
        if (isJsonObject(call)) this.#calls.begin(indexOf(value), textOf(call['toolUseId']), textOf(call['name']), out);
        return;
      }
      case 'contentBlockDelta':
        this.began = true;
        if (isJsonObject(value['delta'])) this.#delta(indexOf(value), value['delta'], out);
        return;
      case 'contentBlockStop':
        this.#stop(indexOf(value), out);
        return;
      case 'messageStop':
        this.began = true;
        this.stopFor(textOf(value['stopReason']) || 'end_turn', out);
        return;
      case 'metadata':
        // The last event of a stream.
        if (isJsonObject(value['usage'])) this.usage = readUsage(value['usage']);
        this.isStreamDone = this.stopped;
        return;
      default:
        // Events of later versions.
        return;
    }
  }

  #delta(index: number, delta: JsonObject, out: StreamPart[]): void {
    this.say(textOf(delta['text']), out);
    const call = delta['toolUse'];
    if (isJsonObject(call)) {
      this.addPiece();
      this.#calls.delta(index, argumentsTextOf(call['input']), out);
    }
    const reasoning = delta['reasoningContent'];
    if (!isJsonObject(reasoning)) return;
    this.think(textOf(reasoning['text']), out);
    const signature = textOf(reasoning['signature']);
    if (signature !== '') this.#signatures.set(index, (this.#signatures.get(index) ?? '') + signature);
    const redacted = textOf(reasoning['redactedContent']);
    if (redacted !== '') out.push(keep('redacted', redacted));
  }

  #stop(index: number, out: StreamPart[]): void {
    const signature = this.#signatures.get(index) ?? '';
    this.#signatures.delete(index);
    if (signature !== '') out.push(keep('thinking', signature));
    if (this.#calls.has(index)) this.#closed.push(index);
  }

  #endClosed(out: StreamPart[]): void {
    for (const index of this.#closed.splice(0)) this.#calls.end(index, false, out);
  }
}

function keep(kind: SealedReasoning['kind'], content: string): StreamPart {
  return { type: 'reasoning_signature', signature: sealReasoning('bedrock-converse', { kind, content }) };
}

function indexOf(event: JsonObject): number {
  return typeof event['contentBlockIndex'] === 'number' ? event['contentBlockIndex'] : 0;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
