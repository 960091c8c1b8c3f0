import {
  base64Of,
  isAbortError,
  isJsonObject,
  parseJson,
  systemClock,
  ToolyardError,
  type Clock,
  defined,
  type ErrorInfo,
  type Fetch,
  type ImagePart,
  type JsonValue,
  type ModelsView,
} from '@toolyard/protocol';
import { throwIfAborted } from '../abort.ts';
import { callHeaders } from '../call-headers.ts';
import { withCallbacks } from '../chat-callbacks.ts';
import { responseError } from '../fetch-sse/answer-reader.ts';
import { readChat } from '../fetch-sse/read-chat.ts';
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
import { CallGuard, IdleTimeoutError } from '../wire/call-guard.ts';
import { readBounded, readBytes } from '../wire/endpoint.ts';
import { toNetworkError } from '../wire/network-error.ts';

/** Maximum size of a non-streamed response, in characters or bytes. */
const MAX_WHOLE = 128_000_000;
/** Timeout of requests that are not streamed until the response starts, in milliseconds: images are slow. */
const WHOLE_TIMEOUT_MS = 600_000;

/** Options of {@link createWebApiRuntime}. */
export type WebApiRuntimeOptions = {
  /** Id of the provider on the server. */
  provider: string;
  /** Base URL of the server, such as `http://127.0.0.1:8710`; default: the origin of the page. */
  baseUrl?: string;
  /** Sent with every request, such as the access token. */
  headers?: Readonly<Record<string, string>>;
  fetch: Fetch;
  clock?: Clock;
  /** Timeout of a streamed answer in milliseconds without data, default 60,000. */
  idleTimeoutMs?: number;
};

/**
 * The models of a provider of a Toolyard server, over its HTTP API, so that API keys stay on the server. For agents in
 * a browser tab, and for other clients without a key.
 *
 * @example
 * const runtime = createWebApiRuntime({ provider: 'openai', fetch: (url, init) => fetch(url, init) });
 * for await (const parts of runtime.chat(request)) show(parts);
 */
export function createWebApiRuntime(options: WebApiRuntimeOptions): ModelRuntime {
  return new WebApiRuntime(options);
}

class WebApiRuntime implements ModelRuntime {
  readonly provider: string;
  readonly #options: WebApiRuntimeOptions;
  readonly #base: string;
  /** The server's name in messages. */
  readonly #server: string;
  readonly #clock: Clock;

  constructor(options: WebApiRuntimeOptions) {
    this.#options = options;
    this.provider = options.provider;
    this.#base = (options.baseUrl ?? '').replace(/\/+$/, '');
    this.#server = URL.canParse(this.#base) ? new URL(this.#base).origin : 'this server';
    this.#clock = options.clock ?? systemClock;
  }

  chat(request: ChatRequest, options: ChatOptions = {}): AsyncIterable<readonly StreamPart[]> {
    const { fetch, headers, idleTimeoutMs } = this.#options;
    const url = `${this.#base}/webapi/chat/${encodeURIComponent(this.provider)}`;
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers, ...callHeaders(options) },
      body: JSON.stringify(request),
    };
    const answer = readChat(url, init, { fetch, clock: this.#clock, signal: options.signal, idleTimeoutMs });
    return options.callback === undefined ? answer : withCallbacks(answer, options.callback);
  }

  async models(options: CallOptions = {}): Promise<ModelInfo[]> {
    const view = await this.#json<ModelsView>('/api/models', null, options);
    const isOurs = ({ providerId }: { providerId: string }): boolean => providerId === this.provider;
    const failure = view.failures.find(isOurs);
    if (failure !== undefined) throw new ToolyardError(failure.error);
    return view.models.filter(isOurs).map(({ modelId, contextWindow, inputs }) => ({
      id: modelId,
      ...defined({ contextWindow, inputs }),
    }));
  }

  embeddings(request: EmbeddingsRequest, options: CallOptions = {}): Promise<Embeddings> {
    return this.#json(this.#path('embeddings'), request, options);
  }

  async createImage(request: ImageRequest, options: CallOptions = {}): Promise<CreatedImages> {
    const result = await this.#json<CreatedImages>(this.#path('images'), request, options);
    return { ...result, images: await Promise.all(result.images.map((image) => this.#loadImage(image, options))) };
  }

  async textToSpeech(request: SpeechRequest, options: CallOptions = {}): Promise<Speech> {
    const { file, mimeType } = await this.#json<{ file: string; mimeType: string }>(
      this.#path('speech'),
      request,
      options,
    );
    return { mimeType, data: await this.#file(file, options) };
  }

  transcribe({ audio, ...request }: TranscriptionRequest, options: CallOptions = {}): Promise<Transcription> {
    const part = { type: 'audio', mimeType: audio.mimeType, source: { data: base64Of(audio.data) } };
    return this.#json(this.#path('transcriptions'), { ...request, audio: part }, options);
  }

  generateObject(request: ObjectRequest, options: CallOptions = {}): Promise<GeneratedObject> {
    return this.#json(this.#path('objects'), request, options);
  }

  #path(ability: string): string {
    return `/api/providers/${encodeURIComponent(this.provider)}/${ability}`;
  }

  /** Loads files stored by the server, so that images contain their bytes as from any other runtime. */
  async #loadImage(image: ImagePart, options: CallOptions): Promise<ImagePart> {
    if (!('blob' in image.source)) return image;
    return { ...image, source: { data: base64Of(await this.#file(image.source.blob, options)) } };
  }

  #file(sha256: string, options: CallOptions): Promise<Uint8Array> {
    return this.#ask(`/api/files/${sha256}`, null, options, (response, guard) => readBytes(response, guard, MAX_WHOLE));
  }

  #json<Result>(path: string, body: object | null, options: CallOptions): Promise<Result> {
    return this.#ask(path, body, options, async (response, guard) => {
      const text = await readBounded(response, guard, MAX_WHOLE);
      const parsed = parseJson(text);
      // Client and server share the types of the response.
      if (parsed.ok && isJsonObject(parsed.value)) return parsed.value as JsonValue as Result;
      throw new ToolyardError(responseError(text, null, this.#server));
    });
  }

  async #ask<Result>(
    path: string,
    body: object | null,
    { signal }: CallOptions,
    read: (response: Response, guard: CallGuard) => Promise<Result>,
  ): Promise<Result> {
    throwIfAborted(signal);
    const { fetch, headers } = this.#options;
    const url = `${this.#base}${path}`;
    const guard = new CallGuard({ clock: this.#clock, idleTimeoutMs: WHOLE_TIMEOUT_MS, signal });
    try {
      const init: RequestInit =
        body === null
          ? { headers: { ...headers } }
          : { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
      const response = await guard.wait(fetch(url, { ...init, signal: guard.signal }));
      if (response.ok) return await read(response, guard);
      throw new ToolyardError(responseError(await readBounded(response, guard), response.status, this.#server));
    } catch (thrown) {
      if (thrown instanceof IdleTimeoutError) throw new ToolyardError(tooSlow(this.#server, WHOLE_TIMEOUT_MS));
      if (isAbortError(thrown) || ToolyardError.isInstance(thrown)) throw thrown;
      throw new ToolyardError(toNetworkError(thrown, url), { cause: thrown });
    } finally {
      guard.dispose();
    }
  }
}

function tooSlow(server: string, ms: number): ErrorInfo {
  return {
    code: 'timed_out',
    message: `${server} did not respond within ${Math.round(ms / 1000)} s.`,
    hint: 'The model may be slow or busy. Try again, or send a smaller request.',
    retryable: true,
  };
}
