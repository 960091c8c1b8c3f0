import {
  isAbortError,
  parseJson,
  toErrorInfo,
  ToolyardError,
  type Clock,
  type ErrorInfo,
  type Fetch,
  type JsonValue,
} from '@toolyard/protocol';
import { throwIfAborted } from '../abort.ts';
import type {
  CallOptions,
  ChatRequest,
  CreatedImages,
  Embeddings,
  EmbeddingsRequest,
  GeneratedObject,
  ImageRequest,
  ModelInfo,
  ModelRuntime,
  ObjectRequest,
  Speech,
  SpeechRequest,
  StreamPart,
  Transcription,
  TranscriptionRequest,
} from '../types.ts';
import { brokenStream, type StreamedAnswer } from './answer.ts';
import { serverName } from './base-url.ts';
import { CallGuard, SilenceError, type BodyReader } from './call-guard.ts';
import { Concessions } from './concessions.ts';
import type { Dialect, Exchange, Outgoing } from './dialect.ts';
import { Endpoint, readBounded, readBytes, type Met } from './endpoint.ts';
import { AnswerBody, releaseBody } from './event-stream.ts';
import { mayPass, toNetworkError } from './network-error.ts';
import { createRedactor, retryAfterMs, toModelError, type ErrorContext } from './provider-error.ts';
import { retryWaitMs, waitNotice } from './retry.ts';

/** What every wire needs to reach its server. */
export type WireOptions = {
  /** With or without the version, a trailing slash, or the path of an endpoint. */
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
  /** How often a request is sent again where the server was busy and nothing was streamed yet, default 2. */
  maxRetries?: number;
  /** Spreads the waits between; default Math.random. */
  random?: () => number;
};

/** How long usage may come behind the end of an answer, in milliseconds. */
const AFTER_STOP_MS = 5000;

/** Longest answer that is read whole, in characters or bytes: lists of models, vectors, pictures, sound. */
const MAX_WHOLE = 64_000_000;

/** Most pages of a list of models that are asked for. */
const MAX_PAGES = 50;

/** One server's models over one wire. What is particular to the wire is in its {@link Dialect}, loaded when needed. */
export class WireRuntime implements ModelRuntime {
  readonly provider: string;
  readonly #options: WireOptions;
  readonly #load: () => Promise<Dialect>;
  readonly #redact: (text: string) => string;
  #opened: Promise<{ dialect: Dialect; endpoint: Endpoint; headers: Record<string, string> }> | null = null;
  #concessions: Concessions;

  constructor(options: WireOptions, load: () => Promise<Dialect>) {
    this.#options = options;
    this.#load = load;
    this.provider = serverName(options.baseUrl);
    this.#redact = createRedactor([options.apiKey ?? '', ...Object.values(options.headers ?? {})]);
    this.#concessions = new Concessions(this.provider);
  }

  async *chat(request: ChatRequest, options: CallOptions = {}): AsyncGenerator<readonly StreamPart[], void, undefined> {
    throwIfAborted(options.signal);
    const guard = this.#guard(options);
    const errors = this.#errorContext(request.model);
    let reader: BodyReader | null = null;
    let complete = false;
    try {
      const { dialect } = await this.#open();
      for (let attempt = 0; ; attempt += 1) {
        const notices: StreamPart[] = [];
        const { met, sent } = await this.#ask(request, guard, errors, notices);
        if (notices.length > 0) yield notices;
        let failure: ErrorInfo | null = null;
        let streamed = false;

        if (met.kind === 'answered') {
          const answer = dialect.answer(sent, errors);
          const body = new AnswerBody(answer, errors);
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
            if (out.length === 0) continue;
            failure = streamed || guard.stopped !== null ? null : failureOf(out);
            if (failure !== null && this.#retryWait(failure, attempt) !== null) break;
            failure = null;
            streamed = true;
            yield out;
          }
          complete = answer.saidDone;
          if (failure === null) return;
          releaseBody(reader, complete, this.#options.clock);
          reader = null;
        } else failure = this.#refusal(met, dialect, errors);

        const waitMs = met.kind === 'failed' && !mayPass(met.thrown) ? null : this.#retryWait(failure, attempt);
        if (waitMs === null) {
          yield [{ type: 'error', error: failure }];
          return;
        }
        const notice = waitNotice(waitMs, failure);
        if (notice !== null) yield [{ type: 'notice', code: 'retrying', text: notice }];
        await guard.pause(waitMs);
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
    const { dialect } = await this.#open();
    const found = new Map<string, ModelInfo>();
    let page: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const read = await this.#exchange('', dialect.models(page), options, (errors) => ({
        code: 'not_a_model_server',
        message: `${errors.server} is no model server: it gives no list of models.`,
        hint: 'Check the address of the model server.',
      }));
      for (const model of read.models) if (!found.has(model.id)) found.set(model.id, model);
      if (read.next === undefined || read.next === page) break;
      page = read.next;
    }
    return [...found.values()];
  }

  async embeddings(request: EmbeddingsRequest, options: CallOptions = {}): Promise<Embeddings> {
    const { dialect } = await this.#open();
    if (dialect.embeddings === undefined) throw this.#cannot(dialect, 'turn texts into vectors');
    return this.#exchange(request.model, dialect.embeddings(request), options);
  }

  async createImage(request: ImageRequest, options: CallOptions = {}): Promise<CreatedImages> {
    const { dialect } = await this.#open();
    if (dialect.createImage === undefined) throw this.#cannot(dialect, 'make pictures');
    return this.#exchange(request.model, dialect.createImage(request), options);
  }

  async textToSpeech(request: SpeechRequest, options: CallOptions = {}): Promise<Speech> {
    const { dialect } = await this.#open();
    if (dialect.textToSpeech === undefined) throw this.#cannot(dialect, 'speak');
    const { read, mimeType, ...outgoing } = dialect.textToSpeech(request);
    if (read !== undefined) return this.#exchange(request.model, { ...outgoing, read }, options);
    return this.#call(request.model, outgoing, options, async (response, guard) => ({
      mimeType: response.headers.get('content-type')?.split(';')[0] ?? mimeType,
      data: await readBytes(response, guard, MAX_WHOLE),
    }));
  }

  async transcribe(request: TranscriptionRequest, options: CallOptions = {}): Promise<Transcription> {
    const { dialect } = await this.#open();
    if (dialect.transcribe === undefined) throw this.#cannot(dialect, 'write down what is said');
    return this.#exchange(request.model, dialect.transcribe(request), options);
  }

  async generateObject(request: ObjectRequest, options: CallOptions = {}): Promise<GeneratedObject> {
    const { generateObject } = await import('../object/generate-object.ts');
    return generateObject(this, request, options);
  }

  #open(): Promise<{ dialect: Dialect; endpoint: Endpoint; headers: Record<string, string> }> {
    const { baseUrl, fetch, apiKey, headers } = this.#options;
    this.#opened ??= this.#load().then((dialect) => ({
      dialect,
      endpoint: new Endpoint(baseUrl, dialect, fetch),
      headers: { ...dialect.headers(apiKey === '' ? undefined : apiKey), ...headers },
    }));
    return this.#opened;
  }

  /** Sends a chat request, and again where the server refuses something that can be done without. */
  async #ask(
    asked: ChatRequest,
    guard: CallGuard,
    errors: ErrorContext,
    notices: StreamPart[],
  ): Promise<{ met: Met; sent: ChatRequest }> {
    const { dialect, endpoint, headers } = await this.#open();
    for (;;) {
      const request = this.#concessions.apply(asked);
      const outgoing = dialect.chat(request, this.#concessions.of(request.model));
      this.#concessions.tell(request.model, outgoing.leftOut, notices);
      const init = {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream, application/json',
          ...outgoing.headers,
          ...headers,
        },
        body: outgoing.body,
      };
      const met = await endpoint.send(outgoing.path, init, guard, errors);
      if (met.kind === 'refused' && this.#concessions.make(dialect, met, request, outgoing, this.#redact, notices))
        continue;
      return { met, sent: request };
    }
  }

  /** One request that is answered with JSON. */
  async #exchange<Result>(
    model: string,
    { read, ...outgoing }: Exchange<Result>,
    options: CallOptions,
    nothing: (errors: ErrorContext) => ErrorInfo = unreadable,
  ): Promise<Result> {
    return this.#call(model, outgoing, options, async (response, guard, errors) => {
      const parsed = parseJson(await readBounded(response, guard, MAX_WHOLE));
      const result = parsed.ok ? read(parsed.value as JsonValue) : null;
      if (result !== null) return result;
      throw new ToolyardError(nothing(errors));
    });
  }

  async #call<Result>(
    model: string,
    outgoing: Outgoing | (Omit<Outgoing, 'body'> & { body?: never }),
    options: CallOptions,
    read: (response: Response, guard: CallGuard, errors: ErrorContext) => Promise<Result>,
  ): Promise<Result> {
    throwIfAborted(options.signal);
    const { dialect, endpoint, headers } = await this.#open();
    const guard = this.#guard(options);
    const errors = this.#errorContext(model);
    const { path, body, headers: own } = outgoing;
    const hasBody = body !== undefined && body !== '';
    const init: RequestInit = {
      method: hasBody ? 'POST' : 'GET',
      headers: {
        ...(typeof body === 'string' && hasBody ? { 'content-type': 'application/json' } : {}),
        accept: 'application/json',
        ...own,
        ...headers,
      },
      ...(hasBody ? { body } : {}),
    };
    try {
      for (let attempt = 0; ; attempt += 1) {
        const met = await endpoint.send(path, init, guard, errors);
        if (met.kind === 'answered') return await read(met.response, guard, errors);
        const failure = this.#refusal(met, dialect, errors);
        const waitMs = met.kind === 'failed' && !mayPass(met.thrown) ? null : this.#retryWait(failure, attempt);
        if (waitMs === null) throw new ToolyardError(failure);
        await guard.pause(waitMs);
      }
    } catch (thrown) {
      throw thrown instanceof SilenceError ? new ToolyardError(this.#silence(errors)) : thrown;
    } finally {
      guard.dispose();
    }
  }

  #retryWait(error: ErrorInfo, attempt: number): number | null {
    const { maxRetries = 2, random = Math.random } = this.#options;
    return attempt < maxRetries ? retryWaitMs(error, attempt, random) : null;
  }

  #guard(options: CallOptions): CallGuard {
    const { clock, idleTimeoutMs = 120_000 } = this.#options;
    return new CallGuard({ clock, idleTimeoutMs, signal: options.signal });
  }

  #errorContext(model: string): ErrorContext {
    const { apiKey = '', headers = {} } = this.#options;
    const hasKey = apiKey !== '' || Object.keys(headers).length > 0;
    return { server: this.provider, model, hasKey, redact: this.#redact };
  }

  #refusal(met: Exclude<Met, { kind: 'answered' }>, dialect: Dialect, errors: ErrorContext): ErrorInfo {
    switch (met.kind) {
      case 'failed':
        return toNetworkError(met.thrown, met.url);
      case 'wrong_address':
        return {
          code: 'not_a_model_server',
          message: `No ${dialect.label} was found at ${met.tried.join(' nor at ')}${met.sawPage ? ': a web page answers there' : ''}.`,
          hint: `Check the address, and that this provider is of the right kind; an address looks like ${dialect.addresses.example}.`,
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

  #cannot(dialect: Dialect, what: string): ToolyardError {
    return new ToolyardError({
      code: 'bad_request',
      message: `${this.provider} cannot ${what}: the ${dialect.label} has no such thing.`,
      hint: 'Choose a provider that can.',
    });
  }
}

/** The error a first batch consists of; null where it holds anything of an answer. */
function failureOf(parts: readonly StreamPart[]): ErrorInfo | null {
  const last = parts.at(-1);
  if (last?.type !== 'error') return null;
  return parts.every((part) => part.type === 'error' || part.type === 'usage') ? last.error : null;
}

/** The read failed: cancelled, silent for too long, or cut off. Throws AbortError in the first case. */
function breakOff(
  answer: StreamedAnswer,
  guard: CallGuard,
  silence: ErrorInfo,
  errors: ErrorContext,
  out: StreamPart[],
): void {
  const { stopped } = guard;
  if (stopped !== null && isAbortError(stopped)) throw stopped;
  // The model had said its last word; only the ceremony behind it is missing.
  if (answer.stopped) answer.end(out);
  else answer.fail(stopped === null ? brokenStream(errors.server) : silence, out);
}

function unreadable(errors: ErrorContext): ErrorInfo {
  return {
    code: 'bad_response',
    message: `The answer of ${errors.server} could not be read: it does not hold what was asked for.`,
    hint: 'Check that the model can do this.',
    retryable: true,
  };
}

function emptyBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}
