import type { GroupView } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { plainLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';

/**
 * The group with this ID or, ignoring case, this name.
 *
 * @throws ToolyardError `not_found`, or `bad_request` for a name of several groups
 */
export async function findGroup(client: ServerClient, wanted: string): Promise<GroupView> {
  const { items } = await client.get('/api/groups');
  const byId = items.find(({ id }) => id === wanted);
  if (byId) return byId;
  const named = items.filter(({ title }) => title.trim().toLowerCase() === wanted.trim().toLowerCase());
  const [only] = named;
  if (only && named.length === 1) return only;
  if (named.length > 1) {
    throw new ToolyardError({
      code: 'bad_request',
      message: `${named.length} groups have the name "${plainLine(wanted, 100)}".`,
      hint: `Use an ID: ${named.map(({ id }) => id).join(', ')}.`,
    });
  }
  throw new ToolyardError({
    code: 'not_found',
    message: `There is no group "${plainLine(wanted, 100)}".`,
    hint: 'List the groups with "toolyard groups list".',
  });
}
