import type { JSONRPCMessage, RequestId, StreamableHTTPClientTransportOptions } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Fetch } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { createReopening, MAX_REOPENINGS } from './stream-reopening.ts';
import type { HostTransport, TransportContext, TransportEnd } from './transport.ts';
import type { TransportConfig } from '../types.ts';
import { webAddress } from './web-url.ts';

/** How long closing waits for the server: for a session that is being created, and for its end. In milliseconds. */
const GOODBYE_MS = 1_000;
/** How a stream that broke off is had back. */
const RECONNECTION = {
  initialReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1.5,
  maxReconnectionDelay: 30_000,
  maxRetries: MAX_REOPENINGS,
};

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/** Servers of this version and later send no requests of their own. */
const FIRST_WITHOUT_REQUESTS = '2026';

class HttpTransport extends StreamableHTTPClientTransport implements HostTransport {
  end: TransportEnd | undefined;
  onopened?: ((isFirst: boolean) => void) | undefined;
  oncarried?: ((serverRequest: RequestId, carriedBy: RequestId) => void) | undefined;
  readonly #context: TransportContext;
  readonly #address: URL;
  readonly #options: StreamableHTTPClientTransportOptions;
  /** The requests whose streams are open. */
  readonly #streams = new Set<StreamableHTTPClientTransport>();
  /** Settles when the answer to `initialize` names the session, or when there is none. */
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
   * The SDK does not tell which stream a message came on. So every request of a legacy session gets a transport of its
   * own, which opens that one stream and opens it again where it broke off.
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
      // A stream that was opened for one answer ends with it; servers may keep one open that was opened again.
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
      // An answer in JSON has no stream that could end.
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

  /** There is nobody to say goodbye to. */
  #gone(detail: string): void {
    if (this.#closing !== undefined) return;
    this.end = { kind: 'hung_up', detail };
    this.#closeStreams();
    this.#closing = super.close();
  }

  /** Ends the session on the server, too, unless the server does not answer in time. */
  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    let callOff = (): void => undefined;
    const patience = new Promise<void>((resolve) => {
      callOff = this.#context.clock.after(GOODBYE_MS, resolve);
    });
    if (this.sessionId === undefined && this.#creating !== undefined) {
      // The answer comes too late for the client, but its session would stay on the server.
      this.onmessage = () => undefined;
      await Promise.race([this.#creating, patience]);
    }
    if (this.sessionId !== undefined) {
      // Why the request to end the session failed helps nobody.
      this.onerror = () => undefined;
      await Promise.race([this.terminateSession().catch(() => undefined), patience]);
    }
    callOff();
    this.#closeStreams();
    await super.close();
  }
}

/**
 * Streamable HTTP through the given fetch.
 *
 * @throws ToolyardError `bad_config` if the address is no http or https URL.
 */
export function createHttpTransport(
  config: Extract<TransportConfig, { type: 'http' }>,
  context: TransportContext,
  fetch: Fetch,
): HostTransport {
  const url = webAddress('http', config.url, context.serverId);
  return new HttpTransport(url, fetch, config.headers ?? {}, context);
}
