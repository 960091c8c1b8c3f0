import type { JudgedCall, RunRecord } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { describe, expect, it, vi } from 'vitest';
import type { TabToolCalls } from '../runs/tab/tab-tool-calls.ts';
import type { Servers } from '../mcp/operations.ts';
import { createInternalApi } from './internal-api.ts';
import { createInternalClient, MCP_OPERATION_PATH } from './internal-client.ts';
import { createRelayedTabTools } from './relayed-tab-tools.ts';
import type { Relays } from './relays.ts';

const READ = 'POST /api/mcp/servers/{id}/resources/read';

it.each([
  ['an unknown operation', { key: 'GET /api/agents', request: {} }],
  ['an operation that needs no connection', { key: 'GET /api/mcp/servers', request: {} }],
  ['a request that the schemas of its route reject', { key: READ, request: { params: { id: 'a' }, body: { uri: 1 } } }],
  ['a request without its server', { key: READ, request: { body: { uri: 'file:///a' } } }],
  ['something else', []],
])('rejects %s', async (_what, request) => {
  const ask = vi.fn();
  const handle = createInternalApi({ servers: { ask }, relays: {} as Relays, tokens: ['t'], log: () => undefined });
  const client = createInternalClient({ for: () => fetchFrom(handle) } as never, () => 't');
  const sent = client.post('http://tools', MCP_OPERATION_PATH, { principal: { ownerId: 'o' }, ...request });
  await expect(sent).rejects.toMatchObject({ code: 'bad_request' });
  expect(ask).not.toHaveBeenCalled();
});

/** Fetches from a handler, as over HTTP with a body of known length. */
function fetchFrom(handle: (request: Request) => Promise<Response>) {
  return (input: unknown, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    headers.set('content-length', String((init?.body as string).length));
    return handle(new Request(input as string, { ...init, headers }));
  };
}

describe('the tools of runs in tabs, in a process without tools', () => {
  const RUN = { id: 'r' } as RunRecord;
  const CALLS: JudgedCall[] = [{ tool: { serverId: 'mail', name: 'send' }, arguments: {} }];
  const OWNER = { ownerId: 'o' };
  const NOTHING = { tools: [], serverInstructions: [], judged: [] };

  /** The tools of the other processes through the one that executes `calls`. */
  function relayed(calls: TabToolCalls | undefined, role = 'worker'): TabToolCalls {
    const of = { servers: {} as Servers, relays: {} as Relays, log: () => undefined };
    const handle = createInternalApi({ ...of, tokens: ['t'], tabTools: () => calls });
    const client = createInternalClient({ for: () => fetchFrom(handle) } as never, () => 't');
    const living = [{ role, address: 'http://other' }] as never;
    return createRelayedTabTools({ client, heartbeat: { living: () => Promise.resolve(living) } });
  }

  it('are those of a process that executes runs', async () => {
    const asked: unknown[] = [];
    const tools = relayed({
      read: (...of) => Promise.resolve((asked.push(of), NOTHING)),
      make: (...of) => Promise.resolve((asked.push(of), null)),
    });
    expect(await tools.read(OWNER, RUN, CALLS)).toEqual(NOTHING);
    expect(await tools.make(OWNER, RUN, 'r.0.0')).toBeNull();
    expect(asked).toEqual([
      [OWNER, RUN, CALLS],
      [OWNER, RUN, 'r.0.0'],
    ]);
  });

  it.each<[string, string, TabToolCalls | undefined, string]>([
    ['report that no such process runs', 'tools', undefined, 'server_unreachable'],
    ['report a process that executes no runs yet', 'worker', undefined, 'server_unreachable'],
    [
      'pass on why a call is rejected',
      'worker',
      {
        read: () => Promise.resolve(NOTHING),
        make: () => Promise.reject(new ToolyardError({ code: 'bad_request', message: 'No such call.' })),
      },
      'bad_request',
    ],
  ])('%s', async (_what, role, calls, code) => {
    await expect(relayed(calls, role).make(OWNER, RUN, 'r.0.0')).rejects.toMatchObject({ code });
  });
});
