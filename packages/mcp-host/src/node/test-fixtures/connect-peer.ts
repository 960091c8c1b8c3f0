import type { Clock, JsonObject } from '@toolyard/protocol';
import { McpHost } from '../../host/host.ts';
import type { McpHostOptions } from '../../host/host-options.ts';
import type { MemoryPeer } from './memory-peer.ts';

/** A host with the in-memory server `srv`, which has all capabilities and these answers, on a fake clock. */
export async function connectPeer(
  peer: MemoryPeer,
  clock: Clock & { advance: (ms: number) => Promise<void> },
  answers: Record<string, JsonObject>,
  more: Partial<McpHostOptions> = {},
): Promise<McpHost> {
  peer.capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
  };
  for (const [method, result] of Object.entries(answers)) {
    peer.answers[method] = () => ('error' in result ? result : { result });
  }
  const host = new McpHost({
    servers: [{ id: 'srv', transport: { type: 'in-memory', name: 'srv' } }],
    createTransport: peer.createTransport,
    eraMemory: peer.eraMemory,
    clock,
    clientInfo: { name: 'toolyard-test', version: '0' },
    ...more,
  });
  await host.connectAll();
  await clock.advance(0);
  return host;
}
