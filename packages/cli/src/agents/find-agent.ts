import type { AgentView } from '@toolyard/protocol';
import { findByName } from '../server/find-by-name.ts';
import type { ServerClient } from '../server/server-client.ts';

/** The agent with this ID or name. @throws ToolyardError as {@link findByName} */
export async function findAgent(client: ServerClient, wanted: string): Promise<AgentView> {
  const { items } = await client.get('/api/agents');
  return findByName(items, wanted, { one: 'agent', plural: 'agents' });
}
