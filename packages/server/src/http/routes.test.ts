import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askAsDescribed } from './test-fixtures/documented.ts';
import type { Answer, RequestOptions, TestServer } from './test-fixtures/test-server.ts';
import { startTestServer } from './test-fixtures/test-server.ts';
import { OWNER } from './types.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.close());

const ask = (target: string, options?: RequestOptions): Promise<Answer> => askAsDescribed(server, target, options);
const post = (target: string, json: object = {}): Promise<Answer> => ask(target, { json });
const patch = (target: string, json: object): Promise<Answer> => ask(target, { method: 'PATCH', json });
const put = (target: string, json: object): Promise<Answer> => ask(target, { method: 'PUT', json });
const remove = (target: string): Promise<Answer> => ask(target, { method: 'DELETE' });
const said = (text: string) => ({ parts: [{ type: 'text', text }] });

describe('conversations', () => {
  test('one is begun, renamed, pinned, configured, listed, deleted and restored', async () => {
    const begun = await post('/api/conversations', { id: 'c1', configuration: { instructions: 'Be brief.' } });
    expect(begun).toMatchObject({
      status: 201,
      json: { id: 'c1', title: '', resolved: { instructions: 'Be brief.' } },
    });
    const change = { title: 'Clocks', pinned: true, configuration: { parameters: { temperature: 0 } } };
    expect((await patch('/api/conversations/c1', change)).json).toMatchObject({
      title: 'Clocks',
      pinned: true,
      configuration: { parameters: { temperature: 0 } },
      resolved: { instructions: '' },
    });
    expect((await ask('/api/conversations')).json).toMatchObject({ items: [{ id: 'c1', title: 'Clocks' }] });

    expect((await remove('/api/conversations/c1')).status).toBe(204);
    expect((await ask('/api/conversations/c1')).status).toBe(404);
    expect((await ask('/api/conversations')).json).toEqual({ items: [] });
    expect((await ask('/api/conversations?deleted=1')).json).toMatchObject({ items: [{ id: 'c1' }] });
    expect((await post('/api/conversations/c1/restore')).json).toMatchObject({ title: 'Clocks' });
    expect((await ask('/api/conversations/c1')).status).toBe(200);
  });

  test('sending the same one again after a lost answer makes no second', async () => {
    await post('/api/conversations', { id: 'c1', title: 'First' });
    const again = await post('/api/conversations', { id: 'c1', title: 'Second' });
    expect(again).toMatchObject({ status: 201, json: { title: 'First' } });
  });

  test('a long list comes in pieces that fit together', async () => {
    for (let n = 0; n < 5; n++) await post('/api/conversations', { id: `c${n}` });
    const seen: string[] = [];
    for (let after = ''; ;) {
      const { items, next } = (await ask(`/api/conversations?limit=2${after}`)).json as {
        items: { id: string }[];
        next?: string;
      };
      expect(items.length).toBeLessThanOrEqual(2);
      seen.push(...items.map(({ id }) => id));
      if (next === undefined) break;
      after = `&after=${encodeURIComponent(next)}`;
    }
    expect(seen.toSorted()).toEqual(['c0', 'c1', 'c2', 'c3', 'c4']);
    expect((await ask('/api/conversations?after=nonsense')).status).toBe(400);
  });

  test('what was said is found, in Chinese too', async () => {
    await post('/api/conversations', { id: 'c1', title: '旅行' });
    await post('/api/conversations', { id: 'c2', title: 'Cooking' });
    await post('/api/conversations/c1/messages', said('我想知道東京的時間'));
    const { items } = (await ask(`/api/conversations?q=${encodeURIComponent('東京')}`)).json as {
      items: { snippet: string }[];
    };
    expect(items).toMatchObject([{ id: 'c1' }]);
    expect(items[0]?.snippet).toContain('\u0002東京\u0003');
  });

  test('deleting one stops its run first', async () => {
    await post('/api/conversations', { id: 'c1' });
    const { run } = (await post('/api/conversations/c1/messages', said('hi'))).json as { run: { id: string } };
    await remove('/api/conversations/c1');
    expect(server.storage.runs.getRun(OWNER, run.id)).toMatchObject({ status: 'cancelled' });
  });

  test('one whose agent was deleted can still be opened', async () => {
    await post('/api/agents', { id: 'a1', title: 'Clerk', configuration: { instructions: 'Be a clerk.' } });
    const begun = await post('/api/conversations', { id: 'c1', agentId: 'a1' });
    expect(begun.json).toMatchObject({ resolved: { instructions: 'Be a clerk.' } });
    await remove('/api/agents/a1');
    expect(await ask('/api/conversations/c1')).toMatchObject({ status: 200, json: { resolved: { instructions: '' } } });
    expect(await post('/api/conversations', { agentId: 'a1' })).toMatchObject({ status: 404 });
  });
});

describe('messages', () => {
  beforeEach(() => post('/api/conversations', { id: 'c1', title: 'Clocks' }));

  test('one that is sent comes back with its run, and nothing of the state of the run', async () => {
    const sent = await post('/api/conversations/c1/messages', { id: 'm1', ...said('What time is it?') });
    expect(sent).toMatchObject({ status: 201, json: { run: { status: 'running' }, message: { id: 'm1' } } });
    expect(sent.text).not.toContain('state of the loop');
    const view = (await ask('/api/conversations/c1')).json;
    expect(view).toMatchObject({ leafId: 'm1', page: { messages: [{ id: 'm1' }] }, activeRun: { status: 'running' } });
    expect((await ask('/api/conversations/c1/messages')).json).toMatchObject({
      messages: [{ id: 'm1' }],
      earlier: false,
    });
  });

  test('while a run is under way it waits, can be changed, moved, sent at once and taken back', async () => {
    await post('/api/conversations/c1/messages', said('first'));
    for (const id of ['q1', 'q2', 'q3']) {
      const queued = await post('/api/conversations/c1/messages', { id, ...said(id) });
      expect(queued).toMatchObject({ status: 202, json: { queued: { id } } });
    }
    const path = '/api/conversations/c1/queue';
    expect((await patch(`${path}/q3`, { before: 'q1', ...said('third') })).json).toMatchObject(said('third'));
    expect((await remove(`${path}/q2`)).status).toBe(204);
    expect((await post(`${path}/q1/send`)).status).toBe(204);
    expect((await ask(path)).json).toMatchObject({ items: [{ id: 'q3' }, { id: 'q1' }] });
    expect(await post('/api/conversations/c1/messages', { ...said('x'), whenBusy: 'refuse' })).toMatchObject({
      status: 409,
      json: { code: 'conflict' },
    });
    expect((await remove(`${path}/q2`)).status).toBe(404);
  });

  test('another branch is shown by naming a message of it', async () => {
    for (const [id, parentId] of [
      ['m1', null],
      ['m2', 'm1'],
      ['m3', 'm1'],
    ] as const) {
      const sent = await post('/api/conversations/c1/messages', { id, parentId, ...said(id) });
      server.runs.finish((sent.json as { run: { id: string } }).run.id, 'done');
    }
    expect((await ask('/api/conversations/c1')).json).toMatchObject({ leafId: 'm3' });
    expect((await patch('/api/conversations/c1', { leafId: 'm2' })).json).toMatchObject({
      leafId: 'm2',
      page: { alternatives: { m2: ['m2', 'm3'] } },
    });
    const page = await ask('/api/conversations/c1/messages?leaf=m3&limit=1');
    expect(page.json).toMatchObject({ messages: [{ id: 'm3' }], earlier: true });
    expect((await ask('/api/conversations/c1/messages?before=m3')).json).toMatchObject({ messages: [{ id: 'm1' }] });
    expect((await ask('/api/conversations/c1/messages?leaf=nobody')).status).toBe(404);
    expect((await patch('/api/conversations/c1', { leafId: 'nobody' })).status).toBe(404);
  });

  test('an answer is made anew', async () => {
    const sent = await post('/api/conversations/c1/messages', { id: 'm1', ...said('hi') });
    server.runs.finish((sent.json as { run: { id: string } }).run.id, 'done');
    const again = await post('/api/conversations/c1/regenerate', { messageId: 'm1' });
    expect(again).toMatchObject({ status: 201, json: { run: { conversationId: 'c1' } } });
    expect(again.text).not.toContain('state of the loop');
  });

  test.each([
    ['without text', { parts: [{ type: 'text', text: ' \n' }] }],
    ['without parts', { parts: [] }],
    [
      'with an address that is no web address',
      { parts: [{ type: 'image', mimeType: 'image/png', source: { url: 'file:///etc/passwd' } }] },
    ],
    ['with data that is no base64', { parts: [{ type: 'image', mimeType: 'image/png', source: { data: '<svg>' } }] }],
    [
      'with an image that is none',
      { parts: [{ type: 'image', mimeType: 'text/html', source: { url: 'https://example.com/x' } }] },
    ],
    [
      'with parts only a model writes',
      { parts: [{ type: 'tool_call', callId: 'x', name: 'x', tool: null, arguments: {} }] },
    ],
    ['with fields nobody knows', { ...said('hi'), role: 'system' }],
  ])('one %s is refused', async (_what, body) => {
    expect(await post('/api/conversations/c1/messages', body)).toMatchObject({
      status: 400,
      json: { code: 'bad_request' },
    });
  });

  test('only a file that was uploaded can be attached', async () => {
    const image = (blob: string) => ({ parts: [{ type: 'image', mimeType: 'image/png', source: { blob } }] });
    expect((await post('/api/conversations/c1/messages', image('0'.repeat(64)))).status).toBe(404);
    const uploaded = await ask('/api/files', { body: 'png', headers: { 'content-type': 'image/png' } });
    const { sha256 } = uploaded.json as { sha256: string };
    expect((await post('/api/conversations/c1/messages', image(sha256))).status).toBe(201);
  });
});

describe('export', () => {
  test('JSON holds every message, with the bytes of its files', async () => {
    await post('/api/conversations', { id: 'c1', title: 'a/b: "東京"\r\nX: y' });
    const { sha256 } = (await ask('/api/files', { body: 'png', headers: { 'content-type': 'image/png' } })).json as {
      sha256: string;
    };
    const parts = [{ type: 'image', mimeType: 'image/png', source: { blob: sha256 } }];
    await post('/api/conversations/c1/messages', { id: 'm1', parts });
    const exported = await ask('/api/conversations/c1/export');
    expect(exported.json).toMatchObject({
      format: 'toolyard-conversation',
      messages: [{ id: 'm1', parts: [{ source: { data: Buffer.from('png').toString('base64') } }] }],
    });
    expect(exported.headers['content-disposition']).toBe(
      `attachment; filename="a b __ X y.json"; filename*=UTF-8''a%20b%20%E6%9D%B1%E4%BA%AC%20X%20y.json`,
    );
  });

  test('Markdown holds the branch that is shown', async () => {
    await post('/api/conversations', { id: 'c1', title: 'Clocks' });
    await post('/api/conversations/c1/messages', said('What time is it?'));
    const { text, headers } = await server.ask('/api/conversations/c1/export?format=markdown');
    expect(text).toBe('# Clocks\n\n## You\n\nWhat time is it?\n');
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
  });
});

describe('runs and questions', () => {
  test('runs are listed, shown and cancelled', async () => {
    await post('/api/conversations', { id: 'c1' });
    const { run } = (await post('/api/conversations/c1/messages', said('hi'))).json as { run: { id: string } };
    expect((await ask(`/api/runs/${run.id}`)).json).toMatchObject({ id: run.id, status: 'running' });
    expect((await ask('/api/runs?conversation=c1&status=running')).json).toMatchObject({ items: [{ id: run.id }] });
    expect((await ask('/api/runs?status=parked')).json).toEqual({ items: [] });
    expect((await ask('/api/runs?status=odd')).status).toBe(400);
    expect((await post(`/api/runs/${run.id}/cancel`)).json).toMatchObject({ status: 'cancelled' });
  });

  test('a question is listed, shown with its conversation, and answered once', async () => {
    await post('/api/conversations', { id: 'c1' });
    const { run } = (await post('/api/conversations/c1/messages', said('hi'))).json as { run: { id: string } };
    server.runs.ask(run.id, 'i1');
    expect((await ask('/api/interrupts')).json).toMatchObject({ items: [{ id: 'i1', conversationId: 'c1' }] });
    expect((await ask('/api/conversations/c1')).json).toMatchObject({ interrupts: [{ id: 'i1' }] });
    const answer = { decision: 'approve', scope: 'once' };
    expect(await post('/api/interrupts/i1/answer', { answer: { decision: 'maybe' } })).toMatchObject({ status: 400 });
    expect((await post('/api/interrupts/i1/answer', { answer })).json).toMatchObject({ status: 'answered', answer });
    expect(await post('/api/interrupts/i1/answer', { answer })).toMatchObject({ status: 409 });
    expect((await ask(`/api/interrupts?status=answered&run=${run.id}`)).json).toMatchObject({ items: [{ id: 'i1' }] });
  });
});

test('agents: a change of one that was changed since is refused', async () => {
  expect(await post('/api/agents', { id: 'a1', title: 'Clerk' })).toMatchObject({ status: 201, json: { version: 1 } });
  expect((await ask('/api/agents')).json).toMatchObject({ items: [{ id: 'a1' }] });
  const changed = await patch('/api/agents/a1', { version: 1, configuration: { limits: { maxTurns: 3 } } });
  expect(changed.json).toMatchObject({ version: 2, title: 'Clerk', configuration: { limits: { maxTurns: 3 } } });
  expect(await patch('/api/agents/a1', { version: 1, title: 'Late' })).toMatchObject({ status: 409 });
  expect((await ask('/api/agents/a1')).json).toMatchObject({ title: 'Clerk' });
  expect((await remove('/api/agents/a1')).status).toBe(204);
  expect((await remove('/api/agents/a1')).status).toBe(404);
});

test('providers and models', async () => {
  const provider = { id: 'mine', label: 'Mine', baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'sk-secret' };
  const made = await post('/api/providers', provider);
  expect(made).toMatchObject({ status: 201, json: { hasKey: true } });
  expect(made.text).not.toContain('sk-secret');
  expect((await patch('/api/providers/mine', { apiKey: null })).json).toMatchObject({ hasKey: false });
  expect((await ask('/api/providers')).json).toMatchObject({ items: [{ id: 'mine' }] });
  expect((await ask('/api/models')).json).toMatchObject({ models: [{ modelId: 'known' }] });
  expect((await ask('/api/models?refresh=1')).json).toMatchObject({ models: [{ modelId: 'asked-again' }] });
  expect((await post('/api/providers/test', { baseUrl: 'http://bad' })).json).toMatchObject({ ok: false });
  expect((await post('/api/providers/test', { baseUrl: 'http://good' })).json).toMatchObject({ ok: true });
  expect((await remove('/api/providers/mine')).status).toBe(204);
});

test('MCP servers and decisions about their tools', async () => {
  expect((await ask('/api/mcp/servers')).json).toMatchObject({ items: [{ id: 'files' }] });
  expect((await patch('/api/mcp/servers/files', { enabled: false })).json).toMatchObject({ enabled: false });
  expect((await post('/api/mcp/servers/files/reconnect')).json).toMatchObject({ id: 'files' });
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
  expect((await decide('allow', 'no-such-conversation')).status).toBe(404);
  expect((await remove('/api/permissions?server=files&tool=delete')).status).toBe(204);
  expect((await remove('/api/permissions?server=files&tool=delete')).status).toBe(404);
});

test('MCP servers are added, changed, tried and removed', async () => {
  const transport = { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { KEY: { secret: true }, MODE: 'fast' } };
  expect(await post('/api/mcp/servers', { id: 'new', transport })).toMatchObject({ status: 201, json: { id: 'new' } });
  expect((await post('/api/mcp/servers', { id: 'files', transport })).status).toBe(409);
  for (const wrong of [
    { id: 'a/b', transport },
    { id: ' a', transport },
    { id: 'a', transport: { type: 'stdio' } },
    { id: 'a', transport: { type: 'http', url: 'https://x.example', command: 'both' } },
    { id: 'a', transport: { ...transport, env: { KEY: { secret: false } } } },
    { id: 'a', transport, callTimeoutMs: -1 },
  ]) {
    expect((await post('/api/mcp/servers', wrong)).status).toBe(400);
  }
  expect((await ask('/api/mcp/servers/files/configuration')).json).toMatchObject({
    transport: { env: { KEY: { secret: true } } },
  });
  const edit = { transport: { type: 'http', url: 'https://x.example/mcp' }, disabledTools: ['a'], callTimeoutMs: null };
  expect((await put('/api/mcp/servers/files', edit)).json).toMatchObject({ id: 'files' });
  expect((await put('/api/mcp/servers/none', edit)).status).toBe(404);
  expect((await post('/api/mcp/test', { transport })).json).toMatchObject({
    ok: true,
    findings: [{ about: 'delete' }],
  });
  expect((await remove('/api/mcp/servers/files')).status).toBe(204);
});

test('what MCP servers offer and what went on with them', async () => {
  const at = '/api/mcp/servers/files';
  const log = await ask(`${at}/log`);
  expect(log.json).toMatchObject({ items: [{ kind: 'event' }, { kind: 'message' }], next: '1.1' });
  expect((await ask(`${at}/log?after=1.1`)).status).toBe(200);
  expect((await ask(`${at}/tools?limit=1`)).json).toMatchObject({ items: [{ name: 'delete' }], next: '1' });
  const rest = await ask(`${at}/tools?after=1`);
  expect(rest.json).toMatchObject({ items: [{ name: 'delete' }] });
  expect(rest.json).not.toHaveProperty('next');
  expect((await post(`${at}/call`, { tool: 'delete', arguments: { a: [1] } })).json).toMatchObject({ outcome: 'done' });
  expect((await post(`${at}/call`, { tool: 'delete', arguments: [] })).status).toBe(400);
  expect((await ask(`${at}/resources`)).json).toMatchObject({ items: [{ uri: 'files://files' }] });
  expect((await ask(`${at}/templates`)).json).toMatchObject({ items: [{ uriTemplate: 'files://files/{name}' }] });
  expect((await post(`${at}/read`, { uri: 'files://a' })).json).toMatchObject({ contents: [{ text: 'files' }] });
  expect((await ask('/api/mcp/prompts')).json).toMatchObject({
    items: [{ name: 'p' }],
    failures: [{ serverId: 'other' }],
  });
  expect((await post(`${at}/prompts/get`, { name: 'p', arguments: { x: 'y' } })).json).toMatchObject({
    messages: [{ role: 'user', content: { text: 'p' } }],
  });
  const argument = { name: 'x', value: 'tide' };
  expect((await post(`${at}/complete`, { target: { prompt: 'p' }, argument })).json).toEqual({
    values: ['tides'],
    hasMore: false,
  });
  expect((await post(`${at}/complete`, { target: { prompt: 'p', uriTemplate: 'x' }, argument })).status).toBe(400);
});

test('settings: the page keeps what it likes, and cannot reach what the server keeps', async () => {
  await server.storage.settings.set(OWNER, 'providers', [{ id: 'mine', baseUrl: 'https://mine.example' }], 1);
  const put = (key: string, json: unknown) => ask(`/api/settings/${key}`, { method: 'PUT', json });
  expect((await put('theme', 'dark')).json).toBe('dark');
  expect((await put('defaults', { instructions: 'Be kind.' })).status).toBe(200);
  expect(await put('defaults', { instruction: 'typo' })).toMatchObject({ status: 400 });
  expect((await put('providers', [{ id: 'mine', baseUrl: 'https://evil.example' }])).status).toBe(200);
  expect(await server.storage.settings.get(OWNER, 'providers')).toEqual([
    { id: 'mine', baseUrl: 'https://mine.example' },
  ]);
  expect((await ask('/api/settings')).json).toMatchObject({ defaults: { instructions: 'Be kind.' }, theme: 'dark' });
  expect((await remove('/api/settings/theme')).status).toBe(204);
  expect((await remove('/api/settings/theme')).status).toBe(404);
  expect((await put('..%2Fx', 1)).status).toBe(400);
  expect((await put('big', 'x'.repeat(70_000))).status).toBe(413);
});

test('files are uploaded and fetched', async () => {
  const sound = await ask('/api/files', { body: 'sound', headers: { 'content-type': 'audio/mpeg' } });
  const sha256 = createHash('sha256').update('sound').digest('hex');
  expect(sound).toMatchObject({ status: 201, json: { sha256, size: 5, mimeType: 'audio/mpeg' } });
  const fetched = await ask(`/api/files/${sha256}`);
  expect(fetched).toMatchObject({ status: 200, text: 'sound', headers: { 'content-type': 'audio/mpeg' } });
  expect(fetched.headers['cache-control']).toContain('private');
  const { etag = '' } = fetched.headers;
  expect((await ask(`/api/files/${sha256}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await ask('/api/files/..%2f..%2ftoolyard.db')).status).toBe(404);
});

test('operations', async () => {
  expect((await ask('/health')).json).toMatchObject({ status: 'ok' });
  expect((await ask('/ready')).status).toBe(200);
  expect((await ask('/props')).json).toMatchObject({ ui: true, cors_proxy_enabled: false });
  expect((await ask('/api/session')).json).toMatchObject({ ownerId: 'owner', tokenRequired: false });
});

test('not ready until earlier runs are taken up, though healthy', async () => {
  let ready = false;
  const starting = await startTestServer({ change: { ready: () => ready } });
  try {
    expect((await starting.ask('/ready')).status).toBe(503);
    expect((await starting.ask('/health')).status).toBe(200);
    ready = true;
    expect((await starting.ask('/ready')).status).toBe(200);
  } finally {
    await starting.close();
  }
});
