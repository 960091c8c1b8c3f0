import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { BlockAnswer } from '../wire/block-answer.ts';
import { readObject, readObjects, readText } from '../wire/json-values.ts';
import { Citations } from '../wire/citations.ts';
import { getImageType } from '../wire/media.ts';
import { readErrorValue, createMessageError } from '../wire/provider-error.ts';
import { ResponseItems, type ResponseItem } from './items.ts';
import { readUsage } from './usage.ts';

/** Items with text. */
type Kind = 'message' | 'reasoning';

/** Converts the events of one streamed answer, or a whole answer, into parts. */
export class ResponsesAnswer extends BlockAnswer {
  protected readonly wire = 'openai-responses';
  readonly #citations = new Citations();
  readonly #items = new ResponseItems();
  #isRefusal = false;

  protected chunk(event: JsonValue, out: StreamPart[], name?: string): void {
    if (this.ended || !isJsonObject(event)) return;
    // Some servers name the type of an event only beside its data.
    const type = readText(event['type'] ?? name);
    switch (type) {
      case 'response.refusal.delta':
        this.#isRefusal = true;
        this.#grow('message', event, out);
        return;
      case 'response.output_text.delta':
        this.#grow('message', event, out);
        return;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
      case 'response.reasoning.delta':
        this.#grow('reasoning', event, out);
        return;
      case 'response.reasoning_summary_part.added':
        this.#items.ofPiece(event, 'reasoning').contents.delete(getPartKey(event));
        return;
      case 'response.output_text.done':
      case 'response.refusal.done':
        this.#complete('message', event, event, out);
        return;
      case 'response.reasoning_summary_text.done':
      case 'response.reasoning_text.done':
      case 'response.reasoning.done':
        this.#complete('reasoning', event, event, out);
        return;
      case 'response.content_part.done':
      case 'response.reasoning_summary_part.done': {
        const { part } = event;
        if (!isJsonObject(part)) return;
        const isReasoning = /reasoning|summary/.test(`${type} ${readText(part['type'])}`);
        this.#complete(isReasoning ? 'reasoning' : 'message', event, part, out);
        return;
      }
      case 'response.function_call_arguments.delta':
        this.calls.delta(this.#items.ofPiece(event, 'function_call').key, readText(event['delta']), out);
        return;
      case 'response.function_call_arguments.done':
        this.calls.complete(this.#items.ofPiece(event, 'function_call').key, readArguments(event));
        return;
      case 'response.output_text.annotation.added':
        this.#citations.add(event['annotation'], out);
        return;
      case 'response.output_item.added': {
        this.began = true;
        const { item } = event;
        if (isJsonObject(item)) this.#begin(this.#items.ofItem(item, event, true), item, out);
        return;
      }
      case 'response.output_item.done': {
        const { item } = event;
        if (isJsonObject(item)) this.#close(this.#items.ofItem(item, event, false), item, out);
        return;
      }
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

  /** Adds a piece of a message or of reasoning. */
  #grow(kind: Kind, event: JsonObject, out: StreamPart[]): void {
    this.began = true;
    this.#emit(this.#items.ofPiece(event, kind), getPartKey(event), readText(event['delta']), out);
  }

  /** Emits what was not streamed of a content that is complete. */
  #complete(kind: Kind, event: JsonObject, content: JsonObject, out: StreamPart[]): void {
    this.began = true;
    if (content['type'] === 'refusal' || typeof content['refusal'] === 'string') this.#isRefusal = true;
    const item = this.#items.ofPiece(event, kind);
    const place = getPartKey(event);
    const whole = readText(content['text'] ?? content['refusal']);
    const streamed = item.contents.get(place) ?? '';
    // Servers leave out the index of a content.
    if (item.isClosed || item.text.endsWith(whole) || !whole.startsWith(streamed)) return;
    this.#emit(item, place, whole.slice(streamed.length), out);
  }

  #emit(item: ResponseItem, place: string, text: string, out: StreamPart[]): void {
    if (text === '') return;
    const streamed = item.contents.get(place);
    const isReasoning = item.type === 'reasoning';
    const gap = isReasoning && streamed === undefined && item.text !== '' ? '\n\n' : '';
    item.contents.set(place, (streamed ?? '') + text);
    item.text += gap + text;
    if (isReasoning) this.think(gap + text, out);
    else this.say(text, out);
  }

  #begin(known: ResponseItem, item: JsonObject, out: StreamPart[]): void {
    if (item['type'] === 'message') this.#phase(known, item, out);
    if (item['type'] !== 'function_call') return;
    this.calls.begin(known.key, readText(item['call_id']), readText(item['name']), out);
  }

  /** Completes an item and emits what was not streamed. */
  #close(known: ResponseItem, item: JsonObject, out: StreamPart[]): void {
    if (known.isClosed) return;
    known.isClosed = true;
    this.began = true;
    switch (known.type) {
      case 'message': {
        this.#phase(known, item, out);
        const contents = readList(item['content']);
        this.#isRefusal ||= contents.some(({ type }) => type === 'refusal');
        this.#rest(known, contents.map(({ text, refusal }) => readText(text ?? refusal)).join(''), out);
        for (const { annotations } of contents) this.#citations.addAll(annotations, out);
        return;
      }
      case 'reasoning':
        this.#rest(known, readSummary(item), out);
        this.#keepEncrypted(item, out);
        return;
      case 'function_call':
        this.#begin(known, item, out);
        this.calls.end(known.key, item['status'] === 'incomplete', out, readArguments(item));
        return;
      case 'image_generation_call': {
        const data = readText(item['result']);
        if (data !== '') out.push({ type: 'image', mimeType: getImageType(data), source: { data } });
      }
    }
  }

  /** Emits the end of an item that was not streamed; nothing if what was streamed is no beginning of it. */
  #rest(known: ResponseItem, whole: string, out: StreamPart[]): void {
    if (!whole.startsWith(known.text)) return;
    const rest = whole.slice(known.text.length);
    if (known.type === 'reasoning') this.think(rest, out);
    else this.say(rest, out);
  }

  /** Whether a message is commentary or the final answer: the model expects this field back. */
  #phase(known: ResponseItem, { phase }: JsonObject, out: StreamPart[]): void {
    if (typeof phase !== 'string' || known.isPhased) return;
    known.isPhased = true;
    this.keep(JSON.stringify({ phase }), out);
  }

  /** Encrypted content is sent back with the next request, together with the server's id of the item. */
  #keepEncrypted(item: JsonObject, out: StreamPart[]): void {
    const { id, encrypted_content: content } = item;
    if (typeof content !== 'string' || content === '') return;
    this.keep(JSON.stringify({ ...(typeof id === 'string' ? { id } : {}), encrypted_content: content }), out);
  }

  #whole(response: JsonObject, out: StreamPart[]): void {
    if (isJsonObject(response['usage'])) this.usage = readUsage(response['usage']);
    if (response['status'] === 'failed' || isJsonObject(response['error'])) {
      this.#failed(response, out);
      return;
    }
    // Emits what was not streamed: missing items, or everything.
    const used = new Set<ResponseItem>();
    for (const item of readList(response['output'])) {
      const known = this.#items.inWhole(item, used);
      used.add(known);
      this.#close(known, item, out);
    }
    this.began = true;
    this.stopFor(readReason(response), out);
    if (this.#isRefusal) this.stop('content_filter');
  }

  #failed(value: JsonObject, out: StreamPart[]): void {
    const error =
      readErrorValue(value) ?? (value['status'] === 'failed' ? createMessageError('the model failed') : null);
    if (error !== null) this.reject(error, out);
  }
}

function readSummary(item: JsonObject): string {
  const parts = [...readList(item['summary']), ...readList(item['content'])];
  return parts.map((part) => readText(part['text'])).join('\n\n');
}

function readArguments({ arguments: args }: JsonObject): string {
  return isJsonObject(args) ? JSON.stringify(args) : readText(args);
}

/** Some servers send a text in place of a list of texts. */
function readList(value: JsonValue | undefined): JsonObject[] {
  if (typeof value === 'string') return [{ text: value }];
  return readObjects(value);
}

/** Distinguishes the contents of an item. */
function getPartKey({ content_index: content, summary_index: summary }: JsonObject): string {
  return `${JSON.stringify(content ?? 0)} ${JSON.stringify(summary ?? 0)}`;
}

/** The status of a response, or why it is not complete. */
function readReason({ status, incomplete_details: details }: JsonObject): string {
  if (status !== 'incomplete') return readText(status) || 'completed';
  return readText(readObject(details)['reason']) || 'max_output_tokens';
}
