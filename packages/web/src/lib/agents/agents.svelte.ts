import type { AgentView, ChangeAgent, CreateAgent, ImportedAgents } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { live } from '../live/live.svelte.ts';
import { Loaded } from '../state/loaded.svelte.ts';

/** The agents of the user, by name. */
class AgentsState extends Loaded<AgentView[]> {
  constructor() {
    super(async () => (await api.get('/api/agents')).items, { live, changes: ['agents'] });
  }

  get list(): readonly AgentView[] {
    return this.data ?? [];
  }

  get(id: string): Promise<AgentView> {
    return api.get('/api/agents/{id}', { params: { id } });
  }

  async create(agent: CreateAgent): Promise<AgentView> {
    const created = await api.post('/api/agents', { body: agent });
    await this.load();
    return created;
  }

  async update(id: string, change: ChangeAgent): Promise<AgentView> {
    const updated = await api.patch('/api/agents/{id}', { params: { id }, body: change });
    await this.load();
    return updated;
  }

  async remove(id: string): Promise<void> {
    await api.delete('/api/agents/{id}', { params: { id } });
    await this.load();
  }

  async importFile(file: Blob): Promise<ImportedAgents> {
    const content = file.type === 'application/json' || file.type === 'image/png' ? file : new Blob([file]);
    const imported = await api.upload('/api/agents/import', content);
    await this.load();
    return imported;
  }
}

export const agents = new AgentsState();
