import { defined } from '@toolyard/protocol';
import type { CreateTransport } from '../transports/transport.ts';
import type { WebTransportsOptions } from '../transports/web-transports.ts';
import { createWebTransports } from '../transports/web-transports.ts';
import type { OpenWebSocket } from '../transports/websocket-transport.ts';
import type { SandboxOptions } from './sandbox/sandboxed-command.ts';
import type { PluginTransportOptions } from './plugins/plugin-transport.ts';
import { createStdioTransport } from './stdio-transport.ts';

/** What the transports of Node need. */
export type NodeTransportsOptions = WebTransportsOptions & {
  /** Where the data of sandboxed servers is, and which folders are hidden from them. */
  sandbox?: SandboxOptions;
  /** The settings of legacy plugins that the user entered, decrypted. */
  pluginSettings?: NonNullable<PluginTransportOptions['settings']>;
};

/**
 * All transports available in Node: child processes, and those of {@link createWebTransports}. Without `openWebSocket`,
 * Node's own WebSocket is used if it has one.
 *
 * @example
 * const host = new McpHost({ servers, createTransport: createNodeTransports({ fetch }), clock, clientInfo });
 */
export function createNodeTransports({
  sandbox = {},
  pluginSettings,
  ...options
}: NodeTransportsOptions): CreateTransport {
  const openWebSocket = options.openWebSocket ?? nodeWebSocket();
  const web = createWebTransports({ ...options, ...defined({ openWebSocket }) });
  return async (config, context) => {
    if (config.type === 'stdio') return createStdioTransport(config, context, { sandbox });
    if (config.type !== 'plugin') return web(config, context);
    // Its parsers are needed by few.
    const { createPluginTransport } = await import('./plugins/plugin-transport.ts');
    return createPluginTransport(config, context, { fetch: options.fetch, ...defined({ settings: pluginSettings }) });
  };
}

/** Node 20 has none; from version 22 on it accepts headers, unlike browsers. */
function nodeWebSocket(): OpenWebSocket | undefined {
  if (typeof WebSocket !== 'function') return undefined;
  const NodeWebSocket = WebSocket as unknown as new (
    url: string,
    options: { protocols: string[]; headers: Record<string, string> },
  ) => WebSocket;
  return (url, init) => new NodeWebSocket(url.href, init);
}
