import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Fetch } from '@toolyard/protocol';
import { createReopening } from './stream-reopening.ts';
import type { HostTransport, TransportContext } from './transport.ts';
import type { TransportConfig } from './types.ts';
import { webAddress } from './web-address.ts';

/** How long a server may take to say that a session is over, in milliseconds. */
const GOODBYE_MS = 1_000;

class HttpTransport extends StreamableHTTPClientTransport implements HostTransport {
  onopened?: ((isFirst: boolean) => void) | undefined;
  readonly #context: TransportContext;
  #closing: Promise<void> | undefined;

  constructor(url: URL, fetch: Fetch, headers: Record<string, string>, context: TransportContext) {
    const reopening = createReopening(fetch, context, (isFirst) => this.onopened?.(isFirst));
    super(url, { fetch: reopening.fetch, requestInit: { headers }, reconnectionScheduler: reopening.schedule });
    this.#context = context;
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
