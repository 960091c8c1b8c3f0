import { expect, test } from 'vitest';
import { useDocumentedServer } from '../test-fixtures/documented.ts';
import { OWNER } from '../types.ts';

const { server, ask, post, patch, put, remove } = useDocumentedServer();

test('MCP servers and permissions of their tools', async () => {
  expect((await ask('/api/mcp/servers')).json).toMatchObject({ items: [{ id: 'files' }] });
  expect((await patch('/api/mcp/servers/files', { enabled: false })).json).toMatchObject({ enabled: false });
  expect((await post('/api/mcp/servers/files/reconnect')).status).toBe(409);
  expect((await post('/api/mcp/servers/nobody/reconnect')).status).toBe(404);
  expect((await patch('/api/mcp/servers/files', { tools: { delete: false } })).status).toBe(200);
  const tool = { serverId: 'files', name: 'delete' };
  await server.storage.permissions.set(OWNER, { tool, conversationId: null, decision: 'never', at: 1 });
  expect((await ask('/api/permissions')).json).toMatchObject({ items: [{ tool, decision: 'never' }] });
  const decide = (decision: string, conversationId: string | null = null) =>
    ask('/api/permissions', { method: 'PUT', json: { tool, conversationId, decision } });
  expect((await decide('allow')).json).toMatchObject({ tool, decision: 'allow' });
  expect((await ask('/api/permissions')).json).toMatchObject({ items: [{ tool, decision: 'allow' }] });
  expect((await decide('sometimes')).status).toBe(400);
  const ofTab = { tool: { ...tool, origin: 'tab' }, conversationId: null, decision: 'allow' };
  expect((await put('/api/permissions', ofTab)).status).toBe(400);
  expect((await decide('allow', 'no-such-conversation')).status).toBe(404);
  expect((await remove('/api/permissions?server=files&tool=delete')).status).toBe(204);
  expect((await remove('/api/permissions?server=files&tool=delete')).status).toBe(404);
});

test('rejects invalid changes of MCP servers', async () => {
  const transport = { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { KEY: { secret: true }, MODE: 'fast' } };
  expect((await post('/api/mcp/servers', { id: 'files', transport })).status).toBe(409);
  for (const wrong of [
    { id: 'a/b', transport },
    { id: ' a', transport },
    { id: 'a', transport: { type: 'stdio' } },
    { id: 'a', transport: { type: 'http', url: 'https://x.example', command: 'both' } },
    { id: 'a', transport: { ...transport, env: { KEY: { secret: false } } } },
    { id: 'a', transport, callTimeoutMs: -1 },
    { id: 'a', transport, processes: 'many' },
    { id: 'a', transport, maxConcurrentCalls: 0 },
  ]) {
    expect((await post('/api/mcp/servers', wrong)).status).toBe(400);
  }
  const edit = { transport: { type: 'http', url: 'https://x.example/mcp' }, disabledTools: ['a'], callTimeoutMs: null };
  expect((await put('/api/mcp/servers/none', edit)).status).toBe(404);
  expect((await put('/api/mcp/servers/files/plugin', { limit: 5 })).status).toBe(400);
  expect((await post('/api/mcp/servers/files/approval', {})).status).toBe(400);
});

test('lists in pages, and rejects invalid requests to servers', async () => {
  const at = '/api/mcp/servers/files';
  expect((await ask(`${at}/tools?limit=1`)).json).toMatchObject({ items: [{ tool: { name: 'delete' } }], next: '1' });
  const rest = await ask(`${at}/tools?after=1`);
  expect(rest.json).toMatchObject({ items: [{ tool: { name: 'delete-for-models' } }] });
  expect(rest.json).not.toHaveProperty('next');
  expect((await ask(`${at}/tools?limit=501`)).status).toBe(400);
  expect((await post(`${at}/tools/call`, { tool: 'delete', arguments: [] })).status).toBe(400);
  const argument = { name: 'x', value: 'tide' };
  expect((await post(`${at}/complete`, { target: { prompt: 'p', uriTemplate: 'x' }, argument })).status).toBe(400);
});

test('makes calls of apps with the permissions of the conversation', async () => {
  const at = '/api/mcp/servers/files/apps';
  const { id: conversationId } = (await post('/api/conversations', {})).json as { id: string };
  const call = (more: object = {}) => post(`${at}/call`, { conversationId, tool: 'delete', ...more });
  expect((await call()).json).toEqual({ decision: 'ask' });
  const dangerous = { arguments: { command: 'rm -rf /' } };
  expect((await call(dangerous)).json).toMatchObject({ decision: 'ask', danger: expect.any(String) });
  expect((await call({ approved: true })).json).toMatchObject({
    decision: 'called',
    result: { content: [{ text: 'delete' }] },
  });
  for (const unknown of ['none', 'delete-for-models']) {
    expect((await call({ tool: unknown, approved: true })).json).toMatchObject({
      decision: 'refused',
      error: { code: 'tool_not_found' },
    });
  }
  const tool = { serverId: 'files', name: 'delete' };
  await put('/api/permissions', { tool, conversationId, decision: 'allow' });
  expect((await call()).json).toMatchObject({ decision: 'called' });
  expect((await call(dangerous)).json).toMatchObject({ decision: 'ask' });
  await put('/api/permissions', { tool, conversationId, decision: 'never' });
  expect((await call({ approved: true })).json).toMatchObject({ decision: 'refused' });
  expect((await post(`${at}/call`, { conversationId: 'none', tool: 'delete' })).status).toBe(404);
});

test.each([
  [{ disabledTools: ['files/delete'] }, true, /"delete" of "files" is disabled in this conversation/],
  [{ servers: { files: false } }, true, /"files" is disabled in this conversation/],
  [{}, false, /"files" is disabled in this conversation/],
  [{ servers: { files: true } }, false, null],
])('calls of apps follow the servers and tools of the conversation: %j', async (configuration, enabled, refusal) => {
  await patch('/api/mcp/servers/files', { enabled });
  const { id: conversationId } = (await post('/api/conversations', { configuration })).json as { id: string };
  const { json } = await post('/api/mcp/servers/files/apps/call', { conversationId, tool: 'delete', approved: true });
  if (refusal === null) expect(json).toMatchObject({ decision: 'called' });
  else
    expect(json).toMatchObject({ decision: 'refused', error: { message: expect.stringMatching(refusal) as string } });
});

test('tests tools', async () => {
  const at = '/api/mcp/servers/files';
  const run = { tool: 'delete', arguments: { command: 'rm -rf /' } };
  expect((await post(`${at}/tools/test`, run)).json).toMatchObject({ decision: 'flagged' });
  expect((await post(`${at}/tools/test`, { ...run, evenIfFlagged: true })).json).toMatchObject({
    decision: 'called',
    call: { result: { content: [{ text: 'delete' }] }, raw: { content: [{ text: 'delete' }] } },
  });
  expect((await post(`${at}/tools/test`, { tool: 'delete' })).json).toMatchObject({ decision: 'called' });
  const rule = { decision: 'never', tool: 'files/delete' };
  expect((await put('/api/settings/defaults', { interventionRules: [rule] })).status).toBe(200);
  expect((await post(`${at}/tools/test`, { tool: 'delete', evenIfFlagged: true })).json).toMatchObject({
    decision: 'refused',
    error: { code: 'tool_refused' },
  });
  expect((await post(`${at}/tasks/cancel`, {})).status).toBe(400);
  expect((await post(`${at}/resources/follow`, { uris: [] })).status).toBe(400);
});

test('rejects mode auto with a server without a sandbox until it is confirmed for that server', async () => {
  const auto = { intervention: 'auto' };
  const refused = await put('/api/settings/defaults', auto);
  expect(refused).toMatchObject({
    status: 409,
    json: { code: 'conflict', detail: expect.stringContaining('"files"') as string },
  });
  expect((await post('/api/conversations', { configuration: auto })).status).toBe(409);
  // The server is disabled in this conversation.
  const without = { ...auto, servers: { files: false } };
  expect((await post('/api/conversations', { configuration: without })).status).toBe(201);
  expect((await ask('/api/mcp/unsandboxed-servers')).json).toEqual({ servers: ['files'], unconfirmed: ['files'] });
  expect((await put('/api/mcp/unsandboxed-servers', { servers: ['files'] })).json).toEqual({
    servers: ['files'],
    unconfirmed: [],
  });
  expect((await put('/api/settings/defaults', auto)).status).toBe(200);
});

test('checks calls of apps of a tab like calls of its tools in runs', async () => {
  const { id } = (await post('/api/conversations', {})).json as { id: string };
  const check = (more: object = {}) =>
    post(`/api/tabs/t/conversations/${id}/apps/check`, {
      server: { id: 'browser-x', url: 'https://x.example/' },
      tool: { name: 'tick', inputSchema: { type: 'object' } },
      ...more,
    });
  const tool = { serverId: 'browser-x', name: 'tick', origin: 'tab' };
  expect((await check()).json).toEqual({ decision: 'ask' });
  expect((await check({ arguments: { command: 'rm -rf /' } })).json).toMatchObject({
    decision: 'ask',
    danger: expect.any(String) as string,
  });
  const setRules = (rule: object) =>
    patch(`/api/conversations/${id}`, { configuration: { interventionRules: [rule] } });
  await setRules({ decision: 'ask', tool: 'browser-x/*' });
  expect((await check()).json).toEqual({ decision: 'ask', byRule: true });
  await setRules({ decision: 'never', tool: 'browser-x/*' });
  expect((await check()).json).toMatchObject({ decision: 'refused', error: { code: 'tool_refused' } });
  await patch(`/api/conversations/${id}`, { configuration: {} });
  await put('/api/permissions', { tool, conversationId: id, decision: 'never' });
  expect((await check()).json).toMatchObject({ decision: 'refused' });
  await remove(`/api/permissions?server=browser-x&tool=tick&conversation=${id}`);
  expect((await check()).json).toEqual({ decision: 'ask' });
  for (const configuration of [{ servers: { 'browser-x': false } }, { disabledTools: ['browser-x/tick'] }]) {
    await patch(`/api/conversations/${id}`, { configuration });
    expect((await check()).json).toMatchObject({ decision: 'refused', error: { code: 'tool_not_found' } });
  }
  expect((await check({ server: { id: 'files', url: '' } })).status).toBe(400);
});
