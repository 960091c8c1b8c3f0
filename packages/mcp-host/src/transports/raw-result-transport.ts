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
import type { HostTransport } from './transport.ts';
import type { WireLog } from '../log/wire-log.ts';

/** `data` of the error a request gets whose HTTP answer broke off. Compared by identity: no server can send it. */
export const STREAM_ENDED: object = Object.freeze({});

/**
 * The SDK names its probe with a text. Bridges are about that answer any text with the id `null`, and the probe would
 * wait for its time-out. No connection numbers its own requests that high.
 */
const PROBE_NUMBER = 999_999_999;

/** A request that is not answered yet; `hangUp` ends the stream that is to carry the answer. */
type Awaited = { method: string; hangUp: AbortController | undefined };

/** What the probe for the modern protocol was answered, if it was. */
export type ProbeReply = 'modern' | 'other';

/** The stream that should have carried the answer ended; the connection may stand. */
export class ResponseInterrupted extends Error {
  constructor() {
    super('The stream ended before the answer came.');
  }
}

/** An answer as it came. */
export type RawReply =
  | { kind: 'result'; result: JsonValue }
  | { kind: 'error'; error: { code: number; message: string; data?: JsonValue } };

/** The SDK counts its own requests from 0 and never comes so far. */
const FIRST_OWN_ID = 1_000_000_000;

type OwnRequest = { answer: (reply: RawReply) => void; fail: (error: Error) => void };

/**
 * Stands between the SDK and the real transport, for the sake of what would be lost otherwise:
 *
 * - The SDK checks results as a whole: one tool it cannot read loses the list, one new content kind loses the result
 *   of a call that has already taken effect. So lists and results travel past its checks, untouched, under `raw` of
 *   an empty result that is beyond reproach, and are read by us, piece by piece.
 * - The SDK leaves a request waiting for its time-out when the stream that should carry the answer ends. Here such a
 *   request fails at once.
 * - The SDK makes no requests it does not know, such as those about tasks: they are made past it.
 */
export class RawResultTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void) | undefined;

  /** Called for an answer that nobody waits for any more. */
  onlateanswer?: ((requestId: number) => void) | undefined;
  readonly inner: HostTransport;
  probeReply: ProbeReply | undefined;
  readonly #wire: WireLog;
  readonly #onStarted: () => void;
  readonly #awaited = new Map<number, Awaited>();
  readonly #own = new Map<number, OwnRequest>();
  /** Requests of the server that are not answered yet, and the request of ours on whose stream each came. */
  readonly #carried = new Map<RequestId, RequestId>();
  #lastRequestId: number | undefined;
  #lastOwnId = FIRST_OWN_ID;
  #holding = false;
  /** What the SDK calls its probe; on the wire it has a number. */
  #probeName: string | undefined;

  constructor(inner: HostTransport, wire: WireLog, onStarted: () => void) {
    this.inner = inner;
    this.#wire = wire;
    this.#onStarted = onStarted;
    // The SDK knows a child process by these two members, and only there takes silence for an old server.
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

  /** What the SDK called the request it sent last: it sends at once when it is told to. */
  get lastRequestId(): number | undefined {
    return this.#lastRequestId;
  }

  /** The request of ours on whose stream the server sent this one; undefined where its stream is for everything. */
  carrierOf(serverRequest: RequestId): RequestId | undefined {
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
      for (const [id, { fail }] of this.#own) {
        this.#own.delete(id);
        fail(new SdkError(SdkErrorCode.ConnectionClosed, 'The connection was closed.'));
      }
      this.onclose?.();
    };
    this.inner.onerror = (error) => this.onerror?.(error);
    this.inner.oncarried = (serverRequest, carriedBy) => {
      // Those of our own are about tasks, whose requests say themselves which task they are for.
      if (Number(carriedBy) < FIRST_OWN_ID) this.#carried.set(serverRequest, carriedBy);
    };
    this.inner.onmessage = (message, extra) => this.#receive(message, extra);
    await this.inner.start();
    this.#onStarted();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  async send(asked: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const message = this.#numbered(asked);
    this.#wire.add('sent', message);
    if (!('method' in message)) {
      if (message.id !== undefined) this.#carried.delete(message.id);
      return this.inner.send(message, options);
    }
    if (!('id' in message)) {
      if (message.method === 'notifications/cancelled') this.#giveUp(Number(message.params?.['requestId']));
      return this.inner.send(message, options);
    }
    // Probes look after themselves, and so do subscriptions, whose every message is known by their name.
    if (typeof message.id !== 'number' || message.id === PROBE_NUMBER) return this.inner.send(message, options);

    const id = message.id;
    this.#lastRequestId = id;
    // The SDK closes the stream of a modern request it has given up, and leaves that of a legacy one to the server.
    const hangUp = options?.requestSignal === undefined && this.hasPerRequestStream ? new AbortController() : undefined;
    this.#awaited.set(id, { method: message.method, hangUp });
    options?.requestSignal?.addEventListener('abort', () => this.#awaited.delete(id), { once: true });
    const requestSignal = options?.requestSignal ?? hangUp?.signal;
    try {
      await this.inner.send(message, {
        ...options,
        ...defined({ requestSignal }),
        onRequestStreamEnd: () => this.#streamEnded(id),
      });
    } catch (error) {
      this.#awaited.delete(id);
      throw error;
    }
  }

  /**
   * Makes a request of our own. Its answer is not looked at by the SDK.
   *
   * @throws what the transport throws; SdkError if the connection ends first
   */
  async ask(method: string, params: JsonObject, signal: AbortSignal): Promise<RawReply> {
    const id = ++this.#lastOwnId;
    const message: JSONRPCMessage = { jsonrpc: '2.0', id, method, params };
    const reply = new Promise<RawReply>((answer, fail) => this.#own.set(id, { answer, fail }));
    // Whoever is told by `send` is told once.
    reply.catch(() => undefined);
    const stop = (): void => this.#fail(id, new Error('Nobody waits for this any more.'));
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
      this.#own.delete(id);
      signal.removeEventListener('abort', stop);
    }
  }

  #fail(id: number, error: Error): void {
    this.#own.get(id)?.fail(error);
    this.#own.delete(id);
  }

  #giveUp(id: number): void {
    this.#awaited.get(id)?.hangUp?.abort();
    this.#awaited.delete(id);
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
      this.#own.get(Number(message.id))?.answer('error' in message ? errorReply(message.error) : resultReply(message));
      return;
    }
    // Nothing is asked under this name on the wire: whoever answers to it has guessed.
    if (this.#probeName !== undefined && message.id === this.#probeName) return;
    const reply = this.#reply(message);
    if (this.#holding) queueMicrotask(() => this.onmessage?.(reply, extra));
    else this.onmessage?.(reply, extra);
  }

  /**
   * The SDK looks at notifications a microtask later but at answers at once: the last progress of a call that arrives
   * together with its answer would be lost.
   */
  #hold(): void {
    if (this.#holding) return;
    this.#holding = true;
    queueMicrotask(() => {
      this.#holding = false;
    });
  }

  #reply(message: Exclude<JSONRPCMessage, { method: string }>): JSONRPCMessage {
    if (Number(message.id) === PROBE_NUMBER && this.#probeName !== undefined) {
      this.probeReply = 'result' in message && Array.isArray(message.result['supportedVersions']) ? 'modern' : 'other';
      return { ...message, id: this.#probeName };
    }
    const id = Number(message.id);
    const method = this.#awaited.get(id)?.method;
    if (!this.#awaited.delete(id)) this.onlateanswer?.(id);
    if (method === undefined || !('result' in message)) return message;
    // What asks for input is put into words by the SDK; a task is an answer like others here.
    const type: unknown = (message.result as { resultType?: unknown } | null)?.resultType;
    if (type !== undefined && type !== 'complete' && !(type === 'task' && method === 'tools/call')) return message;
    const empty = EMPTY_RESULTS[method];
    if (empty === undefined) return message;
    return shell(message.id, { ...empty, ...readableContents(method, message.result), raw: message.result });
  }

  #streamEnded(id: number): void {
    if (!this.#awaited.delete(id)) return;
    const error = { code: -32_000, message: 'The stream ended before the answer came.', data: STREAM_ENDED };
    this.onmessage?.({ jsonrpc: '2.0', id, error });
  }
}

/** The SDK reads skills by itself: what it can read of a resource, it gets too. */
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

/** Results the SDK finds nothing wrong with, for the methods whose results are read by us. */
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

/** Accepts whatever the SDK hands over: the reading is done by us. */
export const anyResult = {
  '~standard': {
    version: 1 as const,
    vendor: 'toolyard',
    validate: (value: unknown): { value: unknown } => ({ value }),
  },
};

/** What the server really sent, from a result that came through a {@link RawResultTransport}. */
export function rawOf(result: unknown): unknown {
  return typeof result === 'object' && result !== null && 'raw' in result ? result.raw : result;
}
