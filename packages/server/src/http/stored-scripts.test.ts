import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { McpServerView, Message } from '@toolyard/protocol';
import type { RouteDescription } from './transport/router.ts';
import type { TestResponse, TestServer } from './test-fixtures/test-server.ts';
import { startTestServer } from './test-fixtures/test-server.ts';

/** Closes every context it may be in (tag, attribute, script, comment) before it starts a script. */
const SCRIPT = `'"></title></script>--><img src=x onerror=alert(1)><svg onload=alert(1)><script>alert(1)</script>`;
/** Headers of a browser navigation. */
const OPENED = {
  accept: 'text/html,application/xhtml+xml',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

/** Metrics are disabled by default; the server sent no icon, is no plugin and needs no approval. */
const ABSENT: Record<string, number> = {
  '/metrics': 404,
  '/api/mcp/servers/{id}/icon': 404,
  '/api/mcp/servers/{id}/plugin': 409,
  '/api/mcp/servers/{id}/approval': 409,
};

let server: TestServer;
let stored: Record<string, string>;
beforeEach(async () => {
  server = await startTestServer();
  vi.spyOn(server.servers.editable, 'list').mockResolvedValue({ items: [hostileServer()] });
  stored = await store();
});
afterEach(() => server.close());

/** A server whose every text contains the script. */
function hostileServer(): McpServerView {
  return {
    id: 'files',
    state: 'failed',
    enabled: true,
    builtIn: false,
    origin: 'file',
    editable: true,
    phases: [],
    offers: { tools: 1 },
    tokens: 1,
    instructions: SCRIPT,
    transport: { type: 'stdio', command: SCRIPT },
    serverInfo: { name: SCRIPT, version: SCRIPT, title: SCRIPT },
    error: { code: 'server_exited', message: SCRIPT },
    tools: [
      {
        tool: { serverId: 'files', name: SCRIPT },
        title: SCRIPT,
        description: SCRIPT,
        readOnly: false,
        permission: null,
        name: SCRIPT,
        enabled: true,
        tokens: 1,
      },
    ],
    skipped: [{ name: SCRIPT, reason: SCRIPT }],
    log: [{ at: 1, level: 'error', text: SCRIPT }],
  };
}

/** Stores the script in every text field; returns the ids. */
async function store(): Promise<Record<string, string>> {
  const post = (target: string, json: unknown) => server.ask(target, { json });
  const parts = [
    { type: 'text', text: SCRIPT },
    { type: 'file', name: SCRIPT, mimeType: 'text/html', source: { data: 'PHNjcmlwdD4=' } },
    { type: 'resource', uri: `ui://${SCRIPT}`, name: SCRIPT, title: SCRIPT, mimeType: 'text/html', text: SCRIPT },
  ];
  await post('/api/agents', { id: 'a', title: SCRIPT, configuration: { instructions: SCRIPT } });
  await post('/api/conversations', { id: 'c', title: SCRIPT, agentId: 'a' });
  const sent = await post('/api/conversations/c/messages', { parts });
  const { run } = sent.json as { run: { id: string } };
  await post('/api/conversations/c/messages', { id: 'queued', parts });
  await server.ask('/api/drafts/c', { method: 'PUT', json: { text: SCRIPT, attachments: [] } });
  const parameters = { extra: { [SCRIPT]: SCRIPT } };
  const none = { instructions: 0, tools: 0, results: 0, messages: 0 };
  const fill = { tokens: 0, window: 1, parts: none };
  const asked = {
    model: SCRIPT,
    leafId: null,
    toolChoice: 'auto',
    toolMode: 'native',
    at: 1,
    timeZone: 'UTC',
  } as const;
  server.runs.emit(run.id, { type: 'request_made', messageId: 'x', request: { ...asked, parameters, fill } });
  server.runs.emit(run.id, { type: 'text_delta', messageId: 'x', text: SCRIPT });
  server.runs.emit(run.id, { type: 'message_finished', message: answer(run.id) });
  server.runs.ask(run.id, 'i');
  server.runs.finish(run.id, 'done');
  await server.storage.messages.add({ ownerId: 'owner' }, 'c', answer(run.id));
  await server.storage.conversations.setLeaf({ ownerId: 'owner' }, 'c', 'answer');
  await post('/api/providers', { id: 'p', label: SCRIPT, baseUrl: 'http://127.0.0.1:1' });
  await server.ask('/api/settings/s', { method: 'PUT', json: { text: SCRIPT } });
  const timing = { kind: 'interval', seconds: 31_536_000 };
  await post('/api/schedules', { id: 'schedule', title: SCRIPT, task: SCRIPT, timing });
  await post('/api/groups', {
    id: 'group',
    title: SCRIPT,
    members: [],
    mode: { kind: 'round_robin' },
    instructions: SCRIPT,
  });
  await post('/api/triggers', {
    id: 'trigger',
    title: SCRIPT,
    agentId: 'a',
    template: SCRIPT,
    signature: { kind: 'github' },
  });
  const skill = join(server.folder, 'skills', 'notes');
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, 'SKILL.md'), `---\nname: notes\ndescription: ${JSON.stringify(SCRIPT)}\n---\n${SCRIPT}`);
  const note = { id: 'note', text: SCRIPT, source: null, at: 1 };
  await server.storage.memories.add({ ownerId: 'owner' }, note, 10);
  const tool = { serverId: 'files', name: SCRIPT };
  await server.storage.permissions.set({ ownerId: 'owner' }, { tool, conversationId: null, decision: 'allow', at: 1 });
  const file = await server.ask('/api/files', { body: SCRIPT, headers: { 'content-type': 'text/html' } });
  const { sha256 } = file.json as { sha256: string };
  const created = await post('/api/access/keys', { name: SCRIPT });
  return {
    sessions: 'none',
    drafts: 'c',
    schedules: 'schedule',
    groups: 'group',
    triggers: 'trigger',
    trigger: 'trigger',
    skills: 'data:notes',
    message: 'answer',
    memories: 'note',
    keys: (created.json as { id: string }).id,
    interrupts: 'i',
    conversations: 'c',
    item: 'queued',
    runs: run.id,
    agents: 'a',
    providers: 'p',
    provider: 'p',
    servers: 'files',
    step: '0',
    tab: 't',
    tabs: 't',
    conversation: 'c',
    run: run.id,
    call: 'k',
    question: 'q',
    key: 's',
    sha256,
  };
}

function answer(runId: string): Extract<Message, { role: 'assistant' }> {
  return {
    id: 'answer',
    parentId: null,
    createdAt: 1,
    role: 'assistant',
    runId,
    model: SCRIPT,
    finishReason: 'stop',
    parts: [
      { type: 'text', text: SCRIPT },
      { type: 'citation', url: `javascript:alert(1)//${SCRIPT}`, title: SCRIPT, text: SCRIPT },
      { type: 'tool_call', callId: 'k', name: SCRIPT, tool: null, arguments: { [SCRIPT]: SCRIPT } },
    ],
  };
}

function createTarget({ path }: RouteDescription, fill?: string): string {
  const filled = path.replaceAll(/([a-z]+)\/\{(\w+)\}/g, (_all, before: string, name: string) => {
    const id = fill ?? stored[name] ?? stored[before];
    if (id === undefined) throw new Error(`${path}: say here which ${name} is meant`);
    return `${before}/${encodeURIComponent(id)}`;
  });
  return path === '/api/skills/{id}/file' ? `${filled}?path=SKILL.md` : filled;
}

/** Why a browser might execute the content of this response. */
function dangers({ headers }: TestResponse): string[] {
  const type = headers['content-type'] ?? 'none';
  const isSaved = /^attachment; filename="[^"<>]*"(; filename\*=UTF-8''[\w.~!%-]*)?$/.test(
    headers['content-disposition'] ?? '',
  );
  const isData = /^(application\/(problem\+)?json|text\/event-stream)(; charset=utf-8)?$/.test(type);
  return [
    ...(isData || isSaved ? [] : [`shown as ${type}`]),
    ...(headers['x-content-type-options'] === 'nosniff' ? [] : ['may be taken for something else']),
    ...(headers['content-security-policy']?.includes("default-src 'none'") ? [] : ['may run scripts']),
  ];
}

/** The only HTML response of the API, with scripts of its own only. */
const isPage = ({ path }: RouteDescription): boolean => path === '/api/mcp/sign-in/callback' || path === RELAY;
/** Passes its query to the waiting tab and shows none of it. */
const RELAY = '/api/mcp/sign-in/tab';

describe('attack 14: scripts in stored texts', () => {
  test('are text in the page that ends a sign-in, whatever their source', async () => {
    const script = encodeURIComponent(SCRIPT);
    for (const query of [
      `state=${script}`,
      `state=x&error=${script}&error_description=${script}`,
      `${script}=${script}`,
    ]) {
      for (const [path, status] of [
        ['/api/mcp/sign-in/callback', 400],
        [RELAY, 200],
      ] as const) {
        const answer = await server.ask(`${path}?${query}`);
        expect([path, answer.status]).toEqual([path, status]);
        expect(answer.text).not.toContain(SCRIPT);
        expect(answer.headers['content-security-policy']).toMatch(
          /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'/,
        );
      }
    }
  });

  test('are returned unchanged as data on every route, never as a document', async () => {
    const carriers: string[] = [];
    for (const route of server.app.routes.filter((each) => each.method === 'GET' && !isPage(each))) {
      const endless = route.path === '/api/events';
      const answer = await server.ask(createTarget(route), { headers: OPENED, method: endless ? 'HEAD' : 'GET' });
      const status = ABSENT[route.path] ?? 200;
      expect([route.path, answer.status, dangers(answer)]).toEqual([route.path, status, []]);
      if (answer.text.includes(JSON.stringify(SCRIPT).slice(1, -1)) || answer.text === SCRIPT)
        carriers.push(route.path);
    }
    expect(carriers.toSorted()).toEqual([
      '/api/access/keys',
      '/api/agents',
      '/api/agents/{id}',
      '/api/agents/{id}/export',
      '/api/conversations',
      '/api/conversations/{id}',
      '/api/conversations/{id}/export',
      '/api/conversations/{id}/messages',
      '/api/conversations/{id}/queue',
      '/api/drafts/{id}',
      '/api/files/{sha256}',
      '/api/groups',
      '/api/groups/{id}',
      '/api/mcp/servers',
      '/api/memories',
      '/api/models',
      '/api/permissions',
      '/api/providers',
      '/api/runs',
      '/api/runs/{id}/events',
      '/api/runs/{id}/steps/{step}/request',
      '/api/runs/{id}/tree',
      '/api/schedules',
      '/api/schedules/{id}',
      '/api/settings',
      '/api/skills',
      '/api/skills/{id}',
      '/api/skills/{id}/file',
      '/api/triggers',
      '/api/triggers/{id}',
    ]);
    const markdown = await server.ask('/api/conversations/c/export?format=markdown', { headers: OPENED });
    expect(markdown.text).toContain(SCRIPT);
    expect(dangers(markdown)).toEqual([]);
  });

  test('in a URL, a query or a body are repeated as data in every error', async () => {
    const refusals: TestResponse[] = [];
    for (const route of server.app.routes.filter((each) => !isPage(each))) {
      const method = route.method;
      const target = createTarget(route, SCRIPT);
      if (target !== route.path) refusals.push(await server.ask(target, { method, headers: OPENED }));
      refusals.push(
        await server.ask(`${createTarget(route)}?${encodeURIComponent(SCRIPT)}=${encodeURIComponent(SCRIPT)}`, {
          method,
        }),
      );
      if (route.method !== 'GET')
        refusals.push(await server.ask(createTarget(route), { method, json: { [SCRIPT]: SCRIPT } }));
    }
    refusals.push(await server.ask(`/api/${encodeURIComponent(SCRIPT)}`, { headers: OPENED }));
    refusals.push(
      await server.ask('/api/conversations', { body: SCRIPT, headers: { 'content-type': 'application/json' } }),
    );
    for (const refusal of refusals.filter(({ status }) => status >= 400)) {
      expect([refusal.text, dangers(refusal)]).toEqual([refusal.text, []]);
      expect(refusal.headers['content-type']).toMatch(/^application\/problem\+json/);
    }
    expect(refusals.filter(({ status }) => status >= 400).length).toBeGreaterThan(60);
  });
});
