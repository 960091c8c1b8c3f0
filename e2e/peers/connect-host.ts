import type { McpHostOptions, ServerConfig, ServerHealth } from '@toolyard/mcp-host';
import { createEraMemory, McpHost } from '@toolyard/mcp-host';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import { systemClock } from '@toolyard/protocol';

/** A connected host on real transports. @throws the error of a server that is not ready */
export async function connectHost(servers: ServerConfig[], more: Partial<McpHostOptions> = {}): Promise<McpHost> {
  const host = new McpHost({
    servers,
    createTransport: createNodeTransports({ fetch: (input, init) => fetch(input, init) }),
    clock: systemClock,
    clientInfo: { name: 'toolyard-test', version: '0' },
    ...more,
  });
  await host.connectAll();
  const odd = host.health().find(({ state }) => state !== 'ready');
  if (odd === undefined) return host;
  await host.close();
  throw new Error(`${odd.id} is ${odd.state}: ${odd.error?.message} ${JSON.stringify(odd.log)}`);
}

/**
 * The same for a local server that is known to use the newer protocol: an unknown one has a few seconds to respond to the
 * probe, and this one may start slowly. The host still falls back to the older protocol if necessary.
 */
export function connectModern(server: ServerConfig): Promise<McpHost> {
  const eraMemory = { ...createEraMemory(), get: () => ({ era: 'modern' as const, at: systemClock.now() }) };
  return connectHost([{ ...server, connectTimeoutMs: 120_000 }], { eraMemory });
}

export function getHealth(host: McpHost, id: string): ServerHealth {
  const health = host.health().find((each) => each.id === id);
  if (health === undefined) throw new Error(`there is no server ${id}`);
  return health;
}
