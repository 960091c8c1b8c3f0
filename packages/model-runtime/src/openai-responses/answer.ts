import { isJsonObject, type FinishReason, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { StreamedAnswer } from '../wire/answer.ts';
import { BlockCalls } from '../wire/block-calls.ts';
import { Citations } from '../wire/citations.ts';
import { imageTypeOf } from '../wire/media.ts';
import { providerErrorOf, messageError, toModelError } from '../wire/provider-error.ts';
import { sealReplay } from '../wire/replay.ts';
import { readUsage } from './usage.ts';

type Key = string | number;

/** Converts the events of one streamed answer, or a whole answer, into parts. */
export class ResponsesAnswer extends StreamedAnswer {
  readonly #calls = new BlockCalls();
  readonly #citations = new Citations();
  /** Items with streamed deltas; the final event of an item repeats their content. */
  readonly #streamed = new Set<Key>();
  readonly #phased = new Set<Key>();
  /** Completed items. */
  readonly #closed = new Set<Key>();
  /** The items of events, with the id of the item or of its call, in order. */
  readonly #items = new Map<Key, { type: string; id: string }>();
  #isRefusal = false;

  protected get callCount(): number {
    return this.#calls.count;
  }

  protected endCalls(cut: boolean, out: StreamPart[]): void {
    this.#calls.endAll(cut, out);
  }

  protected chunk(event: JsonValue, out: StreamPart[], name?: string): void {
    if (this.ended || !isJsonObject(event)) return;
    // Some servers name the type of an event only beside its data.
    const type = textOf(event['type'] ?? name);
    switch (type) {
      case 'response.output_text.delta':
        this.began = true;
        this.#streamed.add(this.#keyOf(event));
        this.say(textOf(event['delta']), out);
        return;
      case 'response.refusal.delta':
        this.began = true;
        this.#isRefusal = true;
        this.#streamed.add(this.#keyOf(event));
        this.say(textOf(event['delta']), out);
        return;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.began = true;
        this.#streamed.add(this.#keyOf(event));
        this.think(textOf(event['delta']), out);
        return;
      case 'response.reasoning_summary_part.added':
        if (this.#streamed.has(this.#keyOf(event))) this.think('\n\n', out);
        return;
      case 'response.function_call_arguments.delta':
        this.#calls.delta(this.#keyOf(event), textOf(event['delta']), out);
        return;
      case 'response.function_call_arguments.done':
        this.#calls.complete(this.#keyOf(event), argumentsOf(event));
        return;
      case 'response.output_text.annotation.added':
        this.#citations.add(event['annotation'], out);
        return;
      case 'response.output_item.added':
        this.began = true;
        if (isJsonObject(event['item'])) this.#begin(this.#keyOf(event), event['item'], out);
        return;
      case 'response.output_item.done':
        if (isJsonObject(event['item'])) this.#close(this.#keyOf(event), event['item'], out);
        return;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        if (isJsonObject(event['response'])) this.#whole(event['response'], out);
        this.isStreamDone = true;
        return;
      default:
        if (event['object'] === 'response' && type === '') this.#whole(event, out);
        else if (type === 'error' || type === '') this.#failed(event, out);
    }
  }

  /** Identifies the item of an event: its index, or its id if a server omits the index. */
  #keyOf({ output_index: index, item_id: itemId, item }: JsonObject): Key {
    const id = itemId ?? (isJsonObject(item) ? item['id'] : undefined);
    const key = typeof index === 'number' ? index : typeof id === 'string' ? id : 0;
    if (isJsonObject(item)) this.#items.set(key, { type: textOf(item['type']), id: idOf(item) });
    return key;
  }

  /**
   * Identifies an item of the whole response, whose position may differ from that in the events: by its id, or as the
   * next one of its type. A call with another id is another call.
   */
  #keyInWhole(item: JsonObject, position: number, used: ReadonlySet<Key>): Key {
    const [type, id] = [textOf(item['type']), idOf(item)];
    const known = [...this.#items].filter(([key, each]) => each.type === type && !used.has(key));
    const same = known.find(([, each]) => each.id === id);
    const next = known.find(([, each]) => type !== 'function_call' || id === '' || each.id === '');
    return (same ?? next)?.[0] ?? `whole:${position}`;
  }

  #begin(key: Key, item: JsonObject, out: StreamPart[]): void {
    if (item['type'] === 'message') this.#phase(key, item, out);
    if (item['type'] !== 'function_call') return;
    this.#calls.begin(key, textOf(item['call_id']), textOf(item['name']), out);
  }

  /** Completes an item and emits what was not streamed. */
  #close(key: Key, item: JsonObject, out: StreamPart[]): void {
    if (this.#closed.has(key)) return;
    this.#closed.add(key);
    this.began = true;
    const wasStreamed = this.#streamed.has(key);
    switch (textOf(item['type'])) {
      case 'message':
        this.#phase(key, item, out);
        for (const content of listOf(item['content'])) this.#content(content, wasStreamed, out);
        return;
      case 'reasoning':
        if (!wasStreamed) this.think(summaryOf(item), out);
        this.#keep(item, out);
        return;
      case 'function_call':
        this.#begin(key, item, out);
        this.#calls.end(key, item['status'] === 'incomplete', out, argumentsOf(item));
        return;
      case 'image_generation_call': {
        const data = textOf(item['result']);
        if (data !== '') out.push({ type: 'image', mimeType: imageTypeOf(data), source: { data } });
      }
    }
  }

  #content(content: JsonObject, wasStreamed: boolean, out: StreamPart[]): void {
    if (content['type'] === 'refusal') this.#isRefusal = true;
    if (!wasStreamed) this.say(textOf(content['text'] ?? content['refusal']), out);
    this.#citations.addAll(content['annotations'], out);
  }

  /** Whether a message is commentary or the final answer: the model expects this field back. */
  #phase(key: Key, { phase }: JsonObject, out: StreamPart[]): void {
    if (typeof phase !== 'string' || this.#phased.has(key)) return;
    this.#phased.add(key);
    out.push({ type: 'reasoning_signature', signature: sealReplay('openai-responses', JSON.stringify({ phase })) });
  }

  /** Encrypted content is sent back with the next request, together with the server's id of the item. */
  #keep(item: JsonObject, out: StreamPart[]): void {
    const { id, encrypted_content: content } = item;
    if (typeof content !== 'string' || content === '') return;
    const sealed = JSON.stringify({ ...(typeof id === 'string' ? { id } : {}), encrypted_content: content });
    out.push({ type: 'reasoning_signature', signature: sealReplay('openai-responses', sealed) });
  }

  #whole(response: JsonObject, out: StreamPart[]): void {
    if (isJsonObject(response['usage'])) this.usage = readUsage(response['usage']);
    if (response['status'] === 'failed' || isJsonObject(response['error'])) {
      this.#failed(response, out);
      return;
    }
    // Emits what was not streamed: missing items, or everything.
    const used = new Set<Key>();
    for (const [position, item] of listOf(response['output']).entries()) {
      const key = this.#keyInWhole(item, position, used);
      used.add(key);
      this.#close(key, item, out);
    }
    this.began = true;
    this.stop(this.#isRefusal ? 'content_filter' : reasonOf(response));
  }

  #failed(value: JsonObject, out: StreamPart[]): void {
    const error = providerErrorOf(value) ?? (value['status'] === 'failed' ? messageError('the model failed') : null);
    if (error !== null) this.fail(toModelError(error, null, this.errors), out);
  }
}

function summaryOf(item: JsonObject): string {
  const parts = [...listOf(item['summary']), ...listOf(item['content'])];
  return parts.map((part) => textOf(part['text'])).join('\n\n');
}

/** The id that distinguishes an item; servers change the others from event to event. */
function idOf(item: JsonObject): string {
  return textOf(item['type'] === 'function_call' ? item['call_id'] : item['id']);
}

function argumentsOf({ arguments: args }: JsonObject): string {
  return isJsonObject(args) ? JSON.stringify(args) : textOf(args);
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function reasonOf(response: JsonObject): FinishReason {
  if (response['status'] !== 'incomplete') return 'stop';
  const details = response['incomplete_details'];
  return isJsonObject(details) && details['reason'] === 'content_filter' ? 'content_filter' : 'length';
}
