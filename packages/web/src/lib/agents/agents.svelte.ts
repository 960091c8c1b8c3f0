import type { AgentView, ChangeAgent, CreateAgent } from '@toolyard/protocol';
import { showHidden } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { live } from '../live/live.svelte.ts';
import { LoadedList } from '../state/loaded.svelte.ts';
import { agentName } from './agent-name.ts';

/** The agents of the user, by name. */
class AgentsState extends LoadedList<AgentView> {
  /** For a selection. */
  readonly options = $derived(this.list.map((agent) => ({ value: agent.id, label: showHidden(agentName(agent)) })));

  constructor() {
    super(async () => (await api.get('/api/agents')).items, { live, changes: ['agents'] });
  }

  get(id: string): Promise<AgentView> {
    return api.get('/api/agents/{id}', { params: { id } });
  }

  create(body: CreateAgent): Promise<AgentView> {
    return this.reloadAfter(api.post('/api/agents', { body }));
  }

  update(id: string, body: ChangeAgent): Promise<AgentView> {
    return this.reloadAfter(api.patch('/api/agents/{id}', { params: { id }, body }));
  }
}

export const agents = new AgentsState();
