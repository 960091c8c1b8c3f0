import type { AgentView, ImportedAgents } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { userMessage, useDocumentedServer } from '../test-fixtures/documented.ts';

const { server, ask, post, patch, remove } = useDocumentedServer();

const importFile = (file: unknown) =>
  ask('/api/agents/import', { body: JSON.stringify(file), headers: { 'content-type': 'application/json' } });

describe('agents', () => {
  test('are created without a name, changed in parts, exported and imported', async () => {
    const created = await post('/api/agents', { id: 'a', title: '', configuration: { instructions: 'Be brief.' } });
    expect(created).toMatchObject({ status: 201, json: { title: '', profile: {} } });
    const changed = await patch('/api/agents/a', { version: 1, title: 'Brief', profile: { avatar: '✂️' } });
    expect(changed.json).toMatchObject({ version: 2, configuration: { instructions: 'Be brief.' } });
    expect((await patch('/api/agents/a', { version: 1, title: 'Late' })).status).toBe(409);
    expect((await patch('/api/agents/a', { version: 2, profile: { avatar: 'AB' } })).status).toBe(400);

    const file = await ask('/api/agents/a/export');
    expect(file.headers['content-disposition']).toContain('Brief.json');
    const imported = await importFile(file.json);
    expect(imported).toMatchObject({ status: 201, json: { invalid: [], agents: [{ leftOut: [] }] } });
    const { items } = (await ask('/api/agents')).json as { items: AgentView[] };
    expect(items.map(({ title, profile }) => [title, profile.avatar])).toEqual([
      ['Brief', '✂️'],
      ['Brief', '✂️'],
    ]);
    for (const format of ['lobehub', 'character-card']) {
      expect(await ask(`/api/agents/a/export?format=${format}`)).toMatchObject({ status: 200 });
    }
  });

  test('a file with an unknown provider or a fault changes nothing else', async () => {
    const agent = { title: 'x', profile: {}, configuration: { model: { providerId: 'elsewhere', modelId: 'm' } } };
    const { json } = await importFile({ format: 'toolyard-agent', version: 1, exportedAt: 0, agent });
    const [imported] = (json as ImportedAgents).agents;
    expect(imported).toMatchObject({ leftOut: ['model'], agent: { configuration: {} } });
    const broken = await importFile({ format: 'toolyard-agent', version: 1, exportedAt: 0, agent: { title: 4 } });
    expect(broken).toMatchObject({ status: 400, json: { detail: '"agent.title" must be a string (got 4).' } });
    expect((await ask('/api/agents')).json).toMatchObject({ items: [{ title: 'x' }] });
  });

  test('a conversation opens after its agent was deleted', async () => {
    await post('/api/agents', { id: 'a', title: 'A', configuration: { instructions: 'Mine.' } });
    const created = await post('/api/conversations', { id: 'c', agentId: 'a' });
    expect(created.json).toMatchObject({ resolved: { instructions: 'Mine.', agent: { id: 'a', title: 'A' } } });
    await remove('/api/agents/a');
    const opened = await ask('/api/conversations/c');
    expect(opened.json).toMatchObject({ agentId: 'a', resolved: { instructions: '' } });
    expect(opened.json).not.toHaveProperty('resolved.agent');
  });
});

describe('a temporary conversation', () => {
  test('is not listed or found, and is removed for good', async () => {
    await post('/api/conversations', { id: 't', title: 'Trial balloon', temporary: true });
    await post('/api/conversations/t/messages', userMessage('balloon'));
    expect((await ask('/api/conversations')).json).toEqual({ items: [] });
    expect((await ask('/api/conversations?q=balloon')).json).toEqual({ items: [] });
    expect((await ask('/api/conversations/t')).status).toBe(200);
    const { conversations } = server.storage;
    expect(await conversations.purgeTemporary(0, 5)).toBe(0);
    await remove('/api/conversations/t');
    expect((await ask('/api/conversations?deleted=1')).json).toEqual({ items: [] });
    expect(await conversations.purgeTemporary(0, 5)).toBe(1);
    await post('/api/conversations', { id: 'u', temporary: true });
    expect(await conversations.purgeTemporary(Date.now() + 1_000, 5)).toBe(1);
  });
});
