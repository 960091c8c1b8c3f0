import type { NodeTransportsOptions } from '@toolyard/mcp-host/node';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import { defined, systemClock } from '@toolyard/protocol';
import type { Agent, AgentOptions, Platform } from '../agent.ts';
import { createAgent as createAgentOn } from '../create-agent.ts';
import { createUuidSource } from '../uuid.ts';
import { resolvePath } from './resolve-path.ts';

export { COMPUTE_TOOLS } from './compute-tools.ts';
export { createFileStore } from './file-store.ts';
export { cloudCredentials } from './cloud-credentials.ts';
export { resolvePath };

/**
 * The environment of Node: its fetch, child processes and the system clock.
 *
 * @example
 * const platform = { ...nodePlatform(), ids: { next: () => crypto.randomUUID() } };
 * await using agent = await createAgent({ model: { demo: true } }, platform);
 */
export function nodePlatform({ sandbox }: Pick<NodeTransportsOptions, 'sandbox'> = {}): Platform {
  // Looked up at each call, so that replacing the global `fetch` takes effect.
  const fetch: Platform['fetch'] = (input, init) => globalThis.fetch(input, init);
  return {
    fetch,
    createTransport: createNodeTransports({ fetch, ...defined({ sandbox }) }),
    clock: systemClock,
    ids: createUuidSource(),
    policy: { resolvePath },
  };
}

/**
 * Creates an agent on Node, with stdio servers.
 *
 * @example
 * await using agent = await createAgent({ model: { demo: true }, servers: [] });
 * console.log((await agent.run('Hello').result).text);
 */
export function createAgent(options: AgentOptions, platform: Platform = nodePlatform()): Promise<Agent> {
  return createAgentOn(options, platform);
}
