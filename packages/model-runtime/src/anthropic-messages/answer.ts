import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { BlockAnswer } from '../wire/block-answer.ts';
import { readObject, readText } from '../wire/json-values.ts';
import { toArgumentsText } from '../wire/arguments.ts';
import { Citations } from '../wire/citations.ts';
import { readErrorValue } from '../wire/provider-error.ts';
import { readUsage } from './usage.ts';

/** Converts the events of one streamed answer, or a whole answer, into parts. */
export class AnthropicAnswer extends BlockAnswer {
  protected readonly wire = 'anthropic-messages';
  readonly #citations = new Citations();
  #usage: JsonObject = {};

  protected chunk(value: JsonValue, out: StreamPart[], name?: string): void {
    if (this.ended || !isJsonObject(value)) return;
    // Some servers name the type of an event only beside its data.
    switch (readText(value['type'] ?? name)) {
      case 'message_start':
        this.began = true;
        if (isJsonObject(value['message'])) this.#takeUsage(value['message']['usage']);
        return;
      case 'content_block_start':
        this.began = true;
        this.endClosedCalls(out);
        if (isJsonObject(value['content_block'])) this.#start(readIndex(value), value['content_block'], out);
        return;
      case 'content_block_delta':
        this.began = true;
        if (isJsonObject(value['delta'])) this.#delta(readIndex(value), value['delta'], out);
        return;
      case 'content_block_stop':
        this.closeBlock(readIndex(value), out);
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
        const error = readErrorValue(value);
        if (error !== null) this.reject(error, out);
      }
    }
  }

  #start(index: number, block: JsonObject, out: StreamPart[]): void {
    switch (readText(block['type'])) {
      case 'text':
        this.say(readText(block['text']), out);
        this.#citations.addAll(block['citations'], out);
        return;
      case 'thinking':
        this.think(readText(block['thinking']), out);
        // Compatible servers do not sign their thinking, but some expect it back.
        this.signatures.set(index, readText(block['signature']));
        return;
      case 'redacted_thinking':
        this.keep(`redacted:${readText(block['data'])}`, out);
        return;
      case 'tool_use': {
        this.addPiece();
        const whole = toArgumentsText(block['input']);
        this.calls.begin(index, readText(block['id']), readText(block['name']), out, whole);
      }
    }
  }

  #delta(index: number, delta: JsonObject, out: StreamPart[]): void {
    switch (readText(delta['type'])) {
      case 'text_delta':
        this.say(readText(delta['text']), out);
        return;
      case 'thinking_delta':
        this.think(readText(delta['thinking']), out);
        return;
      case 'signature_delta':
        this.addSignature(index, readText(delta['signature']));
        return;
      case 'input_json_delta':
        this.addPiece();
        this.calls.delta(index, toArgumentsText(delta['partial_json']), out);
        return;
      case 'citations_delta':
        this.#citations.add(delta['citation'], out);
    }
  }

  #stopReason(delta: JsonObject, out: StreamPart[]): void {
    const reason = delta['stop_reason'];
    if (typeof reason !== 'string' || reason === '') return;
    const explanation = readText(readObject(delta['stop_details'])['explanation']);
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
      this.closeBlock(index, out);
    }
    this.#stopReason(message, out);
  }

  #takeUsage(usage: JsonValue | undefined): void {
    if (!isJsonObject(usage)) return;
    for (const [field, count] of Object.entries(usage)) if (count !== null) this.#usage[field] = count;
    this.usage = readUsage(this.#usage);
  }
}

function readIndex(event: JsonObject): number {
  return typeof event['index'] === 'number' ? event['index'] : 0;
}
