import type { AgentView } from '@toolyard/protocol';
import type { StoredAgent } from '@toolyard/storage';
import { readStoredConfiguration } from '../../config/agent-configuration.ts';
import { notFound, refusal } from '../problems.ts';
import type { Router } from '../router.ts';
import type { HttpAppOptions } from '../types.ts';

export function addAgentRoutes({ route }: Router, { storage, hub, clock, ids }: HttpAppOptions): void {
  const { agents } = storage;

  route('GET /api/agents', async ({ principal }) => ({ items: (await agents.list(principal)).map(viewOfAgent) }));

  route('POST /api/agents', async ({ principal, body: { id, title, configuration } }) => {
    const agent = await agents.create(principal, {
      id: id ?? ids.next(),
      title,
      configuration: configuration ?? {},
      at: clock.now(),
    });
    hub.changed(principal.ownerId, 'agents', agent.id);
    return viewOfAgent(agent);
  });

  route('GET /api/agents/{id}', async ({ principal, params: { id } }) => {
    const agent = await agents.get(principal, id);
    if (agent === null) throw notFound('agent', id);
    return viewOfAgent(agent);
  });

  route('PATCH /api/agents/{id}', async ({ principal, params: { id }, body }) => {
    const agent = await agents.update(principal, id, { ...body, at: clock.now() });
    if (agent === null) {
      if ((await agents.get(principal, id)) === null) throw notFound('agent', id);
      throw refusal({
        code: 'conflict',
        message: 'This agent was changed by another request.',
        hint: 'Read it again and repeat the change.',
      });
    }
    hub.changed(principal.ownerId, 'agents', id);
    return viewOfAgent(agent);
  });

  route('DELETE /api/agents/{id}', async ({ principal, params: { id } }) => {
    if (!(await agents.remove(principal, id))) throw notFound('agent', id);
    hub.changed(principal.ownerId, 'agents', id);
  });
}

function viewOfAgent(agent: StoredAgent): AgentView {
  return { ...agent, configuration: readStoredConfiguration(agent.configuration) };
}
