import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Fetch, JsonObject } from '@toolyard/protocol';
import type { McpBehaviour, ScriptedMcp, ScriptedMcpOptions } from '@toolyard/testing';
import { createSteadyClock, eventually, startScriptedMcp } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { createEraMemory } from '../connection/era-memory.ts';
import type { McpHost } from '../host/host.ts';
import { createHttpTransport } from './http-transport.ts';
import { createWebTransports } from './web-transports.ts';
import { connected, getHealth } from '../node/test-fixtures/peers.ts';
import { createFastClock, LONG_TIMEOUTS } from '../node/test-fixtures/fast-clock.ts';

let host: McpHost | undefined;
let server: ScriptedMcp | undefined;
afterEach(async () => {
  await host?.close();
  await server?.close();
});

/** A host with one scripted server; the tool `go` answers at once by default. */
async function connect(behaviour: McpBehaviour, options: ScriptedMcpOptions = {}): Promise<McpHost> {
  server = await startScriptedMcp({ tools: [{ name: 'go' }], ...behaviour }, { sessions: false, ...options });
  // Closing waits a second at most for the response, which must not expire on a busy machine.
  host = await connected([{ id: 'odd', transport: { type: 'http', url: server.url } }], { clock: createSteadyClock() });
  return host;
}

const countReceived = (method: string): number =>
  server?.received.filter((message) => message['method'] === method).length ?? 0;

describe('connecting', () => {
  test('a web page is not mistaken for an MCP server', async () => {
    const body = '<!doctype html><title>Hello</title>';
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body };
    const met = await connect({ httpAnswers: { '*': page } });
    const { state, error } = getHealth(met, 'odd');
    expect(state).toBe('failed');
    expect(error).toMatchObject({ code: 'server_refused', hint: expect.stringContaining('/mcp') as string });
    expect(error?.message).not.toContain('doctype');
  });

  test('a wrong path is reported', async () => {
    const met = await connect({ httpAnswers: { '*': { status: 404, body: 'Not found' } } });
    expect(getHealth(met, 'odd').error).toMatchObject({
      code: 'server_refused',
      message: expect.stringContaining('404') as string,
    });
  });

  test.each([
    [401, 'needs_sign_in'],
    [403, 'server_refused'],
    [503, 'server_unreachable'],
  ])('HTTP %i becomes %s', async (status, code) => {
    const met = await connect({ httpAnswers: { '*': { status } } });
    expect(getHealth(met, 'odd').error?.code).toBe(code);
  });

  test('a redirect is not followed', async () => {
    const met = await connect({
      httpAnswers: { '*': { status: 307, headers: { location: 'http://example.invalid/mcp' } } },
    });
    expect(getHealth(met, 'odd').error).toMatchObject({
      code: 'server_refused',
      hint: expect.stringContaining('URL') as string,
    });
  });

  test('secrets in a URL do not appear in errors', async () => {
    host = await connected([{ id: 'odd', transport: { type: 'http', url: 'http://127.0.0.1:9/mcp?key=hunter2' } }]);
    expect(JSON.stringify(getHealth(host, 'odd'))).not.toContain('hunter2');
  });

  test('an invalid URL is a configuration error', async () => {
    host = await connected([{ id: 'odd', transport: { type: 'http', url: 'localhost:3000' } }]);
    expect(getHealth(host, 'odd').error?.code).toBe('bad_config');
  });

  test('a server that fails on the probe is initialized as legacy', async () => {
    const met = await connect({ httpAnswers: { 'server/discover': { status: 500, body: 'Traceback' } } });
    expect(getHealth(met, 'odd')).toMatchObject({ state: 'ready', era: 'legacy' });
  });

  test('a server that ignores the probe is initialized as legacy and not probed again', async () => {
    server = await startScriptedMcp({ silentOn: ['server/discover'] });
    const eraMemory = createEraMemory();
    const config = { id: 'odd', transport: { type: 'http' as const, url: server.url } };
    for (let time = 0; time < 2; time++) {
      host = await connected([config], { eraMemory });
      expect(getHealth(host, 'odd')).toMatchObject({ state: 'ready', era: 'legacy' });
      await host.close();
    }
    expect([countReceived('initialize'), countReceived('server/discover')]).toEqual([2, 1]);
  });

  test('a server remembered as legacy that accepts only modern requests is detected', async () => {
    const memory = createEraMemory();
    const eraMemory = { ...memory, get: () => ({ era: 'legacy' as const, at: Date.now() }) };
    server = await startScriptedMcp({ era: 'modern', httpAnswers: { initialize: { status: 400 } } });
    host = await connected([{ id: 'odd', transport: { type: 'http', url: server.url } }], { eraMemory });
    expect(getHealth(host, 'odd')).toMatchObject({ state: 'ready', era: 'modern' });
    expect(countReceived('initialize')).toBe(1);
  });
});

describe('a modern server', () => {
  const good = { name: 'go', inputSchema: { type: 'object' } };

  /** Returns these results unchanged, without `resultType: complete`, which some servers forget. */
  const modern = (results: Record<string, JsonObject>): McpBehaviour => ({
    era: 'modern',
    answers: Object.fromEntries(Object.entries(results).map(([method, result]) => [method, { result }])),
  });

  test('an invalid tool does not affect the others', async () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { 'x-mcp-header': 'A' } } } };
    const tools = [{ name: 'bad' }, good, { name: 'headers', inputSchema: schema }];
    const met = await connect(modern({ 'tools/list': { tools } }));
    expect(getHealth(met, 'odd')).toMatchObject({ state: 'ready', era: 'modern', toolCount: 1 });
    expect(getHealth(met, 'odd').skipped.map(({ name }) => name)).toEqual(['bad', 'headers']);
  });

  test('unknown content does not lose the result', async () => {
    const content = [{ type: 'hologram' }, { type: 'text', text: 'kept' }];
    const met = await connect(
      modern({ 'tools/list': { tools: [good] }, 'tools/call': { content, structuredContent: [1] } }),
    );
    const result = await met.callTool({ serverId: 'odd', name: 'go' }, {});
    expect(result).toMatchObject({ outcome: 'done', isError: false, structured: [1] });
    expect(result.content[1]).toEqual({ type: 'text', text: 'kept' });
  });

  test('an input request without a handler is an error; a task has an unknown outcome', async () => {
    const inputRequired = { resultType: 'input_required', requestState: 'x' };
    const met = await connect(modern({ 'tools/list': { tools: [good] }, 'tools/call': inputRequired }));
    const reference = { serverId: 'odd', name: 'go' };
    expect(await met.callTool(reference, {})).toMatchObject({ isError: true, outcome: 'done' });
    await met.close();
    await server?.close();
    const other = await connect(modern({ 'tools/list': { tools: [good] }, 'tools/call': { resultType: 'task' } }));
    expect(await other.callTool(reference, {})).toMatchObject({ isError: true, outcome: 'unknown' });
  });
});

describe('calling', () => {
  const go = (met: McpHost, options = {}): ReturnType<McpHost['callTool']> =>
    met.callTool({ serverId: 'odd', name: 'go' }, {}, options);

  test.each([
    [404, 'unknown', 'outcome_unknown'],
    [500, 'unknown', 'outcome_unknown'],
    [502, 'unknown', 'outcome_unknown'],
    [401, 'not_sent', 'needs_sign_in'],
    [429, 'not_sent', 'rate_limited'],
    [413, 'not_sent', 'server_refused'],
  ])('HTTP %i during a call becomes %s', async (status, outcome, code) => {
    const met = await connect({ httpAnswers: { 'tools/call': { status, body: 'x' } } });
    expect(await go(met)).toMatchObject({ isError: true, outcome, error: { code } });
  });

  test('an expired session is renewed at once: the call in flight has an unknown outcome, the next one is made', async () => {
    const met = await connect({}, { sessions: true });
    expect(await go(met)).toMatchObject({ outcome: 'done' });
    server?.forgetSessions();
    expect(await go(met)).toMatchObject({ outcome: 'unknown' });
    expect(getHealth(met, 'odd')).toMatchObject({ state: 'reconnecting', error: { code: 'server_closed' } });
    expect(await go(met)).toMatchObject({ outcome: 'done' });
    expect(countReceived('tools/call')).toBe(3);
    expect(getHealth(met, 'odd')).toMatchObject({ state: 'ready' });
    expect(getHealth(met, 'odd').error).toBeUndefined();
    // Closing the old session must not affect the new one.
    expect(server?.requests.some(({ method }) => method === 'DELETE')).toBe(true);
    expect(await go(met)).toMatchObject({ outcome: 'done' });
  });

  test('a read-only call of a trusted server is repeated', async () => {
    server = await startScriptedMcp({ tools: [{ name: 'go', annotations: { readOnlyHint: true } }] });
    const transport = { type: 'http' as const, url: server.url };
    host = await connected([
      { id: 'odd', transport, trusted: true },
      { id: 'unvouched', transport },
    ]);
    server.forgetSessions();
    expect(await go(host)).toMatchObject({ outcome: 'done' });
    expect(await host.callTool({ serverId: 'unvouched', name: 'go' }, {})).toMatchObject({ outcome: 'unknown' });
  });

  test('attack 23: a message over the limit is not read, in any encoding', async () => {
    const long = JSON.stringify({
      jsonrpc: '2.0',
      id: 4,
      result: { content: [{ type: 'text', text: 'x'.repeat(50_000) }] },
    });
    const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    for (const [headers, body] of [
      [{ 'content-type': 'application/json' }, long],
      [packed, gzipSync(long)],
      [{ 'content-type': 'text/event-stream' }, `data: ${long}\n\n`],
    ] as const) {
      server = await startScriptedMcp({
        tools: [{ name: 'go' }],
        httpAnswers: { 'tools/call': { status: 200, headers, body } },
      });
      host = await connected([{ id: 'odd', transport: { type: 'http', url: server.url } }], {
        createTransport: createWebTransports({ fetch, longestMessage: 20_000 }),
      });
      expect(await go(host)).toMatchObject({ isError: true });
      expect(JSON.stringify(await go(host))).not.toContain('xxx');
      await host.close();
      await server.close();
    }
  });

  test('many short events are not a long message', async () => {
    const tools = [{ name: 'go', does: [{ do: 'progress' as const, steps: 40, everyMs: 1 }] }];
    server = await startScriptedMcp({ tools });
    host = await connected([{ id: 'odd', transport: { type: 'http', url: server.url } }], {
      createTransport: createWebTransports({ fetch, longestMessage: 1_000 }),
    });
    expect(await go(host)).toMatchObject({ outcome: 'done' });
  });

  test('changes before the notification stream opened are fetched once it opens', async () => {
    const met = await connect({}, { sessions: true });
    await eventually(() => countReceived('tools/list') > 1);
    expect(getHealth(met, 'odd').state).toBe('ready');
    await met.close();
    // A server without list changes is not listed again.
    const silent = await connect({ capabilities: { tools: {} } }, { sessions: true });
    await eventually(() => server?.requests.some(({ method }) => method === 'GET'));
    // Longer than the debounce.
    await sleep(300);
    expect(getHealth(silent, 'odd').state).toBe('ready');
    expect(countReceived('tools/list')).toBe(1);
  });

  test('everything is refreshed after the notification stream was lost', async () => {
    const met = await connect({}, { sessions: true });
    await eventually(() => countReceived('tools/list') > 1);
    const lists = countReceived('tools/list');
    server?.dropStreams();
    await eventually(() => countReceived('tools/list') > lists);
    expect(getHealth(met, 'odd').state).toBe('ready');
  });

  test('closing ends the session on the server', async () => {
    const met = await connect({}, { sessions: true });
    expect(server?.sessionCount).toBe(1);
    await met.close();
    expect(server?.sessionCount).toBe(0);
    expect(server?.requests.at(-1)?.method).toBe('DELETE');
  });

  test('a session created while the connection closes is ended on the server', async () => {
    const peer = (server = await startScriptedMcp({}, { sessions: true }));
    const gate = Promise.withResolvers<void>();
    const slowFetch: Fetch = async (url, init) => {
      const response = await fetch(url, init);
      await gate.promise;
      return response;
    };
    const context = { serverId: 'odd', clock: createSteadyClock(), log: () => undefined };
    const transport = createHttpTransport({ type: 'http', url: peer.url }, context, slowFetch);
    await transport.start();
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const sent = transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    await eventually(() => expect(peer.sessionCount).toBe(1));
    const closed = transport.close();
    gate.resolve();
    await Promise.all([sent, closed]);
    expect(peer.sessionCount).toBe(0);
  });

  test('a connection cut during a call leaves the outcome unknown', async () => {
    const met = await connect({ httpAnswers: { 'tools/call': 'cut' } });
    expect(await go(met)).toMatchObject({ isError: true, outcome: 'unknown' });
  });

  test('a stream that ends before the response fails the call at once', async () => {
    const headers = { 'content-type': 'text/event-stream' };
    const met = await connect({ httpAnswers: { 'tools/call': { status: 200, headers, body: ': working on it\n\n' } } });
    expect(await go(met)).toMatchObject({ isError: true, outcome: 'unknown', error: { code: 'network' } });
  });

  test('a response that is not JSON leaves the outcome unknown', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' };
    const met = await connect({ httpAnswers: { 'tools/call': page } });
    expect(await go(met)).toMatchObject({ isError: true, outcome: 'unknown', error: { code: 'bad_response' } });
  });

  test('a call to an unreachable server was certainly not made', async () => {
    server = await startScriptedMcp({ tools: [{ name: 'go' }] }, { sessions: false });
    const transport = { type: 'http' as const, url: server.url };
    const quick = { clock: createFastClock(), maxReconnects: 1_000 };
    const met = (host = await connected([{ id: 'odd', transport, ...LONG_TIMEOUTS }], quick));
    await server.close();
    // The first call may still use a connection that is just breaking, and then the outcome is unknown.
    expect((await go(met)).outcome).not.toBe('done');
    expect(await go(met)).toMatchObject({ isError: true, outcome: 'not_sent', error: { code: 'server_unreachable' } });
  });

  test('a configured header is sent with every request to the server, and only there', async () => {
    server = await startScriptedMcp({ tools: [{ name: 'go' }] });
    const transport = { type: 'http' as const, url: server.url, headers: { 'X-Api-Key': 'hunter2' } };
    host = await connected([{ id: 'odd', transport }]);
    expect(await go(host)).toMatchObject({ outcome: 'done' });
    await host.close();
    expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(['POST', 'GET', 'DELETE']));
    expect(new Set(server.requests.map(({ headers }) => headers['x-api-key']))).toEqual(new Set(['hunter2']));
    expect(JSON.stringify(host.health())).not.toContain('hunter2');
  });
});
