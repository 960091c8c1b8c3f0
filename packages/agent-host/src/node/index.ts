import type { NodeTransportsOptions } from '@toolyard/mcp-host/node';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import { defined, systemClock } from '@toolyard/protocol';
import type { Agent, AgentOptions, Platform } from '../agent.ts';
import { createAgent as createAgentOn } from '../create-agent.ts';
import { createUuidSource } from '../uuid.ts';
import { resolvePath } from './resolve-path.ts';

export { resolvePath };

/** What Node provides: its fetch, child processes, the machine's clock. */
export function nodePlatform({ sandbox }: Pick<NodeTransportsOptions, 'sandbox'> = {}): Platform {
  // Looked up at each call, so that whoever replaces the global one is heard.
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
 * Makes an agent on Node: stdio servers included.
 *
 * @example
 * await using agent = await createAgent({ model: { demo: true }, servers: [] });
 * console.log((await agent.run('Hello').result).text);
 */
export function createAgent(options: AgentOptions, platform: Platform = nodePlatform()): Promise<Agent> {
  return createAgentOn(options, platform);
}
