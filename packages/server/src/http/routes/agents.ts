import type { AgentView, Principal } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import type { StoredAgent } from '@toolyard/storage';
import { createChangedError } from '../../errors.ts';
import type { FileAgent } from '../../agents/file-agent.ts';
import { readAgentFile } from '../../agents/read-agent-file.ts';
import { writeAgentFile } from '../../agents/write-agent-file.ts';
import { readStoredConfiguration } from '../../config/agent-configuration.ts';
import { readStoredProfile } from '../../config/agent-profile.ts';
import { fileAnswer } from '../responses.ts';
import { MAX_FILE_BYTES, readBodyBytes } from '../transport/body.ts';
import { createAttachmentHeader } from '../transport/file-name.ts';
import { notFound } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

export function addAgentRoutes({ route }: Router, { storage, models, hub, clock, ids }: HttpAppOptions): void {
  const { agents } = storage;

  route('GET /api/agents', async ({ principal }) => ({ items: (await agents.list(principal)).map(viewOfAgent) }));

  route('POST /api/agents', ({ principal, body: { id, title, profile, configuration } }) =>
    create(principal, { id: id ?? ids.next(), title, profile: profile ?? {}, configuration: configuration ?? {} }),
  );

  route('POST /api/agents/import', async ({ c, principal }) => {
    const file = readAgentFile(await readBodyBytes(c.env.incoming, MAX_FILE_BYTES));
    const imported = [];
    for (const each of file.agents) {
      const { leftOut, ...content } = await withKnownModel(principal, each);
      imported.push({ agent: await create(principal, { id: ids.next(), ...content }), leftOut });
    }
    return { agents: imported, invalid: file.invalid };
  });

  route('GET /api/agents/{id}', async ({ principal, params: { id } }) => find(principal, id));

  route('GET /api/agents/{id}/export', async ({ c, principal, params: { id }, query: { format } }) => {
    const agent = await find(principal, id);
    return fileAnswer(c, `${JSON.stringify(writeAgentFile(agent, format, clock.now()), null, 2)}\n`, {
      'content-type': 'application/json',
      'content-disposition': createAttachmentHeader(agent.title, 'json', 'agent'),
    });
  });

  route('PATCH /api/agents/{id}', async ({ principal, params: { id }, body }) => {
    const agent = await agents.update(principal, id, { ...body, at: clock.now() });
    if (agent === null) {
      await find(principal, id);
      throw createChangedError(say`This agent was changed by another request.`);
    }
    hub.changed(principal.ownerId, 'agents', id);
    return viewOfAgent(agent);
  });

  route('DELETE /api/agents/{id}', async ({ principal, params: { id } }) => {
    if (!(await agents.remove(principal, id))) throw notFound('agent', id);
    hub.changed(principal.ownerId, 'agents', id);
  });

  async function find(principal: Principal, id: string): Promise<AgentView> {
    const agent = await agents.get(principal, id);
    if (agent === null) throw notFound('agent', id);
    return viewOfAgent(agent);
  }

  async function create(
    principal: Principal,
    content: Pick<AgentView, 'id' | 'title' | 'profile' | 'configuration'>,
  ): Promise<AgentView> {
    const agent = await agents.create(principal, { ...content, at: clock.now() });
    hub.changed(principal.ownerId, 'agents', agent.id);
    return viewOfAgent(agent);
  }

  /** An agent from a file may name a provider that this server does not have. */
  async function withKnownModel(principal: Principal, agent: FileAgent): Promise<FileAgent> {
    const { model, ...rest } = agent.configuration;
    if (model === undefined) return agent;
    const providers = await models.providers(principal);
    if (providers.some(({ id }) => id === model.providerId)) return agent;
    return { ...agent, configuration: rest, leftOut: [...agent.leftOut, 'model'] };
  }
}

function viewOfAgent(agent: StoredAgent): AgentView {
  const { configuration, profile, ...rest } = agent;
  return {
    ...rest,
    profile: readStoredProfile(profile),
    configuration: readStoredConfiguration(configuration),
  };
}
