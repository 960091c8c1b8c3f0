import {
  isAbortError,
  parseJson,
  toErrorInfo,
  ToolyardError,
  type Clock,
  type ErrorInfo,
  type Fetch,
} from '@toolyard/protocol';
import { throwIfAborted } from '../abort.ts';
import { CallGuard, SilenceError, type BodyReader } from '../call-guard.ts';
import type { CallOptions, ChatRequest, ModelInfo, ModelRuntime, StreamPart } from '../types.ts';
import { Answer, brokenStream } from './answer.ts';
import { serverName } from './base-url.ts';
import { Endpoint, readBounded, type Met } from './endpoint.ts';
import { AnswerBody, releaseBody } from './event-stream.ts';
import { readModels } from './models.ts';
import { toNetworkError } from './network-error.ts';
import { createRedactor, isToolRefusal, retryAfterMs, toModelError, type ErrorContext } from './provider-error.ts';
import type { OpenAiChatQuirks } from './quirks.ts';
import { requestBody } from './request.ts';

export type OpenAiChatOptions = {
  /** With or without `/v1`, a trailing slash, or `/chat/completions`. */
  baseUrl: string;
  apiKey?: string;
  /** Further headers; they win over ours. Their values are taken for secrets. */
  headers?: Record<string, string>;
  fetch: Fetch;
  clock: Clock;
  /** Names calls found in text; without it they come without an id. */
  newId?: () => string;
  /** Milliseconds without a byte after which a call is given up, default 120,000. */
  idleTimeoutMs?: number;
  quirks?: OpenAiChatQuirks;
};

/** How long usage may come behind the end of an answer, in milliseconds. */
const AFTER_STOP_MS = 5000;

/** Longest list of models that is read, in characters. */
const MAX_MODEL_LIST = 16_000_000;

/**
 * Models behind any address that speaks OpenAI's chat completions.
 *
 * Throws ToolyardError `bad_config` for what is no http address; everything later comes as parts of the answer.
 *
 * @example
 * const runtime = createOpenAiChatRuntime({ baseUrl: 'http://127.0.0.1:8080', fetch, clock });
 * for await (const parts of runtime.chat(request)) show(parts);
 */
export function createOpenAiChatRuntime(options: OpenAiChatOptions): ModelRuntime {
  return new OpenAiChatRuntime(options);
}

class OpenAiChatRuntime implements ModelRuntime {
  readonly provider: string;
  readonly #options: OpenAiChatOptions;
  readonly #endpoint: Endpoint;
  readonly #headers: Record<string, string>;
  readonly #redact: (text: string) => string;
  readonly #quirks: OpenAiChatQuirks;
  /** Models for which this server refused tool definitions. */
  readonly #withoutNativeTools = new Set<string>();

  constructor(options: OpenAiChatOptions) {
    const { apiKey, headers = {} } = options;
    this.#options = options;
    this.#quirks = { ...options.quirks };
    this.provider = serverName(options.baseUrl);
    this.#endpoint = new Endpoint(options.baseUrl, options.fetch);
    this.#headers = {
      ...(apiKey === undefined || apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
      ...headers,
    };
    this.#redact = createRedactor([apiKey ?? '', ...Object.values(headers)]);
  }

  async *chat(request: ChatRequest, options: CallOptions = {}): AsyncGenerator<readonly StreamPart[], void, undefined> {
    throwIfAborted(options.signal);
    const guard = this.#guard(options);
    const errors = this.#errorContext(request.model);
    let reader: BodyReader | null = null;
    let complete = false;
    try {
      const notices: StreamPart[] = [];
      const met = await this.#ask(request, guard, errors, notices);
      if (met.kind !== 'answered') {
        yield [...notices, { type: 'error', error: this.#refusal(met, errors) }];
        return;
      }
      const { newId } = this.#options;
      const startsInReasoning = this.#quirks.startsInReasoning === true;
      const answer = new Answer(
        { tools: request.tools, startsInReasoning, ...(newId === undefined ? {} : { newId }) },
        errors,
      );
      const body = new AnswerBody(answer, errors);
      if (notices.length > 0) yield notices;

      reader = (met.response.body ?? emptyBody()).getReader();
      while (!answer.ended) {
        const out: StreamPart[] = [];
        let read: Awaited<ReturnType<BodyReader['read']>> | null = null;
        try {
          guard.waiting(reader);
          read = await reader.read();
          guard.received();
        } catch {
          read = null;
        }
        if (read === null) breakOff(answer, guard, this.#silence(errors), errors, out);
        else if (read.done) body.end(out);
        else body.push(read.value, out);
        if (answer.stopped && !answer.ended) guard.shorten(AFTER_STOP_MS);
        complete = body.saidDone;
        if (out.length > 0) yield out;
      }
    } catch (thrown) {
      if (isAbortError(thrown)) throw thrown;
      yield [{ type: 'error', error: thrown instanceof SilenceError ? this.#silence(errors) : toErrorInfo(thrown) }];
    } finally {
      guard.dispose();
      if (reader !== null) releaseBody(reader, complete, this.#options.clock);
    }
  }

  async models(options: CallOptions = {}): Promise<ModelInfo[]> {
    throwIfAborted(options.signal);
    const guard = this.#guard(options);
    const errors = this.#errorContext('');
    try {
      const init = { method: 'GET', headers: { accept: 'application/json', ...this.#headers } };
      const met = await this.#endpoint.send('/models', init, guard, errors);
      if (met.kind !== 'answered') throw new ToolyardError(this.#refusal(met, errors));
      const parsed = parseJson(await readBounded(met.response, guard, MAX_MODEL_LIST));
      const models = parsed.ok ? readModels(parsed.value) : null;
      if (models !== null) return models;
      throw new ToolyardError({
        code: 'not_a_model_server',
        message: `${errors.server} is no model server: it gives no list of models.`,
        hint: 'Check the address of the model server.',
      });
    } catch (thrown) {
      throw thrown instanceof SilenceError ? new ToolyardError(this.#silence(errors)) : thrown;
    } finally {
      guard.dispose();
    }
  }

  /** Sends the request, and again where the server refuses something that can be done without. */
  async #ask(request: ChatRequest, guard: CallGuard, errors: ErrorContext, notices: StreamPart[]): Promise<Met> {
    for (;;) {
      const asText = request.toolMode === 'native' && this.#withoutNativeTools.has(request.model);
      const sent: ChatRequest = asText ? { ...request, toolMode: 'text' } : request;
      const init = {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream, application/json',
          ...this.#headers,
        },
        body: requestBody(sent, this.#quirks),
      };
      const met = await this.#endpoint.send('/chat/completions', init, guard, errors);
      if (met.kind !== 'refused') return met;

      if (this.#quirks.noStreamOptions !== true && /stream_options/.test(met.error.message) && met.status < 500) {
        this.#quirks.noStreamOptions = true;
        continue;
      }
      if (sent.toolMode === 'native' && sent.tools.length > 0 && isToolRefusal(met.error)) {
        this.#withoutNativeTools.add(request.model);
        notices.push({
          type: 'notice',
          code: 'tools_as_text',
          text: `${errors.server} takes no tool definitions for ${request.model}: the tools are described in the prompt instead.`,
        });
        continue;
      }
      return met;
    }
  }

  #guard(options: CallOptions): CallGuard {
    const { clock, idleTimeoutMs = 120_000 } = this.#options;
    return new CallGuard({ clock, idleTimeoutMs, signal: options.signal });
  }

  #errorContext(model: string): ErrorContext {
    return { server: this.provider, model, redact: this.#redact };
  }

  #refusal(met: Exclude<Met, { kind: 'answered' }>, errors: ErrorContext): ErrorInfo {
    switch (met.kind) {
      case 'failed':
        return toNetworkError(met.thrown, met.url);
      case 'wrong_address':
        return {
          code: 'not_a_model_server',
          message: `No model API was found at ${met.tried.join(' nor at ')}.`,
          hint: 'Check the address of the model server; it usually ends in /v1.',
        };
      case 'refused': {
        const error = toModelError(met.error, met.status, errors);
        const wait = retryAfterMs(met.headers, this.#options.clock.now());
        return wait === undefined || error.retryable !== true ? error : { ...error, retryAfterMs: wait };
      }
    }
  }

  #silence(errors: ErrorContext): ErrorInfo {
    const seconds = Math.round((this.#options.idleTimeoutMs ?? 120_000) / 1000);
    return {
      code: 'timed_out',
      message: `${errors.server} sent nothing for ${seconds} s.`,
      hint: 'The model may be loading or too slow for this request. Try again, or allow a longer silence.',
      retryable: true,
    };
  }
}

/** The read failed: cancelled, silent for too long, or cut off. Throws AbortError in the first case. */
function breakOff(answer: Answer, guard: CallGuard, silence: ErrorInfo, errors: ErrorContext, out: StreamPart[]): void {
  const { stopped } = guard;
  if (stopped !== null && isAbortError(stopped)) throw stopped;
  // The model had said its last word; only the ceremony behind it is missing.
  if (answer.stopped) answer.end(true, out);
  else answer.fail(stopped === null ? brokenStream(errors.server) : silence, out);
}

function emptyBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}
