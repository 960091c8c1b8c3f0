import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Fetch } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { CreateTransport, HostTransport, TransportContext } from './transport.ts';
import type { TransportConfig } from './types.ts';

/** How long a server may take to say that a session is over, in milliseconds. */
const GOODBYE_MS = 1_000;

class HttpTransport extends StreamableHTTPClientTransport {
  #context: TransportContext;
  #closing: Promise<void> | undefined;

  constructor(url: URL, options: { fetch: Fetch; requestInit: RequestInit }, context: TransportContext) {
    super(url, options);
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
function createHttpTransport(
  config: Extract<TransportConfig, { type: 'http' }>,
  context: TransportContext,
  fetch: Fetch,
): HostTransport {
  const url = URL.parse(config.url);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ToolyardError({
      code: 'bad_config',
      message: `The address of the server "${context.serverId}" is not an http or https URL.`,
      hint: 'Write the whole address, for example http://localhost:3000/mcp.',
    });
  }
  return new HttpTransport(url, { fetch, requestInit: { headers: config.headers ?? {} } }, context);
}

/** Transports for places without processes: HTTP only. */
export function createWebTransports(options: { fetch: Fetch }): CreateTransport {
  return (config, context) => {
    switch (config.type) {
      case 'http':
        return createHttpTransport(config, context, options.fetch);
      case 'stdio':
        throw new ToolyardError({
          code: 'bad_config',
          message: `The server "${context.serverId}" is a program, and programs cannot be started here.`,
          hint: 'Run it where Toolyard runs on Node, or reach it over HTTP.',
        });
    }
  };
}
