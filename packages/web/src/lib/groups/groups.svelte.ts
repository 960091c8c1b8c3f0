import type { ChangeGroup, CreateGroup, GroupView } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { live } from '../live/live.svelte.ts';
import { Loaded } from '../state/loaded.svelte.ts';

/** The groups of the user, by title. */
class GroupsState extends Loaded<GroupView[]> {
  constructor() {
    super(async () => (await api.get('/api/groups')).items, { live, changes: ['groups'] });
  }

  get list(): readonly GroupView[] {
    return this.data ?? [];
  }

  get(id: string): Promise<GroupView> {
    return api.get('/api/groups/{id}', { params: { id } });
  }

  async create(group: CreateGroup): Promise<GroupView> {
    const created = await api.post('/api/groups', { body: group });
    await this.load();
    return created;
  }

  async update(id: string, change: ChangeGroup): Promise<GroupView> {
    const updated = await api.patch('/api/groups/{id}', { params: { id }, body: change });
    await this.load();
    return updated;
  }

  async remove(id: string): Promise<void> {
    await api.delete('/api/groups/{id}', { params: { id } });
    await this.load();
  }

  /** Creates an empty conversation of a group, and returns its id. */
  async startChat(groupId: string): Promise<string> {
    return (await api.post('/api/conversations', { body: { groupId } })).id;
  }
}

export const groups = new GroupsState();
