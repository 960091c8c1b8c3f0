import { GROUP_TOOLS } from '@toolyard/agent-host';
import { createMemoryAuthStore } from '@toolyard/mcp-host';
import { systemClock } from '@toolyard/protocol';
import type { McpRouteKey } from '@toolyard/protocol/schemas';
import type { McpBehaviour } from '@toolyard/testing';
import { eventually, scriptedMcpCommand } from '@toolyard/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TestServer } from '../http/test-fixtures/test-server.ts';
import { startTestServer } from '../http/test-fixtures/test-server.ts';
import { findOffers } from '../roles/catalogue.ts';
import { createInternalApi } from '../roles/internal-api.ts';
import { createInternalClient } from '../roles/internal-client.ts';
import type { Relays } from '../roles/relays.ts';
import { createRemoteServers } from '../roles/remote-servers.ts';
import { createServers } from './servers.ts';
import { EVERYTHING_APPROVED } from './test-fixtures/everything-approved.ts';
import { OWNER } from './test-fixtures/server-setup.ts';

const LAB: McpBehaviour = {
  tools: [{ name: 'echo', does: [{ do: 'echo' }] }, { name: 'hidden' }],
  capabilities: { resources: { subscribe: true }, prompts: {}, completions: {} },
  answers: {
    'resources/list': { result: { resources: [{ uri: 'lab://a', name: 'a' }] } },
    'resources/templates/list': { result: { resourceTemplates: [{ uriTemplate: 'lab://{id}', name: 't' }] } },
    'resources/read': { result: { contents: [{ uri: 'ui://a', mimeType: 'text/html;profile=mcp-app', text: '<p>' }] } },
    'resources/subscribe': { result: {} },
    'prompts/list': { result: { prompts: [{ name: 'p', arguments: [{ name: 'x' }] }] } },
    'prompts/get': { result: { messages: [{ role: 'user', content: { type: 'text', text: 'filled' } }] } },
    'completion/complete': { result: { completion: { values: ['tides'] } } },
  },
};
/** Requests to it end only when they are cancelled. */
const SILENT: McpBehaviour = {
  tools: [{ name: 'hang', does: [{ do: 'never' }] }],
  capabilities: LAB.capabilities ?? {},
  silentOn: ['resources/read', 'prompts/get', 'completion/complete'],
};

type Place = 'in the process with the connections' | 'in another process';

/** The HTTP API of a process with connections to `lab` and `silent`, or of one that asks such a process. */
async function serve(place: Place): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-operations-'));
  const file = join(folder, 'mcp.json');
  const entries = { lab: scriptedMcpCommand(LAB), silent: scriptedMcpCommand(SILENT) };
  writeFileSync(file, JSON.stringify({ mcpServers: entries }));
  const options = {
    builtIn: [{ id: GROUP_TOOLS.id, transport: { type: 'stdio' as const, ...scriptedMcpCommand('plain') } }],
    file,
    flags: [],
    env: {},
    owner: OWNER,
    settings: {
      get: () => Promise.resolve(undefined),
      all: () => Promise.resolve(new Map()),
      set: () => Promise.resolve(),
      remove: () => Promise.resolve(false),
    },
    permissions: { list: () => Promise.resolve([]), settleOrigins: () => Promise.resolve([]) },
    approvals: EVERYTHING_APPROVED,
    hub: { changed: () => undefined },
    clock: systemClock,
    log: () => undefined,
  };
  const connected = await createServers({ ...options, signIns: createMemoryAuthStore() });
  await connected.connectAll();
  const handle = createInternalApi({ servers: connected, relays: {} as Relays, tokens: ['t'], log: () => undefined });
  const fetchThere = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set('content-length', String((init.body as string).length));
    return handle(new Request(input as string, { ...init, headers }));
  };
  const holder = { id: 'holder', role: 'all', address: 'http://holder' };
  const describeServer = (id: string): string => JSON.stringify(findOffers(connected.host, id, (text) => text));
  const remote = await createRemoteServers({
    ...options,
    client: createInternalClient({ for: () => fetchThere } as never, () => 't'),
    heartbeat: {
      living: () => Promise.resolve([holder]),
      servers: () =>
        Promise.resolve(
          connected.editable.serverList.ids.map((id) => ({
            serverId: id,
            holder,
            version: 1,
            catalogue: describeServer(id),
          })),
        ),
    },
  });
  const isHere = place === 'in the process with the connections';
  const server = await startTestServer({ change: { servers: isHere ? connected : remote } });
  onTestFinished(async () => {
    await server.close();
    await remote.close();
    await connected.close();
    rmSync(folder, { recursive: true });
  });
  return server;
}

const transport = { type: 'stdio', ...scriptedMcpCommand('plain'), sandbox: false };
const HTTP = { type: 'http', url: 'http://127.0.0.1:1/mcp' };

type Case = { id?: string; query?: string; json?: object; status?: number; answer?: object };

/** One request for every route, in this order, and the response it gets in either process. */
const CASES: Record<McpRouteKey, Case> = {
  'GET /api/mcp/servers': {
    answer: { items: expect.arrayContaining([expect.objectContaining({ id: 'lab', state: 'ready' })]) as unknown },
  },
  'GET /api/mcp/servers/{id}/tools': {
    query: '?limit=1&after=0',
    answer: { items: [{ name: 'lab__echo', inputSchema: { type: 'object' } }], next: '1' },
  },
  'POST /api/mcp/servers/{id}/tools/call': {
    json: { tool: 'echo', arguments: { a: 1 } },
    answer: { content: [{ type: 'text', text: '{"a":1}' }], outcome: 'done' },
  },
  'POST /api/mcp/servers/{id}/tools/test': {
    json: { tool: 'echo', arguments: { a: 1 } },
    answer: { decision: 'called', call: { result: { outcome: 'done' }, raw: { content: [{ text: '{"a":1}' }] } } },
  },
  'GET /api/mcp/servers/{id}/resources': { answer: { items: [{ uri: 'lab://a', name: 'a' }] } },
  'GET /api/mcp/servers/{id}/resources/templates': { answer: { items: [{ uriTemplate: 'lab://{id}', name: 't' }] } },
  'POST /api/mcp/servers/{id}/resources/read': {
    json: { uri: 'ui://a', fresh: true },
    answer: { contents: [{ type: 'resource', uri: 'ui://a', text: '<p>' }] },
  },
  'POST /api/mcp/servers/{id}/resources/follow': {
    json: { uris: ['lab://a'] },
    answer: { renewAfterMs: expect.any(Number), items: [{ uri: 'lab://a', version: expect.any(String) }] },
  },
  'POST /api/mcp/servers/{id}/apps/read': { json: { uri: 'ui://a' }, answer: { uri: 'ui://a', html: '<p>' } },
  'POST /api/mcp/servers/{id}/apps/call': {
    json: { conversationId: 'none', tool: 'none' },
    answer: { decision: 'refused', error: { code: 'tool_not_found' } },
  },
  'GET /api/mcp/prompts': { answer: { items: [{ serverId: 'lab', name: 'p' }], failures: [] } },
  'POST /api/mcp/servers/{id}/prompts/get': {
    json: { name: 'p', arguments: { x: 'y' } },
    answer: { messages: [{ role: 'user', content: { type: 'text', text: 'filled' } }] },
  },
  'POST /api/mcp/servers/{id}/complete': {
    json: { target: { prompt: 'p' }, argument: { name: 'x', value: 't' } },
    answer: { values: ['tides'], hasMore: false },
  },
  'GET /api/mcp/servers/{id}/tasks': { answer: { items: [] } },
  'POST /api/mcp/servers/{id}/tasks/result': { json: { taskId: 't1' }, status: 404 },
  'POST /api/mcp/servers/{id}/tasks/cancel': { json: { taskId: 't1' }, status: 502 },
  'GET /api/mcp/servers/{id}/log': { answer: { items: expect.any(Array), next: expect.any(String) } },
  'GET /api/mcp/servers/{id}/icon': { status: 404, answer: { detail: '"lab" sent no icon.' } },
  'POST /api/mcp/servers/{id}/reconnect': { answer: { id: 'lab', state: 'ready' } },
  'POST /api/mcp/servers/{id}/sign-in': { json: {}, status: 409 },
  'DELETE /api/mcp/servers/{id}/sign-in': { status: 409 },
  'GET /api/mcp/sign-in/callback': { query: '?state=none&code=c', status: 400 },
  'GET /api/mcp/sign-in/tab': {},
  'GET /api/mcp/servers/{id}/configuration': { answer: { id: 'lab', transport: { type: 'stdio' }, enabled: true } },
  'GET /api/mcp/servers/{id}/plugin': { status: 409 },
  'PUT /api/mcp/servers/{id}/plugin': { json: { values: {} }, status: 409 },
  'GET /api/mcp/servers/{id}/approval': { status: 409 },
  'POST /api/mcp/servers/{id}/approval': { json: { hash: 'h' }, status: 409 },
  'PATCH /api/mcp/servers/{id}': { json: { tools: { hidden: false } }, answer: { id: 'lab' } },
  'POST /api/mcp/servers': { json: { id: 'new', transport: HTTP, enabled: false }, status: 201, answer: { id: 'new' } },
  'PUT /api/mcp/servers/{id}': { id: 'new', json: { transport: HTTP, enabled: false }, answer: { id: 'new' } },
  'DELETE /api/mcp/servers/{id}': { id: 'new', status: 204 },
  'POST /api/mcp/test': { json: { transport }, answer: { ok: true, offers: { tools: 1 } } },
};

describe.each<Place>(['in the process with the connections', 'in another process'])('asked %s', (place) => {
  test('every operation has the same answer', async () => {
    const server = await serve(place);
    for (const [key, { id = 'lab', query = '', json, status = 200, answer = {} }] of Object.entries(CASES)) {
      const [method = '', path = ''] = key.split(' ');
      const options = { method, ...(json === undefined ? {} : { json }) };
      const response = await server.ask(path.replace('{id}', id) + query, options);
      expect({ key, status: response.status, text: response.text }).toMatchObject({ key, status });
      expect({ key, ...(response.json as object) }).toMatchObject({ key, ...answer });
    }
  });

  test('the built-in server of groups is not listed', async () => {
    const server = await serve(place);
    const { items } = (await server.ask('/api/mcp/servers')).json as { items: { id: string }[] };
    expect(items.map(({ id }) => id)).toEqual(['lab', 'silent']);
  });

  test.each<[string, object]>([
    ['tools/call', { tool: 'hang' }],
    ['tools/test', { tool: 'hang' }],
    ['resources/read', { uri: 'lab://a' }],
    ['apps/read', { uri: 'ui://a' }],
    ['prompts/get', { name: 'p' }],
    ['complete', { target: { prompt: 'p' }, argument: { name: 'x', value: 't' } }],
  ])('a request that its client drops is cancelled at the server: %s', async (path, body) => {
    const server = await serve(place);
    const at = '/api/mcp/servers/silent';
    const isSent = async (methods: RegExp): Promise<boolean> => {
      const { items } = (await server.ask(`${at}/log`)).json as { items: { direction?: string; method?: string }[] };
      return items.some(({ direction, method }) => direction === 'sent' && methods.test(method ?? ''));
    };
    const stop = new AbortController();
    const dropped = fetch(`${server.url}${at}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: stop.signal,
    }).catch(() => undefined);
    await eventually(() => isSent(/^(tools\/call|resources\/read|prompts\/get|completion\/complete)$/));
    stop.abort();
    await eventually(() => isSent(/^notifications\/cancelled$/), { what: `the cancellation of ${path}` });
    await dropped;
  });
});
