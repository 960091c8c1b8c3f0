import { createNotice } from '../create-notice.ts';
import type { ErrorInfo } from '@toolyard/protocol';
import { isAbortError, toErrorInfo, ToolyardError, say } from '@toolyard/protocol';
import { throwIfAborted } from '../abort.ts';
import { withCallbacks } from '../chat-callbacks.ts';
import type {
  CallOptions,
  ChatOptions,
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
import { IdleTimeoutError, type BodyReader, type CallGuard } from './call-guard.ts';
import { CapabilityFallbacks, hasNativeTools } from './capability-fallbacks.ts';
import { Connection, MAX_WHOLE, requestInit, type WireOptions } from './connection.ts';
import type { AnswerReader, ApiDialect } from './dialect.ts';
import { readBytes, type EndpointOutcome } from './endpoint.ts';
import { AnswerBody, releaseBody } from './event-stream.ts';
import { validHistory } from './history.ts';
import { statusIn, withAddress, type ErrorContext, type ProviderFault } from './provider-error.ts';
import { RejectedMedia } from './rejected-media.ts';
import { RequestForms, type Refusal, type RequestForm } from './request-forms.ts';
import { waitNotice } from './retry.ts';
import type { RenamedTools } from './tool-function.ts';
import { generateObjectByChat } from '../with-chat.ts';

/**
 * Maximum wait after the end of an answer, in milliseconds: for usage, which may be all that is missing; and for an end of
 * the stream after it.
 */
const FOR_USAGE_MS = 20_000;
const AFTER_USAGE_MS = 5000;

/** Maximum number of pages of a model list. */
const MAX_PAGES = 50;

/**
 * The models of one server over one wire. Everything specific to the wire is in its {@link ApiDialect}, loaded on
 * demand.
 */
export class WireRuntime implements ModelRuntime {
  readonly provider: string;
  readonly label: string;
  readonly #connection: Connection;
  readonly #fallbacks: CapabilityFallbacks;
  readonly #rejectedMedia: RejectedMedia;
  /** Models whose server is known to pass tools to them. */
  readonly #toolsShown = new Set<string>();

  /** Throws ToolyardError `bad_config` unless the base URL is an http(s) URL. */
  constructor(options: WireOptions, load: () => Promise<ApiDialect>) {
    this.#connection = new Connection(options, load);
    this.provider = this.#connection.address;
    this.label = this.#connection.server;
    this.#fallbacks = new CapabilityFallbacks(this.label, options.clock);
    this.#rejectedMedia = new RejectedMedia(this.label);
  }

  chat(request: ChatRequest, options: ChatOptions = {}): AsyncIterable<readonly StreamPart[]> {
    return withCallbacks(this.#stream(request, options), options.callback);
  }

  async *#stream(given: ChatRequest, options: CallOptions): AsyncGenerator<readonly StreamPart[], void, undefined> {
    throwIfAborted(options.signal);
    const request = { ...given, messages: validHistory(given.messages, given.continues === true) };
    const connection = this.#connection;
    const guard = connection.guard(options);
    const errors = connection.errorContext(request.model, options.headers);
    let reader: BodyReader | null = null;
    let complete = false;
    try {
      const { dialect } = await connection.open();
      const forms = new RequestForms(this.#fallbacks, dialect, this.#rejectedMedia.apply(request), errors);
      let loadingSince: number | null = null;
      for (let attempt = 0; ;) {
        const notices: StreamPart[] = [];
        const startedAt = connection.clock.monotonic();
        const { outcome, form } = await this.#ask(forms, guard, options, errors, notices);
        if (notices.length > 0) yield notices;

        let failure: ErrorInfo | null = null;
        if (outcome.kind !== 'answered') failure = connection.refusal(outcome, dialect, errors);
        else {
          const answer = dialect.answer(form.request, errors);
          const body: AnswerReader = dialect.body?.(answer, errors) ?? new AnswerBody(answer, errors);
          reader = (outcome.response.body ?? emptyBody()).getReader();
          let firstMs = -1;
          while (!answer.ended) {
            const out: StreamPart[] = [];
            let read: Awaited<ReturnType<BodyReader['read']>> | null = null;
            try {
              guard.beginRead(reader);
              read = await reader.read();
              guard.endRead();
            } catch {
              read = null;
            }
            if (read === null) breakOff(answer, guard, connection.idleError(), errors, out);
            else if (read.done) body.end(out);
            else body.push(read.value, out);
            guard.waitAtMost(answer.isLikelyOver ? (answer.hasUsage ? AFTER_USAGE_MS : FOR_USAGE_MS) : null);
            if (out.length === 0) continue;
            // An error before any other part is equivalent to a rejected request.
            if (firstMs < 0) {
              failure = guard.stopped === null ? loneFailure(out) : null;
              if (failure !== null) break;
              const learned = forms.accepted();
              if (learned.length > 0) yield learned;
              firstMs = connection.clock.monotonic() - startedAt;
            }
            if (answer.ended) addTiming(out, firstMs, connection.clock.monotonic() - startedAt);
            if (form.renamed !== null) restoreNames(out, form.renamed);
            yield out;
          }
          complete = answer.isStreamDone;
          if (failure === null) return;
          releaseBody(reader, complete, connection.clock);
          reader = null;
          if (answer.rejection !== null) {
            const refusal = streamedRefusal(answer.rejection, failure);
            const named: StreamPart[] = [];
            const isRepeated = this.#simplify(forms, form, refusal, errors, named);
            if (named.length > 0) yield named;
            if (isRepeated) continue;
            const counted = forms.counted(refusal);
            if (counted !== refusal) failure = connection.refusal(counted, dialect, errors);
          }
        }

        const loadingMs = loadingSince === null ? 0 : startedAt - loadingSince;
        const pollMs = connection.waitWhileLoading(outcome, loadingMs);
        if (pollMs !== null) {
          if (loadingSince === null) {
            loadingSince = startedAt;
            const text = say`${this.label} is loading its model. The request waits for it.`;
            yield [createNotice('model_loading', text)];
          }
          await guard.pause(pollMs);
          continue;
        }
        const waitMs = connection.waitBefore(outcome, failure, attempt);
        if (waitMs === null) {
          yield [{ type: 'error', error: failure }];
          return;
        }
        yield [createNotice('retrying', waitNotice(waitMs, failure))];
        await guard.pause(waitMs);
        attempt += 1;
      }
    } catch (thrown) {
      if (isAbortError(thrown)) throw thrown;
      yield [
        { type: 'error', error: thrown instanceof IdleTimeoutError ? connection.idleError() : toErrorInfo(thrown) },
      ];
    } finally {
      guard.dispose();
      if (reader !== null) releaseBody(reader, complete, connection.clock);
    }
  }

  async models(options: CallOptions = {}): Promise<ModelInfo[]> {
    const { listing } = this.#connection;
    if (listing !== undefined && 'named' in listing) return listing.named.map((id) => ({ id }));
    const { dialect } = await this.#connection.open();
    const found = new Map<string, ModelInfo>();
    let page: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const exchange = { ...dialect.models(page), ...listing };
      const read = await this.#connection.exchange('', exchange, options, (errors) => {
        const message = say`${errors.server} is not a model server: it returned ${'no model list'}.`;
        return withAddress(
          { code: 'not_a_model_server', message, hint: say`Check the base URL of the provider.` },
          errors,
        );
      });
      for (const model of read.models) if (!found.has(model.id)) found.set(model.id, model);
      if (read.next === undefined || read.next === page) break;
      page = read.next;
    }
    return this.#connection.withFacts([...found.values()], options);
  }

  async embeddings(request: EmbeddingsRequest, options: CallOptions = {}): Promise<Embeddings> {
    const { dialect } = await this.#connection.open();
    if (dialect.embeddings === undefined) throw this.#createUnsupportedError(dialect, 'create embeddings');
    return this.#connection.exchange(request.model, dialect.embeddings(request), options);
  }

  async createImage(request: ImageRequest, options: CallOptions = {}): Promise<CreatedImages> {
    const { dialect } = await this.#connection.open();
    if (dialect.createImage === undefined) throw this.#createUnsupportedError(dialect, 'create images');
    return this.#connection.exchange(request.model, dialect.createImage(request), options);
  }

  async textToSpeech(request: SpeechRequest, options: CallOptions = {}): Promise<Speech> {
    const { dialect } = await this.#connection.open();
    if (dialect.textToSpeech === undefined) throw this.#createUnsupportedError(dialect, 'speak');
    const { read, mimeType, ...outgoing } = dialect.textToSpeech(request);
    if (read !== undefined) return this.#connection.exchange(request.model, { ...outgoing, read }, options);
    return this.#connection.call(request.model, outgoing, options, async (response, guard) => {
      const contentType = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
      // A text body with a success status is an error of a careless server.
      if (contentType !== undefined && /^text\/|json|xml/.test(contentType)) {
        response.body?.cancel().catch(() => undefined);
        throw new ToolyardError({
          code: 'bad_response',
          message: say`${this.label} returned ${contentType} instead of audio.`,
          hint: say`Check that the model supports speech.`,
        });
      }
      const isAudio = contentType !== undefined && /^(audio|video)\//.test(contentType);
      return { mimeType: isAudio ? contentType : mimeType, data: await readBytes(response, guard, MAX_WHOLE) };
    });
  }

  async transcribe(request: TranscriptionRequest, options: CallOptions = {}): Promise<Transcription> {
    const { dialect } = await this.#connection.open();
    if (dialect.transcribe === undefined) throw this.#createUnsupportedError(dialect, 'transcribe audio');
    return this.#connection.exchange(request.model, dialect.transcribe(request), options);
  }

  generateObject(request: ObjectRequest, options: CallOptions = {}): Promise<GeneratedObject> {
    return generateObjectByChat(this, request, options);
  }

  /** Sends a chat request, in simpler forms if the server rejects it. */
  async #ask(
    forms: RequestForms,
    guard: CallGuard,
    options: CallOptions,
    errors: ErrorContext,
    notices: StreamPart[],
  ): Promise<{ outcome: EndpointOutcome; form: RequestForm }> {
    const { endpoint, headers } = await this.#connection.open();
    for (;;) {
      const form = forms.current();
      const { request, outgoing } = form;
      if (hasNativeTools(request) && this.#connection.knowsTools(request.model) === false) {
        notices.push(this.#fallbacks.describeTools(request.model));
        continue;
      }
      forms.report(form, notices);
      const accept = 'text/event-stream, application/json';
      const init = requestInit(outgoing, accept, { ...headers, ...this.#connection.getHeaders(options) });
      const outcome = await endpoint.send(outgoing.path, init, guard, errors, (status, error) =>
        forms.isOfForm(form, status, error),
      );
      if (outcome.kind === 'answered' && !(await this.#showsTools(outcome.response, request, options))) {
        outcome.response.body?.cancel().catch(() => undefined);
        notices.push(this.#fallbacks.describeTools(request.model));
        continue;
      }
      if (outcome.kind !== 'refused') return { outcome, form };
      if (!this.#simplify(forms, form, outcome, errors, notices)) return { outcome: forms.counted(outcome), form };
    }
  }

  /** Chooses the form for another attempt: without media that was rejected, or a simpler one. False: no other form is left. */
  #simplify(
    forms: RequestForms,
    form: RequestForm,
    refusal: Refusal,
    errors: ErrorContext,
    notices: StreamPart[],
  ): boolean {
    const { status, error } = refusal;
    if (!this.#rejectedMedia.learn(form.request, status, error, errors, notices)) {
      return forms.simplify(form, refusal, notices);
    }
    forms.change((request) => this.#rejectedMedia.apply(request));
    return true;
  }

  /** Cached per model, because it costs a request. */
  async #showsTools(response: Response, sent: ChatRequest, options: CallOptions): Promise<boolean> {
    if (!hasNativeTools(sent) || this.#toolsShown.has(sent.model)) return true;
    const shown = this.#connection.knowsTools(sent.model) ?? (await this.#connection.showsTools(response, options));
    if (shown) this.#toolsShown.add(sent.model);
    return shown;
  }

  #createUnsupportedError(dialect: ApiDialect, operation: string): ToolyardError {
    return new ToolyardError({
      code: 'bad_request',
      message: say`${this.label} cannot ${operation}: the ${dialect.label} does not support it.`,
      hint: say`Choose a provider that supports it.`,
    });
  }
}

function addTiming(parts: StreamPart[], firstMs: number, totalMs: number): void {
  if (parts.at(-1)?.type !== 'finish') return;
  parts.splice(-1, 0, { type: 'timing', firstMs: Math.round(firstMs), totalMs: Math.round(totalMs) });
}

/** Gives the arguments of calls the property names of their tools. */
function restoreNames(parts: StreamPart[], renamed: RenamedTools): void {
  parts.forEach((part, at) => {
    if (part.type !== 'tool_call' || part.arguments === null) return;
    const args = renamed.toOwn(part.name, part.arguments);
    if (args !== part.arguments) parts[at] = { ...part, arguments: args, argumentsText: JSON.stringify(args) };
  });
}

/** An error before any output as a rejected request: it has the status that it names. */
function streamedRefusal(error: ProviderFault, { code }: ErrorInfo): Refusal {
  const status = statusIn(error) ?? (code === 'bad_request' ? 400 : 0);
  return { kind: 'refused', status, headers: new Headers(), error, streamed: true };
}

/**
 * The error if the first batch contains nothing else; null if it contains a part of an answer, or the server ended an
 * empty one.
 */
function loneFailure(parts: readonly StreamPart[]): ErrorInfo | null {
  const last = parts.at(-1);
  if (last?.type !== 'error' || last.error.code === 'no_response') return null;
  return parts.every((part) => part.type === 'error' || part.type === 'usage') ? last.error : null;
}

/** Handles a failed read: cancelled, timed out, or connection lost. Throws AbortError in the first case. */
function breakOff(
  answer: StreamedAnswer,
  guard: CallGuard,
  idleError: ErrorInfo,
  errors: ErrorContext,
  out: StreamPart[],
): void {
  const { stopped } = guard;
  if (stopped !== null && isAbortError(stopped)) throw stopped;
  // The stop reason has arrived; only the end of the stream is missing.
  if (answer.stopped) answer.end(out);
  else answer.fail(stopped === null ? brokenStream(errors.server) : idleError, out);
}

function emptyBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}
