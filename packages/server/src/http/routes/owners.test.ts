import type { JsonValue } from '@toolyard/protocol';
import { TAB_RUNS_VERSION } from '@toolyard/protocol';
import { within } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RouteDescription } from '../transport/router.ts';
import type { TestRequestOptions, TestServer } from '../test-fixtures/test-server.ts';
import { ANNE, as, BERT, startTestServer } from '../test-fixtures/test-server.ts';

/** Every test iterates over the described routes, so that new routes are covered automatically. */
let server: TestServer;
let theirs: Record<string, string>;

/** Valid bodies; a route with a body that is missing here fails the test. */
const BODIES: Record<string, unknown> = {
  'POST /api/images': { url: 'http://127.0.0.1:1/a.png' },
  'POST /api/mcp/preflight': { url: 'http://127.0.0.1:1/mcp' },
  'POST /api/proxy/tickets': { target: 'https://mcp.example.com/' },
  'POST /api/session': { token: 'wrong' },
  'POST /api/conversations': { title: 'of Bert' },
  'PATCH /api/conversations/{id}': { title: 'taken over' },
  'POST /api/conversations/{id}/messages': { parts: [{ type: 'text', text: 'taken over' }] },
  'POST /api/conversations/{id}/regenerate': { messageId: 'm1' },
  'POST /api/conversations/{id}/continue': {},
  'PATCH /api/conversations/{id}/queue/{item}': { before: null },
  'POST /api/interrupts/{id}/answer': { answer: { decision: 'approve', scope: 'always' } },
  'POST /api/runs': { parts: [{ type: 'text', text: 'of Bert' }] },
  'POST /api/interrupts/answers': { answers: [{ id: 'nobodys', answer: { decision: 'decline' } }] },
  'POST /api/agents': { title: 'of Bert' },
  'POST /api/groups': { id: 'by-bert', title: 'of Bert', members: [], mode: { kind: 'round_robin' } },
  'PATCH /api/groups/{id}': { version: 1, title: 'taken over' },
  'POST /api/schedules': { id: 'by-bert', title: 'of Bert', task: 'x', timing: { kind: 'interval', seconds: 60 } },
  'POST /api/triggers': {
    title: 'of Bert',
    agentId: 'agent-of-bert',
    template: 'x',
    signature: { kind: 'github' },
  },
  'PATCH /api/triggers/{id}': { version: 1, title: 'taken over' },
  'POST /api/triggers/{id}/test': { payload: {}, run: true },
  'POST /api/schedules/preview': { timing: { kind: 'interval', seconds: 60 } },
  'PUT /api/tools/media': { image: null, speech: null },
  'PATCH /api/conversations/{id}/translations/{message}': { to: 'en', content: 'taken over' },
  'POST /api/conversations/{id}/messages/{message}/call': {},
  'PATCH /api/memories/{id}': { text: 'taken over' },
  'PATCH /api/schedules/{id}': { version: 1, title: 'taken over' },
  'PATCH /api/agents/{id}': { version: 1, title: 'taken over' },
  'POST /api/providers': { label: 'of Bert', baseUrl: 'http://127.0.0.1:1' },
  'POST /api/providers/test': { baseUrl: 'http://127.0.0.1:1' },
  'PATCH /api/providers/{id}': { label: 'taken over' },
  'POST /api/mcp/servers': { id: 'of-bert', transport: { type: 'stdio', command: 'x' } },
  'PUT /api/mcp/servers/{id}': { transport: { type: 'stdio', command: 'x' } },
  'PUT /api/mcp/servers/{id}/plugin': { values: { apiKey: 'of Bert' } },
  'PATCH /api/mcp/servers/{id}': { enabled: false },
  'POST /api/mcp/servers/{id}/approval': { hash: 'h' },
  'PUT /api/mcp/unsandboxed-servers': { servers: ['files'] },
  'POST /api/mcp/test': { transport: { type: 'stdio', command: 'x' } },
  'POST /api/mcp/servers/{id}/tools/call': { tool: 'delete' },
  'POST /api/mcp/servers/{id}/tools/test': { tool: 'delete' },
  'POST /api/mcp/servers/{id}/tasks/result': { taskId: 't1' },
  'POST /api/mcp/servers/{id}/tasks/cancel': { taskId: 't1' },
  'POST /api/mcp/servers/{id}/resources/follow': { uris: ['files://a'] },
  'POST /api/mcp/servers/{id}/resources/read': { uri: 'files://a' },
  'POST /api/mcp/servers/{id}/apps/read': { uri: 'ui://app' },
  'POST /api/mcp/servers/{id}/apps/call': { conversationId: 'conversation-of-anne', tool: 'delete' },
  'POST /api/mcp/servers/{id}/prompts/get': { name: 'p' },
  'POST /api/mcp/servers/{id}/complete': { target: { prompt: 'p' }, argument: { name: 'x', value: '' } },
  'PUT /api/settings/{key}': 'of Bert',
  'PUT /api/drafts/{id}': { text: 'taken over', attachments: [] },
  'POST /api/access/keys': { name: 'of Bert' },
  'POST /api/files/links': { files: ['0'.repeat(64)] },
  'PATCH /api/skills/{id}': { enabled: true, digest: `sha256:${'0'.repeat(64)}` },
  'PUT /api/tools/web': { search: { engine: 'brave', key: 'of Bert' }, privateOrigins: [] },
  'PUT /api/webhook': { url: 'https://bert.example/' },
  'PUT /api/permissions': { tool: { serverId: 'files', name: 'delete' }, conversationId: null, decision: 'never' },
  'PUT /api/tabs/{tab}/conversations/{conversation}/tools': { servers: [] },
  'POST /api/tabs/{tab}/conversations/{conversation}/apps/check': {
    server: { id: 'browser-x', url: 'http://x/' },
    tool: { name: 'secret-tool', inputSchema: { type: 'object' } },
  },
  'POST /api/tabs/{tab}/runs': {
    v: TAB_RUNS_VERSION,
    conversationId: 'conversation-of-anne',
    parts: [{ type: 'text', text: 'taken over' }],
  },
  'POST /api/tabs/{tab}/runs/{run}/lease': { fence: 1 },
  'POST /api/tabs/{tab}/runs/{run}/claim': { v: TAB_RUNS_VERSION },
  'POST /api/tabs/{tab}/runs/{run}/commit': { v: TAB_RUNS_VERSION, fence: 1, number: 1, baseSeq: 0, events: [] },
  'POST /api/tabs/{tab}/runs/{run}/sub-agents': {
    ...{ fence: 1, callId: 'run-of-anne.1.0', before: 0, leafId: null, callMessageId: null, summary: null, tools: [] },
    tasks: [{ task: { task: 'taken over' } }],
  },
  'POST /api/tabs/{tab}/runs/{run}/tools': { fence: 1, calls: [] },
  'POST /api/tabs/{tab}/runs/{run}/tool-calls/{call}': { fence: 1 },
  'POST /api/tabs/{tab}/runs/{run}/sub-agents/results': { runs: ['run-of-anne'] },
  'POST /api/tabs/{tab}/runs/{run}/calls/{call}/result': {
    fence: 1,
    result: { content: [], isError: false, outcome: 'done' },
  },
  'PUT /api/tabs/{tab}/runs/{run}/calls/{call}/questions/{question}': {
    fence: 1,
    question: { kind: 'url', message: 'taken over', url: 'https://example.com/' },
  },
  'POST /webapi/chat/{provider}': {
    model: 'demo',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  },
  'POST /api/providers/{id}/embeddings': { model: 'm', input: ['hi'] },
  'POST /api/providers/{id}/images': { model: 'm', prompt: 'a cat' },
  'POST /api/providers/{id}/speech': { model: 'm', text: 'hi' },
  'POST /api/providers/{id}/transcriptions': {
    model: 'm',
    audio: { type: 'audio', mimeType: 'audio/wav', source: { data: 'AAAA' } },
  },
  'POST /api/providers/{id}/objects': {
    model: 'm',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
    name: 'thing',
    schema: {},
  },
};
const QUERIES: Record<string, string> = {
  'DELETE /api/permissions': '?server=files&tool=delete',
  'GET /api/skills/{id}/file': '?path=SKILL.md',
};
const LENT = {
  servers: [{ id: 'browser-x', url: 'http://x/', tools: [{ name: 'secret-tool', inputSchema: { type: 'object' } }] }],
};
/** Routes with the same content for every user. */
const SAME_FOR_ALL = new Set(['/api/openapi.json', '/health', '/ready', '/props']);

beforeEach(async () => {
  server = await startTestServer({ security: { tokens: [ANNE, BERT] }, owner: ANNE.principal });
  theirs = await makeThings();
});
afterEach(() => server.close());

async function makeThings(): Promise<Record<string, string>> {
  const headers = as(ANNE);
  const post = (target: string, json: unknown) => server.ask(target, { headers, json });
  await post('/api/agents', { id: 'agent-of-anne', title: 'secret-agent' });
  const members = [{ agentId: 'agent-of-anne', name: 'secret-member' }];
  await post('/api/groups', { id: 'group-of-anne', title: 'secret-group', members, mode: { kind: 'round_robin' } });
  await post('/api/conversations', { id: 'conversation-of-anne', title: 'secret-title' });
  const say = (id: string) => ({ id, parts: [{ type: 'text', text: 'secret-words' }] });
  const sent = await post('/api/conversations/conversation-of-anne/messages', say('m1'));
  await post('/api/conversations/conversation-of-anne/messages', say('queued-of-anne'));
  const run = (sent.json as { run: { id: string } }).run.id;
  server.runs.ask(run, 'interrupt-of-anne');
  server.runs.emit(run, { type: 'text_delta', messageId: 'x', text: 'secret-delta' });
  const { bytes: _bytes, json } = await server.ask('/api/files', {
    headers: { ...headers, 'content-type': 'image/png' },
    body: 'secret-bytes',
  });
  await post('/api/providers', { id: 'provider-of-anne', label: 'secret-provider', baseUrl: 'http://127.0.0.1:1' });
  await server.ask('/api/settings/key-of-anne', { method: 'PUT', headers, json: 'secret-setting' });
  const draft = { text: 'secret-draft', attachments: [] };
  await server.ask('/api/drafts/conversation-of-anne', { method: 'PUT', headers, json: draft });
  const timing = { kind: 'interval', seconds: 31_536_000 };
  await post('/api/schedules', { id: 'schedule-of-anne', title: 'secret-schedule', task: 'secret-task', timing });
  await post('/api/triggers', {
    id: 'trigger-of-anne',
    title: 'secret-trigger',
    agentId: 'agent-of-anne',
    template: 'secret-template',
    signature: { kind: 'github' },
  });
  const note = { id: 'memory-of-anne', text: 'secret-memory', source: null, at: 1 };
  await server.storage.memories.add(ANNE.principal, note, 10);
  const tool = { serverId: 'files', name: 'delete' };
  await server.storage.permissions.set(ANNE.principal, { tool, conversationId: null, decision: 'allow', at: 1 });
  await server.ask('/api/tabs/tab-of-anne/conversations/conversation-of-anne/tools', {
    method: 'PUT',
    headers,
    json: LENT,
  });
  const key = { runId: run, callId: 'call-of-anne' };
  const pendingCall = { tool: { serverId: 'browser-x', name: 'secret-tool' }, arguments: {}, definition: '', at: 1 };
  await server.storage.tabs.putCall(ANNE.principal, { ...key, ...pendingCall, conversationId: 'conversation-of-anne' });
  await server.storage.tabs.openCall(ANNE.principal, key, 1);
  await server.ask('/api/session', { json: { token: ANNE.token }, headers: { 'user-agent': 'secret-browser' } });
  const session = (await server.storage.sessions.list(ANNE.principal, Date.now()))[0]?.id ?? '';
  const created = await post('/api/access/keys', { name: 'secret-key' });
  const apiKey = (created.json as { id: string }).id;
  return {
    tab: 'tab-of-anne',
    tabs: 'tab-of-anne',
    conversation: 'conversation-of-anne',
    run,
    call: 'call-of-anne',
    question: 'interrupt-of-anne',
    conversations: 'conversation-of-anne',
    item: 'queued-of-anne',
    runs: run,
    interrupts: 'interrupt-of-anne',
    agents: 'agent-of-anne',
    groups: 'group-of-anne',
    providers: 'provider-of-anne',
    provider: 'provider-of-anne',
    servers: 'files',
    sessions: session,
    skills: 'data:skill-of-anne',
    drafts: 'conversation-of-anne',
    schedules: 'schedule-of-anne',
    triggers: 'trigger-of-anne',
    trigger: 'trigger-of-anne',
    message: 'm1',
    memories: 'memory-of-anne',
    keys: apiKey,
    sha256: (json as { sha256: string }).sha256,
    key: 'key-of-anne',
    step: '0',
  };
}

/** The path with ids that belong to Anne. */
function createTarget({ method, path }: RouteDescription): string {
  const filled = path.replaceAll(/([a-z]+)\/\{(\w+)\}/g, (_all, before: string, name: string) => {
    const id = theirs[name] ?? theirs[before];
    if (id === undefined) throw new Error(`${path}: say here which ${name} of Anne is meant`);
    return `${before}/${id}`;
  });
  return filled + (QUERIES[`${method} ${path}`] ?? '');
}

function createOptions({ method, path, body, upload }: RouteDescription): TestRequestOptions {
  const headers = as(BERT);
  if (method === 'GET') return { headers };
  if (upload !== undefined) return { method, body: 'of Bert', headers: { ...headers, 'content-type': 'image/png' } };
  const json = BODIES[`${method} ${path}`];
  if (body !== undefined && json === undefined) throw new Error(`${method} ${path}: say here what fits it`);
  return { method: method, headers, json: json ?? {} };
}

/** MCP servers belong to the installation: all its users call them, and its owner changes them. */
const MCP_SERVER = '/api/mcp/servers/{id}';

const isStream = ({ mediaType }: RouteDescription): boolean => mediaType === 'text/event-stream';

async function everythingOfAnne(): Promise<JsonValue[]> {
  const routes = server.app.routes.filter((route) => route.method === 'GET' && !isStream(route));
  const found = [];
  for (const route of routes) {
    const target = createTarget(route);
    // The log grows with every request to the server.
    if (target.includes('/export') || target.endsWith('/log')) continue;
    found.push({ target, answer: (await server.ask(target, { headers: as(ANNE) })).text });
  }
  return found;
}

describe('attack 10: data of another owner', () => {
  test('is not found by id', async () => {
    const before = await everythingOfAnne();
    for (const route of server.app.routes.filter(({ path }) => path.includes('{'))) {
      // Setting keys are per owner: any owner can create this key.
      if (route.path === '/api/settings/{key}' && route.method === 'PUT') continue;
      if (route.path.startsWith(MCP_SERVER)) continue;
      // The sender of a delivery has no other credential than the signature.
      if (route.path === '/api/hooks/{trigger}') continue;
      const answer = await server.ask(createTarget(route), createOptions(route));
      expect([route.method, route.path, answer.status]).toEqual([route.method, route.path, 404]);
      expect(answer.text).not.toContain('secret');
    }
    expect(await everythingOfAnne()).toEqual(before);
  });

  test('includes the configuration of MCP servers', async () => {
    const CONFIGURES = /\{id\}(\/(configuration|plugin|approval|reconnect|sign-in|log|icon))?$/;
    for (const route of server.app.routes.filter(({ path }) => path.startsWith(MCP_SERVER) && CONFIGURES.test(path))) {
      const { status } = await server.ask(createTarget(route), createOptions(route));
      expect([route.method, route.path, status]).toEqual([route.method, route.path, 403]);
    }
  });

  test('is in no list, and not affected by requests without ids', async () => {
    const before = await everythingOfAnne();
    for (const route of server.app.routes.filter(({ path }) => !path.includes('{'))) {
      if (isStream(route) || SAME_FOR_ALL.has(route.path)) continue;
      const { text } = await server.ask(createTarget(route), createOptions(route));
      for (const secret of ['secret', 'of-anne', theirs['runs'] ?? '']) {
        expect([route.method, route.path, text.includes(secret)]).toEqual([route.method, route.path, false]);
      }
    }
    expect(await everythingOfAnne()).toEqual(before);
  });

  test('is not published to other owners', async () => {
    const control = new AbortController();
    const stream = await fetch(`${server.url}/api/events`, { headers: as(BERT), signal: control.signal });
    const events = watchText(stream);
    await events.readUntil('"hello"');
    server.runs.emit(theirs['runs'] ?? '', { type: 'text_delta', messageId: 'x', text: 'secret-delta' });
    const change = { method: 'PATCH', headers: as(ANNE), json: { title: 'secret-title 2' } };
    await server.ask('/api/conversations/conversation-of-anne', change);
    await server.ask('/api/conversations', { headers: as(BERT), json: { id: 'of-bert' } });
    await events.readUntil('of-bert');
    control.abort();
    expect(events.soFar()).not.toMatch(/secret|of-anne|text_delta/);
  });

  test('cannot be created again under the same id, nor found through filters', async () => {
    const headers = as(BERT);
    const taken = await server.ask('/api/conversations', { headers, json: { id: 'conversation-of-anne' } });
    expect(taken).toMatchObject({ status: 400 });
    expect(taken.text).not.toContain('secret');
    for (const target of [
      `/api/interrupts?conversation=conversation-of-anne`,
      `/api/interrupts?run=${theirs['runs'] ?? ''}`,
      `/api/runs?conversation=conversation-of-anne`,
      `/api/permissions?conversation=conversation-of-anne`,
      '/api/conversations?q=secret-words',
    ]) {
      expect([target, (await server.ask(target, { headers })).json]).toEqual([target, { items: [] }]);
    }
    const { sha256 } = theirs;
    const parts = [{ type: 'image', mimeType: 'image/png', source: { blob: sha256 } }];
    await server.ask('/api/conversations', { headers, json: { id: 'of-bert' } });
    expect((await server.ask('/api/conversations/of-bert/messages', { headers, json: { parts } })).status).toBe(404);
  });

  test("cannot be reached through the attacker's own data", async () => {
    const before = await everythingOfAnne();
    const headers = as(BERT);
    const bert = async (target: string, json: unknown, method = 'POST') =>
      server.ask(target, { headers, json, method });
    await bert('/api/conversations', { id: 'of-bert' });
    const own = '/api/conversations/of-bert';
    const parts = [{ type: 'text', text: 'mine' }];
    const refused = [
      await bert('/api/conversations', { agentId: 'agent-of-anne' }),
      await bert(own, { agentId: 'agent-of-anne' }, 'PATCH'),
      await bert(own, { leafId: 'm1' }, 'PATCH'),
      await bert(`${own}/regenerate`, { messageId: 'm1' }),
      await bert(`${own}/queue/queued-of-anne`, { before: null }, 'PATCH'),
      await bert(`${own}/queue/queued-of-anne/send`, {}),
      await bert(`${own}/queue/queued-of-anne`, {}, 'DELETE'),
      await server.ask(`${own}/messages?leaf=m1`, { headers }),
      await server.ask(`${own}/messages?before=m1`, { headers }),
      await bert(`${own}/messages`, { parts, parentId: 'm1' }),
    ];
    for (const [index, { status, text }] of refused.entries()) {
      expect([index, status >= 400 && status < 500, text.includes('secret')]).toEqual([index, true, false]);
    }
    const forged = `0;${theirs['runs'] ?? ''}=0`;
    const control = new AbortController();
    const stream = await fetch(`${server.url}/api/events?after=${encodeURIComponent(forged)}`, {
      headers,
      signal: control.signal,
    });
    const events = watchText(stream);
    await events.readUntil('"hello"');
    await bert('/api/conversations', { id: 'later-of-bert' });
    await events.readUntil('later-of-bert');
    control.abort();
    expect(events.soFar()).not.toMatch(/secret|"run"/);
    expect(await everythingOfAnne()).toEqual(before);
  });
});

/** Reads the text of an event stream. */
function watchText({ body }: Response) {
  const reader = (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader();
  let soFar = '';
  return {
    soFar: () => soFar,
    async readUntil(text: string): Promise<void> {
      while (!soFar.includes(text)) {
        const { done, value } = await within(reader.read(), { what: `${text} in the event stream` });
        if (done) throw new Error(`The event stream ended before ${text}: ${soFar}`);
        soFar += value;
      }
    },
  };
}
