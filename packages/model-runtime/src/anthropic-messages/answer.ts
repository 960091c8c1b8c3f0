import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import type { SealedReasoning } from '../wire/block-turns.ts';
import { sealReasoning } from '../wire/block-turns.ts';
import { StreamedAnswer } from '../wire/answer.ts';
import { argumentsTextOf } from '../wire/arguments.ts';
import { BlockCalls } from '../wire/block-calls.ts';
import { Citations } from '../wire/citations.ts';
import { providerErrorOf } from '../wire/provider-error.ts';
import { readUsage } from './usage.ts';

/** Converts the events of one streamed answer, or a whole answer, into parts. */
export class AnthropicAnswer extends StreamedAnswer {
  readonly #calls = new BlockCalls();
  readonly #citations = new Citations();
  /**
   * Calls whose block is closed. Whether the token limit truncated the last one is known only from `stop_reason`, which
   * follows.
   */
  readonly #closed: number[] = [];
  /** Signatures of thinking blocks that are still open. */
  readonly #signatures = new Map<number, string>();
  #usage: JsonObject = {};

  protected get callCount(): number {
    return this.#calls.count;
  }

  protected endCalls(cut: boolean, out: StreamPart[]): void {
    this.#calls.endAll(cut, out);
  }

  protected chunk(value: JsonValue, out: StreamPart[], name?: string): void {
    if (this.ended || !isJsonObject(value)) return;
    // Some servers name the type of an event only beside its data.
    switch (textOf(value['type'] ?? name)) {
      case 'message_start':
        this.began = true;
        if (isJsonObject(value['message'])) this.#takeUsage(value['message']['usage']);
        return;
      case 'content_block_start':
        this.began = true;
        this.#endClosed(out);
        if (isJsonObject(value['content_block'])) this.#start(indexOf(value), value['content_block'], out);
        return;
      case 'content_block_delta':
        this.began = true;
        if (isJsonObject(value['delta'])) this.#delta(indexOf(value), value['delta'], out);
        return;
      case 'content_block_stop':
        this.#stop(indexOf(value), out);
        return;
      case 'message_delta':
        this.#takeUsage(value['usage']);
        if (isJsonObject(value['delta'])) this.#stopReason(value['delta'], out);
        return;
      case 'message_stop':
        this.isStreamDone = true;
        return;
      case 'message':
        this.#whole(value, out);
        return;
      case 'ping':
        return;
      default: {
        const error = providerErrorOf(value);
        if (error !== null) this.reject(error, out);
      }
    }
  }

  #start(index: number, block: JsonObject, out: StreamPart[]): void {
    switch (textOf(block['type'])) {
      case 'text':
        this.say(textOf(block['text']), out);
        this.#citations.addAll(block['citations'], out);
        return;
      case 'thinking':
        this.think(textOf(block['thinking']), out);
        this.#signatures.set(index, textOf(block['signature']));
        return;
      case 'redacted_thinking':
        out.push(keep('redacted', textOf(block['data'])));
        return;
      case 'tool_use': {
        this.addPiece();
        const whole = argumentsTextOf(block['input']);
        this.#calls.begin(index, textOf(block['id']), textOf(block['name']), out, whole);
      }
    }
  }

  #delta(index: number, delta: JsonObject, out: StreamPart[]): void {
    switch (textOf(delta['type'])) {
      case 'text_delta':
        this.say(textOf(delta['text']), out);
        return;
      case 'thinking_delta':
        this.think(textOf(delta['thinking']), out);
        return;
      case 'signature_delta':
        this.#signatures.set(index, (this.#signatures.get(index) ?? '') + textOf(delta['signature']));
        return;
      case 'input_json_delta':
        this.addPiece();
        this.#calls.delta(index, argumentsTextOf(delta['partial_json']), out);
        return;
      case 'citations_delta':
        this.#citations.add(delta['citation'], out);
    }
  }

  #stop(index: number, out: StreamPart[]): void {
    // Compatible servers do not sign their thinking, but some expect it back.
    const signature = this.#signatures.get(index);
    this.#signatures.delete(index);
    if (signature !== undefined) out.push(keep('thinking', signature));
    if (this.#calls.has(index)) this.#closed.push(index);
  }

  #endClosed(out: StreamPart[]): void {
    for (const index of this.#closed.splice(0)) this.#calls.end(index, false, out);
  }

  #stopReason(delta: JsonObject, out: StreamPart[]): void {
    const reason = delta['stop_reason'];
    if (typeof reason !== 'string' || reason === '') return;
    const details = delta['stop_details'];
    const explanation = isJsonObject(details) ? textOf(details['explanation']) : '';
    const finish = this.stopFor(reason, out, explanation);
    if (finish === 'content_filter' && explanation !== '') {
      out.push({ type: 'notice', code: 'refused', text: this.errors.redact(explanation) });
    }
  }

  #whole(message: JsonObject, out: StreamPart[]): void {
    this.began = true;
    this.#takeUsage(message['usage']);
    const content = Array.isArray(message['content']) ? message['content'] : [];
    for (const [index, block] of content.entries()) {
      if (!isJsonObject(block)) continue;
      this.#start(index, block, out);
      this.#stop(index, out);
    }
    this.#stopReason(message, out);
  }

  #takeUsage(usage: JsonValue | undefined): void {
    if (!isJsonObject(usage)) return;
    for (const [field, count] of Object.entries(usage)) if (count !== null) this.#usage[field] = count;
    this.usage = readUsage(this.#usage);
  }
}

function keep(kind: SealedReasoning['kind'], content: string): StreamPart {
  return { type: 'reasoning_signature', signature: sealReasoning('anthropic-messages', { kind, content }) };
}

function indexOf(event: JsonObject): number {
  return typeof event['index'] === 'number' ? event['index'] : 0;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
