import type {
  JSONRPCMessage,
  MessageExtraInfo,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import { readableIdentity } from './readable-identity.ts';
import { withoutNull } from './received-messages.ts';
import type { HostTransport } from './transport.ts';
import type { WireLog } from '../log/wire-log.ts';

/**
 * `data` of the error of a request whose HTTP response was interrupted. Compared by identity, so a server cannot forge
 * it.
 */
export const STREAM_ENDED: object = Object.freeze({});

/**
 * The SDK uses a string id for its probe. Some bridges answer string ids with the id `null`, and the probe would time
 * out, so it gets this number instead. No connection numbers its own requests that high.
 */
const PROBE_NUMBER = 999_999_999;

/** A pending request; `hangUp` closes the stream for its response. */
type Pending = { method: string; hangUp: AbortController | undefined };

/** The response to the modern probe, if any. */
export type ProbeReply = 'modern' | 'other';

/** The stream for the response ended; the connection may still be open. */
export class ResponseInterrupted extends Error {
  constructor() {
    super('The stream ended before the response.');
  }
}

/** A raw response. */
export type RawReply =
  | { kind: 'result'; result: JsonValue }
  | { kind: 'error'; error: { code: number; message: string; data?: JsonValue } };

/** The SDK numbers its own requests from 0 and never reaches this id. */
const FIRST_OWN_ID = 1_000_000_000;

type OwnRequest = { answer: (reply: RawReply) => void; fail: (error: Error) => void };

/**
 * Wraps the real transport, to work around three properties of the SDK:
 *
 * - It validates results as a whole: one unreadable tool loses the list, and one new content type loses the result of a
 * call that was already executed. So lists and results bypass its validation under `raw` of a valid empty result, and
 * are read piece by piece.
 * - It leaves a request pending until its timeout when the stream for its response ends. Here it fails at once.
 * - It cannot send requests it does not know, such as those about tasks. They are sent past it.
 */
export class RawResultTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void) | undefined;

  /** Called for a response to a request that is no longer pending. */
  onlateanswer?: ((requestId: number) => void) | undefined;
  readonly inner: HostTransport;
  probeReply: ProbeReply | undefined;
  /** True once `initialize` was sent. */
  hasInitialized = false;
  readonly #wire: WireLog;
  readonly #onStarted: () => void;
  readonly #pending = new Map<number, Pending>();
  readonly #ownRequests = new Map<number, OwnRequest>();
  /** Unanswered requests of the server, and the id of our request on whose stream each arrived. */
  readonly #carried = new Map<RequestId, RequestId>();
  #lastRequestId: number | undefined;
  /** The protocol version of `initialize`. */
  #offered = '';
  #lastOwnId = FIRST_OWN_ID;
  #heldResponses = false;
  /** The SDK's id of its probe, which is a number on the wire. */
  #probeName: string | undefined;

  constructor(inner: HostTransport, wire: WireLog, onStarted: () => void) {
    this.inner = inner;
    this.#wire = wire;
    this.#onStarted = onStarted;
    // The SDK recognizes a child process by these two members, and treats silence as a legacy server only there.
    if ('stderr' in inner && 'pid' in inner) Object.assign(this, { stderr: null, pid: null });
  }

  get hasPerRequestStream(): boolean {
    return this.inner.hasPerRequestStream === true;
  }

  get relays(): boolean {
    return this.inner.relays === true;
  }

  get sessionId(): string | undefined {
    return this.inner.sessionId;
  }

  /** The JSON-RPC id of the request the SDK sent last; it sends synchronously. */
  get lastRequestId(): number | undefined {
    return this.#lastRequestId;
  }

  /** The id of our request on whose stream the server sent this one; undefined if the stream is shared. */
  findCarrier(serverRequest: RequestId): RequestId | undefined {
    return this.#carried.get(serverRequest);
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.inner.setSupportedProtocolVersions?.(versions);
  }

  async start(): Promise<void> {
    this.inner.onclose = () => {
      for (const [id, { fail }] of this.#ownRequests) {
        this.#ownRequests.delete(id);
        fail(new SdkError(SdkErrorCode.ConnectionClosed, 'The connection was closed.'));
      }
      this.onclose?.();
    };
    this.inner.onerror = (error) => this.onerror?.(error);
    this.inner.oncarried = (serverRequest, carriedBy) => {
      // Our own requests are about tasks, whose server requests name the task.
      if (Number(carriedBy) < FIRST_OWN_ID) this.#carried.set(serverRequest, carriedBy);
    };
    this.inner.onmessage = (message, extra) => this.#receive(message, extra);
    await this.inner.start();
    this.#onStarted();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  async send(request: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const message = this.#numbered(request);
    this.#wire.add('sent', message);
    if (!('method' in message)) {
      if (message.id !== undefined) this.#carried.delete(message.id);
      return this.inner.send(message, options);
    }
    if (!('id' in message)) {
      if (message.method === 'notifications/cancelled') this.#giveUp(Number(message.params?.['requestId']));
      return this.inner.send(message, options);
    }
    // Probes and subscriptions are handled elsewhere.
    if (typeof message.id !== 'number' || message.id === PROBE_NUMBER) return this.inner.send(message, options);

    const id = message.id;
    this.#lastRequestId = id;
    if (message.method === 'initialize') {
      this.hasInitialized = true;
      this.#offered = String(message.params?.['protocolVersion']);
    }
    // The SDK closes the stream of a cancelled modern request, and leaves that of a legacy one to the server.
    const hangUp = options?.requestSignal === undefined && this.hasPerRequestStream ? new AbortController() : undefined;
    this.#pending.set(id, { method: message.method, hangUp });
    options?.requestSignal?.addEventListener('abort', () => this.#pending.delete(id), { once: true });
    const requestSignal = options?.requestSignal ?? hangUp?.signal;
    try {
      await this.inner.send(message, {
        ...options,
        ...defined({ requestSignal }),
        onRequestStreamEnd: () => this.#streamEnded(id),
      });
    } catch (error) {
      this.#pending.delete(id);
      throw error;
    }
  }

  /**
   * Sends a request of our own, whose response bypasses the SDK.
   *
   * @throws what the transport throws; SdkError if the connection ends first
   */
  async ask(method: string, params: JsonObject, signal: AbortSignal): Promise<RawReply> {
    const id = ++this.#lastOwnId;
    const message: JSONRPCMessage = { jsonrpc: '2.0', id, method, params };
    const reply = new Promise<RawReply>((answer, fail) => this.#ownRequests.set(id, { answer, fail }));
    // If `send` rejects, the request has failed already.
    reply.catch(() => undefined);
    const stop = (): void => this.#fail(id, new Error('The request was aborted.'));
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (signal.aborted) stop();
      else {
        this.#wire.add('sent', message);
        const onRequestStreamEnd = (): void => this.#fail(id, new ResponseInterrupted());
        await this.inner.send(message, { requestSignal: signal, onRequestStreamEnd });
      }
      return await reply;
    } finally {
      this.#ownRequests.delete(id);
      signal.removeEventListener('abort', stop);
    }
  }

  #fail(id: number, error: Error): void {
    this.#ownRequests.get(id)?.fail(error);
    this.#ownRequests.delete(id);
  }

  #giveUp(id: number): void {
    this.#pending.get(id)?.hangUp?.abort();
    this.#pending.delete(id);
  }

  #numbered(message: JSONRPCMessage): JSONRPCMessage {
    if (!('method' in message) || message.method !== 'server/discover' || !('id' in message)) return message;
    if (typeof message.id !== 'string') return message;
    this.#probeName = message.id;
    return { ...message, id: PROBE_NUMBER };
  }

  #receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    this.#wire.add('received', message);
    if ('method' in message) {
      this.#hold();
      this.onmessage?.(message, extra);
      return;
    }
    if (Number(message.id) > FIRST_OWN_ID) {
      this.#ownRequests
        .get(Number(message.id))
        ?.answer('error' in message ? errorReply(message.error) : resultReply(message));
      return;
    }
    // This id is not used on the wire, so the response is forged.
    if (this.#probeName !== undefined && message.id === this.#probeName) return;
    const reply = this.#reply(message);
    if (this.#heldResponses) queueMicrotask(() => this.onmessage?.(reply, extra));
    else this.onmessage?.(reply, extra);
  }

  /**
   * The SDK processes notifications a microtask later but responses at once, so the last progress that arrives together
   * with the response of its call would be lost.
   */
  #hold(): void {
    if (this.#heldResponses) return;
    this.#heldResponses = true;
    queueMicrotask(() => {
      this.#heldResponses = false;
    });
  }

  #reply(message: Exclude<JSONRPCMessage, { method: string }>): JSONRPCMessage {
    if (Number(message.id) === PROBE_NUMBER && this.#probeName !== undefined) {
      const isModern = 'result' in message && Array.isArray(message.result['supportedVersions']);
      this.probeReply = isModern ? 'modern' : 'other';
      return { ...(isModern ? withIdentity(message) : message), id: this.#probeName };
    }
    const id = Number(message.id);
    const method = this.#pending.get(id)?.method;
    if (!this.#pending.delete(id)) this.onlateanswer?.(id);
    if (method === undefined || !('result' in message)) return message;
    // The SDK handles input requests; a task is returned like other results.
    if (method === 'initialize') return withIdentity(message, this.#offered);
    const type: unknown = (message.result as { resultType?: unknown } | null)?.resultType ?? undefined;
    if (type !== undefined && type !== 'complete' && !(type === 'task' && method === 'tools/call')) return message;
    const empty = EMPTY_RESULTS[method];
    if (empty === undefined) return { ...message, result: withoutNull(message.result as JsonObject) };
    return shell(message.id, { ...empty, ...readableContents(method, message.result), raw: message.result });
  }

  #streamEnded(id: number): void {
    if (!this.#pending.delete(id)) return;
    const error = { code: -32_000, message: 'The stream ended before the response.', data: STREAM_ENDED };
    this.onmessage?.({ jsonrpc: '2.0', id, error });
  }
}

function withIdentity<Response extends { result?: unknown }>(message: Response, offered?: string): Response {
  return { ...message, result: readableIdentity(message.result as JsonValue, offered) };
}

/** The SDK reads skills itself, so it also gets the readable contents of a resource. */
function readableContents(method: string, { contents }: { [key: string]: unknown }): { contents?: unknown } {
  if (method !== 'resources/read' || !Array.isArray(contents)) return {};
  const isReadable = (one: unknown): boolean =>
    isJsonObject(one) &&
    typeof one['uri'] === 'string' &&
    (one['mimeType'] === undefined || typeof one['mimeType'] === 'string') &&
    (typeof one['text'] === 'string' || (typeof one['blob'] === 'string' && BASE64.test(one['blob'])));
  return contents.every(isReadable) ? { contents } : {};
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function resultReply({ result }: { result: unknown }): RawReply {
  return { kind: 'result', result: result as JsonValue };
}

function errorReply({ code, message, data }: { code: number; message: string; data?: unknown }): RawReply {
  return { kind: 'error', error: { code, message, ...(data === undefined ? {} : { data: data as JsonValue }) } };
}

const UNCACHED = { ttlMs: 0, cacheScope: 'private' };

/** Valid empty results for the methods whose results are read here. */
const EMPTY_RESULTS: Readonly<Record<string, { [key: string]: unknown }>> = {
  'tools/call': { content: [] },
  'tools/list': { tools: [], ...UNCACHED },
  'resources/list': { resources: [], ...UNCACHED },
  'resources/templates/list': { resourceTemplates: [], ...UNCACHED },
  'resources/read': { contents: [], ...UNCACHED },
  'prompts/list': { prompts: [], ...UNCACHED },
  'prompts/get': { messages: [] },
  'completion/complete': { completion: { values: [] } },
};

function shell(id: string | number, result: { [key: string]: unknown }): JSONRPCMessage {
  return { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } };
}

/** Accepts any value, because results are validated here. */
export const anyResult = {
  '~standard': {
    version: 1 as const,
    vendor: 'toolyard',
    validate: (value: unknown): { value: unknown } => ({ value }),
  },
};

/** The result as the server sent it, from one that passed a {@link RawResultTransport}. */
export function getRaw(result: unknown): unknown {
  return typeof result === 'object' && result !== null && 'raw' in result ? result.raw : result;
}
