import type { GroupView } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { live } from '../live/live.svelte.ts';
import { LoadedList } from '../state/loaded.svelte.ts';

/** The groups of the user, by title. */
export const groups = new LoadedList<GroupView>(async () => (await api.get('/api/groups')).items, {
  live,
  changes: ['groups'],
});

/** Creates an empty conversation of a group, and returns its id. */
export async function startGroupChat(groupId: string): Promise<string> {
  return (await api.post('/api/conversations', { body: { groupId } })).id;
}
