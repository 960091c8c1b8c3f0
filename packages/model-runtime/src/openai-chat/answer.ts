import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { StreamedAnswer } from '../wire/answer.ts';
import { readObject, readText } from '../wire/json-values.ts';
import { dataImage } from '../wire/media.ts';
import { readErrorValue } from '../wire/provider-error.ts';
import { Citations } from '../wire/citations.ts';
import { NativeCalls } from './native-calls.ts';
import { keepForReplay, ReasoningDetails } from './replay.ts';
import { readUsage } from './usage.ts';

/** Converts the chunks of one streamed answer, or a whole answer, into parts. */
export class OpenAiChatAnswer extends StreamedAnswer {
  #isRefusal = false;
  #isTextStreamed = false;
  /** The field whose reasoning is shown; others repeat it. */
  #shownField: string | null = null;
  /** The field the reasoning arrived in as text. */
  #reasoningField: string | null = null;
  readonly #details = new ReasoningDetails();
  readonly #calls = new NativeCalls();
  readonly #citations = new Citations();

  protected get callCount(): number {
    return this.#calls.count;
  }

  protected endCalls(cut: boolean, out: StreamPart[]): void {
    if (this.#details.items.length > 0) out.push(keepForReplay({ details: this.#details.items }));
    else if (this.#reasoningField !== null && this.#calls.count > 0) {
      out.push(keepForReplay({ field: this.#reasoningField }));
    }
    this.#calls.finish(cut, out);
  }

  protected chunk(value: JsonValue, out: StreamPart[]): void {
    if (this.ended) return;
    if (!isJsonObject(value)) return;
    const choices = value['choices'];
    if (value['error'] != null || choices === undefined) {
      const error = readErrorValue(value);
      if (error !== null) {
        this.reject(error, out);
        return;
      }
    }
    if (isJsonObject(value['usage'])) this.usage = readUsage(value['usage']);
    if (Array.isArray(choices)) {
      for (const choice of choices) if (isJsonObject(choice)) this.#choice(choice, out);
    }
    // Search models list their sources beside the choices, repeated in every chunk.
    if (value['search_results'] !== undefined) this.#citations.addAll(value['search_results'], out);
    else if (value['citations'] !== undefined) this.#citations.addAll(value['citations'], out);
  }

  #choice(choice: JsonObject, out: StreamPart[]): void {
    const index = choice['index'];
    if (typeof index === 'number' && index !== 0) return;
    this.began = true;
    if (isJsonObject(choice['error'])) {
      const error = readErrorValue(choice);
      if (error !== null) this.reject(error, out);
      return;
    }
    if (isJsonObject(choice['usage'])) this.usage = readUsage(choice['usage']);
    const { delta, message, finish_reason: reason } = choice;
    if (isJsonObject(delta)) this.#delta(delta, out);
    else if (isJsonObject(message)) this.#message(message, out);
    else if (typeof choice['text'] === 'string') this.say(choice['text'], out);
    if (typeof reason !== 'string') return;
    const finish = this.stopFor(reason, out, '', readText(choice['native_finish_reason']));
    if (this.#isRefusal && finish !== null) this.stop('content_filter');
  }

  /** A complete message. After deltas it repeats them: only what is new is read. */
  #message(message: JsonObject, out: StreamPart[]): void {
    const { tool_calls: calls, ...rest } = message;
    if (this.#shownField === null) this.#reasoning(message, out);
    if (!this.#isTextStreamed) this.#content(rest, out);
    if (Array.isArray(calls) && calls.length > 0) {
      this.addPiece();
      this.#calls.addAll(calls, out, true);
    }
  }

  #delta(delta: JsonObject, out: StreamPart[]): void {
    this.#reasoning(delta, out);
    this.#content(delta, out);
    const calls = delta['tool_calls'];
    if (!Array.isArray(calls) || calls.length === 0) return;
    this.addPiece();
    this.#calls.addAll(calls, out);
  }

  #content(delta: JsonObject, out: StreamPart[]): void {
    const content = delta['content'];
    if (content != null && content !== '') this.#isTextStreamed = true;
    if (typeof content === 'string') this.say(content, out);
    else if (Array.isArray(content)) for (const item of content) this.#contentItem(item, out);

    const refusal = delta['refusal'];
    if (typeof refusal === 'string' && refusal !== '') {
      this.#isRefusal = true;
      this.addPiece();
      out.push({ type: 'text', text: refusal });
    }

    if (isJsonObject(delta['function_call'])) {
      this.addPiece();
      this.#calls.add({ index: 0, function: delta['function_call'] }, out);
    }
    if (Array.isArray(delta['images'])) for (const image of delta['images']) this.#image(image, out);
    if (Array.isArray(delta['annotations'])) {
      for (const note of delta['annotations'])
        this.#citations.add(isJsonObject(note) ? note['url_citation'] : null, out);
    }
  }

  /** Servers name the field differently, give it any form and send several: the first that contains words counts. */
  #reasoning(delta: JsonObject, out: StreamPart[]): void {
    let found: { field: string; text: string } | null = null;
    for (const field of REASONING_FIELDS) {
      const value = delta[field];
      if (value == null || value === '') continue;
      const text = reasoningIn(value);
      const isFilled = text.trim() !== '';
      if (text !== '' && (found === null || (isFilled && (found.text.trim() === '' || field === this.#shownField))))
        found = { field, text };
    }
    if (found !== null) {
      this.#shownField = found.field;
      if (typeof delta[found.field] === 'string') this.#reasoningField ??= found.field;
      this.think(found.text, out);
    }
    const details = delta['reasoning_details'];
    if (details == null) return;
    const items = Array.isArray(details) ? details : [details];
    this.#details.add(items);
    if (this.#shownField !== null && this.#shownField !== 'reasoning_details') return;
    const text = reasoningIn(items);
    if (text === '') return;
    this.#shownField = 'reasoning_details';
    this.think(text, out);
  }

  #contentItem(item: JsonValue, out: StreamPart[]): void {
    if (typeof item === 'string') this.say(item, out);
    if (!isJsonObject(item)) return;
    if (/^(thinking|reasoning|thought)/.test(readText(item['type']))) this.think(reasoningIn(item), out);
    else this.say(readText(item['text']), out);
    if (item['type'] === 'image_url') this.#image(item, out);
  }

  #image(item: JsonValue, out: StreamPart[]): void {
    const { image_url: image } = readObject(item);
    const address = isJsonObject(image) ? image['url'] : image;
    const part = typeof address === 'string' ? dataImage(address) : null;
    if (part === null) return;
    this.addPiece();
    out.push(part);
  }
}

/** Names of the reasoning field: DeepSeek and most; OpenRouter, vLLM; Copilot; Ollama; LiteLLM. */
const REASONING_FIELDS = [
  'reasoning_content',
  'reasoning',
  'reasoning_text',
  'thinking',
  'thinking_blocks',
  'thoughts',
];

/** Members that contain the text of a piece of reasoning, or further pieces. */
const REASONING_MEMBERS = ['text', 'thinking', 'content', 'summary', 'reasoning', 'reasoning_content'];

/** The text of reasoning in any form: a text, an object, or a list of them. */
function reasoningIn(value: JsonValue | undefined, depth = 0): string {
  if (typeof value === 'string') return value;
  if (depth > 4) return '';
  if (Array.isArray(value)) return value.map((each) => reasoningIn(each, depth + 1)).join('');
  if (!isJsonObject(value)) return '';
  for (const member of REASONING_MEMBERS) {
    const text = reasoningIn(value[member], depth + 1);
    if (text !== '') return text;
  }
  return '';
}
