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
import type { CallOptions, CreatedImages, ModelRuntime } from '../types.ts';
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
  const { provider, baseUrl = '', headers, fetch, clock = systemClock, idleTimeoutMs } = options;
  const base = baseUrl.replace(/\/+$/, '');
  /** The server's name in messages. */
  const server = URL.canParse(base) ? new URL(base).origin : 'this server';
  const getPath = (ability: string): string => `/api/providers/${encodeURIComponent(provider)}/${ability}`;

  async function ask<Result>(
    path: string,
    body: object | null,
    { signal }: CallOptions,
    read: (response: Response, guard: CallGuard) => Promise<Result>,
  ): Promise<Result> {
    throwIfAborted(signal);
    const url = `${base}${path}`;
    const guard = new CallGuard({ clock, idleTimeoutMs: WHOLE_TIMEOUT_MS, signal });
    try {
      const init: RequestInit =
        body === null
          ? { headers: { ...headers } }
          : { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
      const response = await guard.wait(fetch(url, { ...init, signal: guard.signal }));
      if (response.ok) return await read(response, guard);
      throw new ToolyardError(responseError(await readBounded(response, guard), response.status, server));
    } catch (thrown) {
      if (thrown instanceof IdleTimeoutError) throw new ToolyardError(tooSlow(server, WHOLE_TIMEOUT_MS));
      if (isAbortError(thrown) || ToolyardError.isInstance(thrown)) throw thrown;
      throw new ToolyardError(toNetworkError(thrown, url), { cause: thrown });
    } finally {
      guard.dispose();
    }
  }

  function askJson<Result>(path: string, body: object | null, call: CallOptions): Promise<Result> {
    return ask(path, body, call, async (response, guard) => {
      const text = await readBounded(response, guard, MAX_WHOLE);
      const parsed = parseJson(text);
      // Client and server share the types of the response.
      if (parsed.ok && isJsonObject(parsed.value)) return parsed.value as JsonValue as Result;
      throw new ToolyardError(responseError(text, null, server));
    });
  }

  function loadFile(sha256: string, call: CallOptions): Promise<Uint8Array> {
    return ask(`/api/files/${sha256}`, null, call, (response, guard) => readBytes(response, guard, MAX_WHOLE));
  }

  /** Loads files stored by the server, so that images contain their bytes as from any other runtime. */
  async function loadImage(image: ImagePart, call: CallOptions): Promise<ImagePart> {
    if (!('blob' in image.source)) return image;
    return { ...image, source: { data: base64Of(await loadFile(image.source.blob, call)) } };
  }

  return {
    provider,

    chat(request, call = {}) {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers, ...callHeaders(call) },
        body: JSON.stringify(request),
      };
      const url = `${base}/webapi/chat/${encodeURIComponent(provider)}`;
      return withCallbacks(readChat(url, init, { fetch, clock, signal: call.signal, idleTimeoutMs }), call.callback);
    },

    async models(call = {}) {
      const view = await askJson<ModelsView>('/api/models', null, call);
      const isOurs = ({ providerId }: { providerId: string }): boolean => providerId === provider;
      const failure = view.failures.find(isOurs);
      if (failure !== undefined) throw new ToolyardError(failure.error);
      return view.models.filter(isOurs).map(({ modelId, contextWindow, inputs }) => ({
        id: modelId,
        ...defined({ contextWindow, inputs }),
      }));
    },

    embeddings: (request, call = {}) => askJson(getPath('embeddings'), request, call),

    async createImage(request, call = {}) {
      const result = await askJson<CreatedImages>(getPath('images'), request, call);
      return { ...result, images: await Promise.all(result.images.map((image) => loadImage(image, call))) };
    },

    async textToSpeech(request, call = {}) {
      const { file, mimeType } = await askJson<{ file: string; mimeType: string }>(getPath('speech'), request, call);
      return { mimeType, data: await loadFile(file, call) };
    },

    transcribe({ audio, ...request }, call = {}) {
      const part = { type: 'audio', mimeType: audio.mimeType, source: { data: base64Of(audio.data) } };
      return askJson(getPath('transcriptions'), { ...request, audio: part }, call);
    },

    generateObject: (request, call = {}) => askJson(getPath('objects'), request, call),
  };
}

function tooSlow(server: string, ms: number): ErrorInfo {
  return {
    code: 'timed_out',
    message: `${server} did not respond within ${Math.round(ms / 1000)} s.`,
    hint: 'The model may be slow or busy. Try again, or send a smaller request.',
    retryable: true,
  };
}
