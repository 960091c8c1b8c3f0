import type { Fetch } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import { MAX_MESSAGE_BYTES, limitMessages } from './body-limit.ts';
import { HostedServers } from '../hosted/hosted-servers.ts';
import { createHostedTransport } from '../hosted/hosted-transport.ts';
import { createHttpTransport } from './http-transport.ts';
import type { ServeInMemory } from './in-memory-transport.ts';
import { createInMemoryTransport } from './in-memory-transport.ts';
import { createSseTransport } from './sse-transport.ts';
import { readableMessages } from './received-messages.ts';
import type { CreateTransport } from './transport.ts';
import type { OpenWebSocket } from './websocket-transport.ts';
import { createWebSocketTransport } from './websocket-transport.ts';
import { createConfigError } from '../values/config-error.ts';

/** What the transports of a browser need. */
export type WebTransportsOptions = {
  /** Sends all HTTP requests; use a guarded fetch here. */
  fetch: Fetch;
  /** Opens WebSockets, with the same guard; without it WebSocket servers are rejected. */
  openWebSocket?: OpenWebSocket;
  /** The longest message a server may send, in bytes; default 64 MB. */
  longestMessage?: number;
  /** Hosted servers; without it every process creates its own. */
  hosted?: HostedServers;
  /** In-process servers, by the name in their configuration. */
  inMemory?: Readonly<Record<string, ServeInMemory>>;
};

/**
 * All transports that need no processes: everything except stdio.
 *
 * @example
 * const webFetch: Fetch = (url, init) => fetch(url, init);
 * const createTransport = createWebTransports({ fetch: webFetch, openWebSocket: platformWebSocket });
 * const host = new McpHost({ servers, createTransport, clock, clientInfo });
 */
export function createWebTransports(options: WebTransportsOptions): CreateTransport {
  const { longestMessage = MAX_MESSAGE_BYTES } = options;
  const hosted = options.hosted ?? new HostedServers({ fetch: limitMessages(options.fetch, longestMessage) });
  return (config, context) => {
    const limited = limitMessages(context.sign?.(options.fetch) ?? options.fetch, longestMessage);
    const fetch = readableMessages(limited, context.clock);
    switch (config.type) {
      case 'http':
        return createHttpTransport(config, context, fetch);
      case 'sse':
        return createSseTransport(config, context, fetch);
      case 'websocket':
        return createWebSocketTransport(config, context, options.openWebSocket, longestMessage);
      case 'hosted':
        // Its sign-ins are handled by the service.
        return createHostedTransport(
          config,
          context,
          readableMessages(limitMessages(options.fetch, longestMessage), context.clock),
          hosted,
        );
      case 'plugin':
        throw createConfigError(
          say`The server "${context.serverId}" is a legacy plugin, which cannot be used here.`,
          say`Add it to Toolyard on Node: its server calls the plugin.`,
        );
      case 'in-memory':
        return createInMemoryTransport(config, context, options.inMemory ?? {});
      case 'stdio':
        throw createConfigError(
          say`The server "${context.serverId}" is a local server (stdio), which cannot be started here.`,
          say`Use Toolyard on Node to run it, or connect over HTTP.`,
        );
    }
  };
}
