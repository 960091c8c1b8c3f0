import { fileURLToPath } from 'node:url';
import type { ServerRequestHandlers, ServerConfig, TransportConfig } from '../../packages/mcp-host/src/index.ts';
import { McpHost } from '../../packages/mcp-host/src/index.ts';
import { createNodeTransports } from '../../packages/mcp-host/src/node/index.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';

const SERVER = fileURLToPath(new URL('./server.ts', import.meta.url));

/** The bench's own server, as each side starts it. */
export const OVER_STDIO: Extract<TransportConfig, { type: 'stdio' }> = {
  type: 'stdio',
  command: process.execPath,
  args: [...process.execArgv, SERVER],
};

/** A host like in the Toolyard server, without guarded fetch. */
export function makeHost(servers: ServerConfig[], handlers: ServerRequestHandlers = {}): McpHost {
  return new McpHost({
    servers,
    createTransport: createNodeTransports({ fetch: (input, init) => fetch(input, init) }),
    clock: systemClock,
    clientInfo: { name: 'bench', version: '1.0.0' },
    handlers,
  });
}

/** @throws Error of a server that is not ready */
export function checkReady(host: McpHost, ids?: ReadonlySet<string>): void {
  for (const { id, state, error } of host.health()) {
    if (state !== 'ready' && (ids === undefined || ids.has(id)))
      throw new Error(`${id} is ${state}: ${error?.message}`);
  }
}
