import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Fetch } from '@toolyard/protocol';
import { createReopening, MOST_TRIES } from './stream-reopening.ts';
import type { HostTransport, TransportContext, TransportEnd } from './transport.ts';
import type { TransportConfig } from './types.ts';
import { webAddress } from './web-address.ts';

/** How long a server may take to say that a session is over, in milliseconds. */
const GOODBYE_MS = 1_000;
/** How a stream that broke off is had back. */
const RECONNECTION = {
  initialReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1.5,
  maxReconnectionDelay: 30_000,
  maxRetries: MOST_TRIES,
};

class HttpTransport extends StreamableHTTPClientTransport implements HostTransport {
  end: TransportEnd | undefined;
  onopened?: ((isFirst: boolean) => void) | undefined;
  readonly #context: TransportContext;
  #closing: Promise<void> | undefined;

  constructor(url: URL, fetch: Fetch, headers: Record<string, string>, context: TransportContext) {
    const reopening = createReopening(fetch, context, {
      onOpened: (isFirst) => this.onopened?.(isFirst),
      onGone: (detail) => this.#gone(detail),
    });
    super(url, {
      fetch: reopening.fetch,
      requestInit: { headers },
      reconnectionOptions: RECONNECTION,
      reconnectionScheduler: reopening.schedule,
    });
    this.#context = context;
  }

  /** There is nobody to say goodbye to. */
  #gone(detail: string): void {
    if (this.#closing !== undefined) return;
    this.end = { kind: 'hung_up', detail };
    this.#closing = super.close();
  }

  /** Ends the session on the server too; one that does not answer is left behind. */
  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.sessionId !== undefined) {
      let callOff = (): void => undefined;
      const patience = new Promise<void>((resolve) => {
        callOff = this.#context.clock.after(GOODBYE_MS, resolve);
      });
      // Nobody waits for a session that is being left; why a goodbye failed helps no one.
      this.onerror = () => undefined;
      await Promise.race([this.terminateSession().catch(() => undefined), patience]);
      callOff();
    }
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
