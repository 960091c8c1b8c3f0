import type { McpHostOptions, ServerConfig, ServerHealth } from '@toolyard/mcp-host';
import { createEraMemory, McpHost } from '@toolyard/mcp-host';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import { systemClock } from '@toolyard/protocol';

/** A host on real transports, connected; throws what a server that is not ready has to say. */
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
 * The same for a program of the newer protocol, as if it was known to be one: it may take its time to start, and who is
 * unknown has few seconds to say what it speaks. Were it none, it would be spoken to in the older way all the same.
 */
export function connectModern(server: ServerConfig): Promise<McpHost> {
  const eraMemory = { ...createEraMemory(), get: () => ({ era: 'modern' as const, at: systemClock.now() }) };
  return connectHost([{ ...server, connectTimeoutMs: 120_000 }], { eraMemory });
}

export function healthOf(host: McpHost, id: string): ServerHealth {
  const health = host.health().find((each) => each.id === id);
  if (health === undefined) throw new Error(`there is no server ${id}`);
  return health;
}
