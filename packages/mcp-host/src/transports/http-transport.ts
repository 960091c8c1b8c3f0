import type { JSONRPCMessage, RequestId, StreamableHTTPClientTransportOptions } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Fetch } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { createReopening, MAX_REOPENINGS } from './stream-reopening.ts';
import type { HostTransport, TransportContext, TransportEnd } from './transport.ts';
import type { TransportConfig } from '../types.ts';
import { webAddress } from './web-url.ts';

/** How long closing waits for a session that is being created, and for its end. Milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000;
/** Retry settings of interrupted streams. */
const RECONNECTION = {
  initialReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1.5,
  maxReconnectionDelay: 30_000,
  maxRetries: MAX_REOPENINGS,
};

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/** From this version on servers send no requests of their own. */
const FIRST_WITHOUT_REQUESTS = '2026';

class HttpTransport extends StreamableHTTPClientTransport implements HostTransport {
  end: TransportEnd | undefined;
  onopened?: ((isFirst: boolean) => void) | undefined;
  oncarried?: ((serverRequest: RequestId, carriedBy: RequestId) => void) | undefined;
  readonly #context: TransportContext;
  readonly #address: URL;
  readonly #options: StreamableHTTPClientTransportOptions;
  /** Transports of requests whose streams are open. */
  readonly #streams = new Set<StreamableHTTPClientTransport>();
  /** Settles when the response to `initialize` contains the session id, or without one. */
  #creating: Promise<unknown> | undefined;
  #closing: Promise<void> | undefined;

  constructor(url: URL, fetch: Fetch, headers: Record<string, string>, context: TransportContext) {
    const reopening = createReopening(fetch, context, {
      onOpened: (isFirst) => this.onopened?.(isFirst),
      onGone: (detail) => this.#gone(detail),
    });
    const options = {
      fetch: reopening.fetch,
      requestInit: { headers },
      reconnectionOptions: RECONNECTION,
      reconnectionScheduler: reopening.schedule,
    };
    super(url, options);
    this.#address = url;
    this.#options = options;
    this.#context = context;
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if ('method' in message && message.method === 'initialize') {
      const sent = super.send(message, options);
      this.#creating = sent.catch(() => undefined);
      return sent;
    }
    const version = this.protocolVersion;
    const mayCarry = version !== undefined && version < FIRST_WITHOUT_REQUESTS;
    if (!mayCarry || Array.isArray(message) || !('method' in message) || !('id' in message)) {
      return super.send(message, options);
    }
    return this.#sendOnOwnStream(message, message.id, version, options);
  }

  /**
   * The SDK does not report on which stream a message arrived. So every request of a legacy session gets its own
   * transport, which opens that one stream and reopens it after an interruption.
   */
  async #sendOnOwnStream(
    message: JSONRPCMessage,
    id: RequestId,
    protocolVersion: string,
    options: SendOptions,
  ): Promise<void> {
    const { sessionId } = this;
    let isReopened = false;
    let isAnswered = false;
    const stream = new StreamableHTTPClientTransport(this.#address, {
      ...this.#options,
      reconnectionScheduler: (...reconnection) => {
        isReopened = true;
        return this.#options.reconnectionScheduler?.(...reconnection);
      },
      protocolVersion,
      ...defined({ sessionId }),
    });
    const end = (): void => void this.#streams.delete(stream);
    stream.onerror = (error) => this.onerror?.(error);
    stream.onmessage = (received) => {
      if (!('method' in received)) isAnswered = true;
      else if ('id' in received) this.oncarried?.(received.id, id);
      this.onmessage?.(received);
      // A stream opened for one response ends with it; some servers keep a reopened stream open.
      if (isAnswered && isReopened) void stream.close().finally(end);
    };
    this.#streams.add(stream);
    options?.requestSignal?.addEventListener('abort', end, { once: true });
    try {
      await stream.start();
      await stream.send(message, {
        ...options,
        onRequestStreamEnd: () => {
          end();
          options?.onRequestStreamEnd?.();
        },
      });
      // A JSON response has no stream that could end.
      if (isAnswered) end();
    } catch (error) {
      end();
      throw error;
    }
  }

  #closeStreams(): void {
    for (const stream of this.#streams) void stream.close();
    this.#streams.clear();
  }

  /** There is no session to end. */
  #gone(detail: string): void {
    if (this.#closing !== undefined) return;
    this.end = { kind: 'hung_up', detail };
    this.#closeStreams();
    this.#closing = super.close();
  }

  /** Also ends the session on the server, unless the server does not respond in time. */
  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    let cancelTimer = (): void => undefined;
    const timedOut = new Promise<void>((resolve) => {
      cancelTimer = this.#context.clock.after(CLOSE_TIMEOUT_MS, resolve);
    });
    if (this.sessionId === undefined && this.#creating !== undefined) {
      // The response comes too late for the client, but its session would stay on the server.
      this.onmessage = () => undefined;
      await Promise.race([this.#creating, timedOut]);
    }
    if (this.sessionId !== undefined) {
      // A failure to end the session has no consequence.
      this.onerror = () => undefined;
      await Promise.race([this.terminateSession().catch(() => undefined), timedOut]);
    }
    cancelTimer();
    this.#closeStreams();
    await super.close();
  }
}

/**
 * Streamable HTTP over the given fetch.
 *
 * @throws ToolyardError `bad_config` if the URL is not http or https
 */
export function createHttpTransport(
  config: Extract<TransportConfig, { type: 'http' }>,
  context: TransportContext,
  fetch: Fetch,
): HostTransport {
  const url = webAddress('http', config.url, context.serverId);
  return new HttpTransport(url, fetch, config.headers ?? {}, context);
}
