import type { Fetch } from '@toolyard/protocol';
import { createWebTransports } from '../http-transport.ts';
import type { CreateTransport } from '../transport.ts';
import { createStdioTransport } from './stdio-transport.ts';

/**
 * Every transport Node can offer: child processes, and HTTP through the given fetch.
 *
 * @example
 * const host = new McpHost({ servers, createTransport: createNodeTransports({ fetch }), clock, clientInfo });
 */
export function createNodeTransports(options: { fetch: Fetch }): CreateTransport {
  const web = createWebTransports(options);
  return (config, context) => (config.type === 'stdio' ? createStdioTransport(config, context) : web(config, context));
}
