import type { AgentView } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { plainLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';

/**
 * The agent with this ID or, ignoring case, this name.
 *
 * @throws ToolyardError `not_found`, or `bad_request` for a name of several agents
 */
export async function findAgent(client: ServerClient, wanted: string): Promise<AgentView> {
  const { items } = await client.get('/api/agents');
  const byId = items.find(({ id }) => id === wanted);
  if (byId) return byId;
  const named = items.filter(({ title }) => title.trim().toLowerCase() === wanted.trim().toLowerCase());
  const [only] = named;
  if (only && named.length === 1) return only;
  if (named.length > 1) {
    throw new ToolyardError({
      code: 'bad_request',
      message: `${named.length} agents have the name "${plainLine(wanted, 100)}".`,
      hint: `Use an ID: ${named.map(({ id }) => id).join(', ')}.`,
    });
  }
  throw new ToolyardError({
    code: 'not_found',
    message: `There is no agent "${plainLine(wanted, 100)}".`,
    hint: 'List the agents with "toolyard agents list".',
  });
}
