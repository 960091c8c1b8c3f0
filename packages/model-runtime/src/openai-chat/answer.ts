import {
  isJsonObject,
  type ErrorInfo,
  type FinishReason,
  type JsonObject,
  type JsonValue,
  type Usage,
} from '@toolyard/protocol';
import { TextStage, type TextStageOptions } from '../text-stage.ts';
import type { StreamPart } from '../types.ts';
import { NativeCalls } from './native-calls.ts';
import { providerErrorOf, toModelError, type ErrorContext } from './provider-error.ts';
import { readUsage } from './usage.ts';

/** Turns the chunks of one streamed answer, or a whole answer, into parts. Ends with `finish` or `error`, once. */
export class Answer {
  /** True once `finish` or `error` was given out. */
  ended = false;
  #usage: Usage | null = null;
  #reason: FinishReason | null = null;
  #sawChoice = false;
  #refused = false;
  readonly #text: TextStage;
  readonly #calls = new NativeCalls();
  readonly #errors: ErrorContext;

  constructor(options: TextStageOptions, errors: ErrorContext) {
    this.#text = new TextStage(options);
    this.#errors = errors;
  }

  /** True once the model said why it stopped; usage may still follow. */
  get stopped(): boolean {
    return this.#reason !== null;
  }

  /** Takes one chunk, or a whole answer. */
  chunk(value: JsonValue, out: StreamPart[]): void {
    if (this.ended) return;
    if (!isJsonObject(value)) return;
    const choices = value['choices'];
    if (value['error'] != null || choices === undefined) {
      const error = providerErrorOf(value);
      if (error !== null) {
        this.fail(toModelError(error, null, this.#errors), out);
        return;
      }
    }
    if (isJsonObject(value['usage'])) this.#usage = readUsage(value['usage']);
    if (!Array.isArray(choices)) return;
    for (const choice of choices) if (isJsonObject(choice)) this.#choice(choice, out);
  }

  /** The server said that the answer is over, or simply closed the stream. */
  end(saidDone: boolean, out: StreamPart[]): void {
    if (this.ended) return;
    if (!this.#sawChoice) {
      this.fail(
        {
          code: 'no_response',
          message: `${this.#errors.server} answered without any choice.`,
          hint: 'Try again; if it stays so, look into the log of the model server.',
          retryable: true,
        },
        out,
      );
      return;
    }
    if (this.#reason === null && !saidDone) {
      this.fail(brokenStream(this.#errors.server), out);
      return;
    }
    this.#finish(this.#reason ?? 'stop', out);
  }

  /** Ends the answer with an error; what came before stays. */
  fail(error: ErrorInfo, out: StreamPart[]): void {
    if (this.ended) return;
    this.#text.breakOff(this.#calls.count, out);
    if (this.#usage !== null) out.push({ type: 'usage', usage: this.#usage });
    out.push({ type: 'error', error });
    this.ended = true;
  }

  #choice(choice: JsonObject, out: StreamPart[]): void {
    const index = choice['index'];
    if (typeof index === 'number' && index !== 0) return;
    this.#sawChoice = true;
    if (isJsonObject(choice['error'])) {
      const error = providerErrorOf(choice);
      if (error !== null) this.fail(toModelError(error, null, this.#errors), out);
      return;
    }
    if (isJsonObject(choice['usage'])) this.#usage = readUsage(choice['usage']);
    const delta = choice['delta'] ?? choice['message'];
    if (isJsonObject(delta)) this.#delta(delta, out);
    else if (typeof choice['text'] === 'string') this.#text.push(choice['text'], out);
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '') this.#reason = toFinishReason(reason);
  }

  #delta(delta: JsonObject, out: StreamPart[]): void {
    const reasoning = delta['reasoning_content'] ?? delta['reasoning'];
    if (typeof reasoning === 'string' && reasoning !== '') out.push({ type: 'reasoning', text: reasoning });

    const content = delta['content'];
    if (typeof content === 'string') {
      if (content !== '') this.#text.push(content, out);
    } else if (Array.isArray(content)) {
      for (const item of content) this.#contentItem(item, out);
    }

    const refusal = delta['refusal'];
    if (typeof refusal === 'string' && refusal !== '') {
      this.#refused = true;
      out.push({ type: 'text', text: refusal });
    }

    const calls = delta['tool_calls'];
    if (Array.isArray(calls)) this.#calls.addAll(calls, out);
    if (isJsonObject(delta['function_call'])) this.#calls.add({ index: 0, function: delta['function_call'] }, out);
  }

  #contentItem(item: JsonValue, out: StreamPart[]): void {
    if (typeof item === 'string') {
      this.#text.push(item, out);
      return;
    }
    if (!isJsonObject(item)) return;
    if (typeof item['text'] === 'string') this.#text.push(item['text'], out);
    // Mistral's thinking: an array of text items inside the item.
    const thinking = item['thinking'];
    if (typeof thinking === 'string' && thinking !== '') out.push({ type: 'reasoning', text: thinking });
    if (!Array.isArray(thinking)) return;
    for (const inner of thinking) {
      if (isJsonObject(inner) && typeof inner['text'] === 'string')
        out.push({ type: 'reasoning', text: inner['text'] });
    }
  }

  #finish(reason: FinishReason, out: StreamPart[]): void {
    if (reason === 'error') {
      this.fail(brokenStream(this.#errors.server), out);
      return;
    }
    const textCalls = this.#text.end(this.#calls.count, out);
    this.#calls.finish(reason === 'length', out);
    if (this.#usage !== null) out.push({ type: 'usage', usage: this.#usage });
    const calls = textCalls + this.#calls.count;
    out.push({
      type: 'finish',
      reason: calls > 0 && reason === 'stop' ? 'tool_calls' : this.#refused ? 'content_filter' : reason,
    });
    this.ended = true;
  }
}

/** The connection ended, or the server gave up, in the middle of an answer. */
export function brokenStream(server: string): ErrorInfo {
  return {
    code: 'stream_broken',
    message: `The answer of ${server} broke off before it was whole.`,
    hint: 'What came so far is kept. Try again; if it stays so, look into the log of the model server.',
    retryable: true,
  };
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
