import type { Fetch } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { MAX_MESSAGE_BYTES, limitMessages } from './body-limit.ts';
import { HostedServers } from '../hosted/hosted-servers.ts';
import { createHostedTransport } from '../hosted/hosted-transport.ts';
import { createHttpTransport } from './http-transport.ts';
import type { ServeInMemory } from './in-memory-transport.ts';
import { createInMemoryTransport } from './in-memory-transport.ts';
import { createSseTransport } from './sse-transport.ts';
import type { CreateTransport } from './transport.ts';
import type { OpenWebSocket } from './websocket-transport.ts';
import { createWebSocketTransport } from './websocket-transport.ts';

export type WebTransportsOptions = {
  /** Carries all HTTP; the owner decides what stands in front of it. */
  fetch: Fetch;
  /** Opens WebSockets, with the same guard in front; without it servers on WebSockets are refused. */
  openWebSocket?: OpenWebSocket;
  /** The longest message a server may send, in bytes; default 64 MB. */
  longestMessage?: number;
  /** Servers that services make for us; without it they are made anew by every process. */
  hosted?: HostedServers;
  /** Servers that live in this process, by the name their configuration gives. */
  inMemory?: Readonly<Record<string, ServeInMemory>>;
};

/** Transports for places without processes: all but stdio. */
export function createWebTransports(options: WebTransportsOptions): CreateTransport {
  const { longestMessage = MAX_MESSAGE_BYTES } = options;
  const hosted = options.hosted ?? new HostedServers({ fetch: limitMessages(options.fetch, longestMessage) });
  return (config, context) => {
    const fetch = limitMessages(context.sign?.(options.fetch) ?? options.fetch, longestMessage);
    switch (config.type) {
      case 'http':
        return createHttpTransport(config, context, fetch);
      case 'sse':
        return createSseTransport(config, context, fetch);
      case 'websocket':
        return createWebSocketTransport(config, context, options.openWebSocket, longestMessage);
      case 'hosted':
        // The sign-ins it needs are the service's.
        return createHostedTransport(config, context, limitMessages(options.fetch, longestMessage), hosted);
      case 'in-memory':
        return createInMemoryTransport(config, context, options.inMemory ?? {});
      case 'stdio':
        throw new ToolyardError({
          code: 'bad_config',
          message: `The server "${context.serverId}" is a program, and programs cannot be started here.`,
          hint: 'Run it where Toolyard runs on Node, or reach it over HTTP.',
        });
    }
  };
}
