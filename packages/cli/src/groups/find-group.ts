import type { GroupView } from '@toolyard/protocol';
import { findByName } from '../server/find-by-name.ts';
import type { ServerClient } from '../server/server-client.ts';

/** The group with this ID or name. @throws ToolyardError as {@link findByName} */
export async function findGroup(client: ServerClient, wanted: string): Promise<GroupView> {
  const { items } = await client.get('/api/groups');
  return findByName(items, wanted, { one: 'group', plural: 'groups' });
}
