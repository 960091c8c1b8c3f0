import { isJsonObject, type FinishReason, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { StreamedAnswer } from '../wire/answer.ts';
import { dataImage } from '../wire/media.ts';
import type { TextPath } from '../wire/plain-text.ts';
import { providerErrorOf, toModelError, type ErrorContext } from '../wire/provider-error.ts';
import { Citations } from '../wire/citations.ts';
import { NativeCalls } from './native-calls.ts';
import { keepForReplay, ReasoningDetails } from './replay.ts';
import { readUsage } from './usage.ts';

/** Converts the chunks of one streamed answer, or a whole answer, into parts. */
export class OpenAiChatAnswer extends StreamedAnswer {
  #isRefusal = false;
  /** The field the reasoning arrived in. */
  #reasoningField: string | null = null;
  readonly #details = new ReasoningDetails();
  readonly #calls = new NativeCalls();
  readonly #citations = new Citations();

  constructor(text: TextPath, errors: ErrorContext) {
    super(text, errors);
  }

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

  chunk(value: JsonValue, out: StreamPart[]): void {
    if (this.ended) return;
    if (!isJsonObject(value)) return;
    const choices = value['choices'];
    if (value['error'] != null || choices === undefined) {
      const error = providerErrorOf(value);
      if (error !== null) {
        this.fail(toModelError(error, null, this.errors), out);
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
      const error = providerErrorOf(choice);
      if (error !== null) this.fail(toModelError(error, null, this.errors), out);
      return;
    }
    if (isJsonObject(choice['usage'])) this.usage = readUsage(choice['usage']);
    const delta = choice['delta'] ?? choice['message'];
    if (isJsonObject(delta)) this.#delta(delta, out);
    else if (typeof choice['text'] === 'string') this.text.push(choice['text'], out);
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '')
      this.reason = this.#isRefusal ? 'content_filter' : toFinishReason(reason);
  }

  #delta(delta: JsonObject, out: StreamPart[]): void {
    const field = delta['reasoning_content'] != null ? 'reasoning_content' : 'reasoning';
    const reasoning = delta[field];
    if (typeof reasoning === 'string' && reasoning !== '') {
      this.#reasoningField = field;
      out.push({ type: 'reasoning', text: reasoning });
    }
    if (Array.isArray(delta['reasoning_details'])) this.#details.add(delta['reasoning_details']);

    const content = delta['content'];
    if (typeof content === 'string') {
      if (content !== '') this.text.push(content, out);
    } else if (Array.isArray(content)) {
      for (const item of content) this.#contentItem(item, out);
    }

    const refusal = delta['refusal'];
    if (typeof refusal === 'string' && refusal !== '') {
      this.#isRefusal = true;
      out.push({ type: 'text', text: refusal });
    }

    const calls = delta['tool_calls'];
    if (Array.isArray(calls)) this.#calls.addAll(calls, out);
    if (isJsonObject(delta['function_call'])) this.#calls.add({ index: 0, function: delta['function_call'] }, out);
    if (Array.isArray(delta['images'])) for (const image of delta['images']) pushImage(image, out);
    if (Array.isArray(delta['annotations'])) {
      for (const note of delta['annotations'])
        this.#citations.add(isJsonObject(note) ? note['url_citation'] : null, out);
    }
  }

  #contentItem(item: JsonValue, out: StreamPart[]): void {
    if (typeof item === 'string') {
      this.text.push(item, out);
      return;
    }
    if (!isJsonObject(item)) return;
    if (typeof item['text'] === 'string') this.text.push(item['text'], out);
    if (item['type'] === 'image_url') pushImage(item, out);
    // Mistral's reasoning: an array of text items inside the item.
    const thinking = item['thinking'];
    if (typeof thinking === 'string' && thinking !== '') out.push({ type: 'reasoning', text: thinking });
    if (!Array.isArray(thinking)) return;
    for (const inner of thinking) {
      if (isJsonObject(inner) && typeof inner['text'] === 'string')
        out.push({ type: 'reasoning', text: inner['text'] });
    }
  }
}

function pushImage(item: JsonValue, out: StreamPart[]): void {
  const image = isJsonObject(item) ? (item['image_url'] ?? null) : null;
  const address = isJsonObject(image) ? image['url'] : image;
  const part = typeof address === 'string' ? dataImage(address) : null;
  if (part !== null) out.push(part);
}

function toFinishReason(reason: string): FinishReason {
  switch (reason.toLowerCase()) {
    case 'length':
    case 'max_tokens':
    case 'model_length':
      return 'length';
    case 'tool_calls':
    case 'tool_use':
    case 'function_call':
      return 'tool_calls';
    case 'content_filter':
    case 'safety':
    case 'sensitive':
      return 'content_filter';
    case 'error':
    case 'network_error':
    case 'insufficient_system_resource':
      return 'error';
    default:
      return 'stop';
  }
}
