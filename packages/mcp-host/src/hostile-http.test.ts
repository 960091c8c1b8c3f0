import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createEraMemory } from './era-memory.ts';
import type { McpHost } from './host.ts';
import { connected, healthOf, listen } from './node/test-fixtures/peers.ts';

type Rpc = { id?: number | string; method?: string; params?: { name?: string } };
type Behaviour = (rpc: Rpc, request: IncomingMessage, response: ServerResponse) => void;

let host: McpHost | undefined;
let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await host?.close();
  await close?.();
});

async function bodyOf(request: IncomingMessage): Promise<Rpc> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Rpc);
}

function reply(response: ServerResponse, id: Rpc['id'], result: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** An old server with one tool, which behaves as told when it is asked for anything else. */
const legacy =
  (onCall: Behaviour): Behaviour =>
  (rpc, request, response) => {
    switch (rpc.method) {
      case undefined:
        return void response.writeHead(405).end();
      case 'initialize':
        return reply(response, rpc.id, {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'by-hand', version: '1' },
        });
      case 'notifications/initialized':
      case 'notifications/cancelled':
        return void response.writeHead(202).end();
      case 'tools/list':
        return reply(response, rpc.id, { tools: [{ name: 'go', inputSchema: { type: 'object' } }] });
      case 'tools/call':
        return onCall(rpc, request, response);
      default:
        return void response.writeHead(400).end('what?');
    }
  };

async function meet(behave: Behaviour, more: object = {}): Promise<McpHost> {
  const server = await listen((request, response) => {
    void bodyOf(request).then((rpc) => behave(rpc, request, response));
  });
  close = server.close;
  host = await connected([{ id: 'odd', transport: { type: 'http', url: server.url }, ...more }]);
  return host;
}

describe('connecting', () => {
  test('a web page is not taken for an MCP server', async () => {
    const html = '<!doctype html><title>Hello</title>';
    const met = await meet((_rpc, _request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    });
    const { state, error } = healthOf(met, 'odd');
    expect(state).toBe('failed');
    expect(error).toMatchObject({ code: 'server_refused', hint: expect.stringContaining('/mcp') as string });
    expect(error?.message).not.toContain('doctype');
  });

  test('a wrong path is pointed out', async () => {
    const met = await meet((_rpc, _request, response) => void response.writeHead(404).end('Not found'));
    expect(healthOf(met, 'odd').error).toMatchObject({
      code: 'server_refused',
      message: expect.stringContaining('404') as string,
    });
  });

  test.each([
    [401, 'needs_sign_in'],
    [403, 'server_refused'],
    [503, 'server_unreachable'],
  ])('HTTP %i is %s', async (status, code) => {
    const met = await meet((_rpc, _request, response) => void response.writeHead(status).end());
    expect(healthOf(met, 'odd').error?.code).toBe(code);
  });

  test('an address that points elsewhere is not followed there', async () => {
    const met = await meet((_rpc, _request, response) => {
      response.writeHead(307, { location: 'http://example.invalid/mcp' }).end();
    });
    expect(healthOf(met, 'odd').error).toMatchObject({
      code: 'server_refused',
      hint: expect.stringContaining('address') as string,
    });
  });

  test('the secret part of an address is not repeated in what goes wrong', async () => {
    host = await connected([{ id: 'odd', transport: { type: 'http', url: 'http://127.0.0.1:9/mcp?key=hunter2' } }]);
    expect(JSON.stringify(healthOf(host, 'odd'))).not.toContain('hunter2');
  });

  test('an address that is none is a mistake in the configuration', async () => {
    host = await connected([{ id: 'odd', transport: { type: 'http', url: 'localhost:3000' } }]);
    expect(healthOf(host, 'odd').error?.code).toBe('bad_config');
  });

  test('a server that breaks at the unknown question is greeted the old way', async () => {
    const old = legacy((rpc, _request, response) => reply(response, rpc.id, { content: [] }));
    const met = await meet((rpc, request, response) => {
      if (rpc.method === 'server/discover') return void response.writeHead(500).end('Traceback');
      old(rpc, request, response);
    });
    expect(healthOf(met, 'odd')).toMatchObject({ state: 'ready', era: 'legacy' });
  });

  test('a server that is silent at the unknown question is greeted the old way, and not asked again', async () => {
    const old = legacy((rpc, _request, response) => reply(response, rpc.id, { content: [] }));
    const asked: (string | undefined)[] = [];
    const server = await listen((request, response) => {
      void bodyOf(request).then((rpc) => {
        asked.push(rpc.method);
        if (rpc.method !== 'server/discover') old(rpc, request, response);
      });
    });
    close = server.close;
    const eraMemory = createEraMemory();
    const config = { id: 'odd', transport: { type: 'http' as const, url: server.url }, connectTimeoutMs: 3_000 };
    for (let time = 0; time < 2; time++) {
      host = await connected([config], { eraMemory });
      expect(healthOf(host, 'odd')).toMatchObject({ state: 'ready', era: 'legacy' });
      await host.close();
    }
    expect(asked.filter((method) => method === 'server/discover')).toHaveLength(1);
  });

  test('a server remembered as old that takes only the new handshake is found out', async () => {
    const memory = createEraMemory();
    const eraMemory = { ...memory, get: () => ({ era: 'legacy' as const, at: Date.now() }) };
    const server = await listen((request, response) => {
      void bodyOf(request).then((rpc) => {
        if (rpc.method === 'initialize') return void response.writeHead(400).end();
        if (rpc.method !== 'server/discover') return reply(response, rpc.id, { resultType: 'complete', tools: [] });
        reply(response, rpc.id, {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: 'private',
        });
      });
    });
    close = server.close;
    host = await connected([{ id: 'odd', transport: { type: 'http', url: server.url } }], { eraMemory });
    expect(healthOf(host, 'odd')).toMatchObject({ state: 'ready', era: 'modern' });
  });
});

describe('a modern server', () => {
  /** `complete` is left out of results: some servers forget it. */
  const modern =
    (results: Record<string, object>): Behaviour =>
    (rpc, _request, response) => {
      const discovered = {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: 'private',
      };
      reply(response, rpc.id, rpc.method === 'server/discover' ? discovered : (results[rpc.method ?? ''] ?? {}));
    };
  const good = { name: 'go', inputSchema: { type: 'object' } };

  test('one tool it describes badly does not take the others with it', async () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { 'x-mcp-header': 'A' } } } };
    const tools = [{ name: 'bad' }, good, { name: 'headers', inputSchema: schema }];
    const met = await meet(modern({ 'tools/list': { tools } }));
    expect(healthOf(met, 'odd')).toMatchObject({ state: 'ready', era: 'modern', toolCount: 1 });
    expect(healthOf(met, 'odd').skipped.map(({ name }) => name)).toEqual(['bad', 'headers']);
  });

  test('a kind of content nobody knows does not lose the result', async () => {
    const content = [{ type: 'hologram' }, { type: 'text', text: 'kept' }];
    const met = await meet(
      modern({ 'tools/list': { tools: [good] }, 'tools/call': { content, structuredContent: [1] } }),
    );
    const result = await met.callTool({ serverId: 'odd', name: 'go' }, {});
    expect(result).toMatchObject({ outcome: 'done', isError: false, structured: [1] });
    expect(result.content[1]).toEqual({ type: 'text', text: 'kept' });
  });

  test('a question to the person is an answer we cannot give, and a task is work that goes on unseen', async () => {
    const asking = { resultType: 'input_required', requestState: 'x' };
    const met = await meet(modern({ 'tools/list': { tools: [good] }, 'tools/call': asking }));
    const reference = { serverId: 'odd', name: 'go' };
    expect(await met.callTool(reference, {})).toMatchObject({ isError: true, outcome: 'done' });
    await close?.();
    const other = await meet(modern({ 'tools/list': { tools: [good] }, 'tools/call': { resultType: 'task' } }));
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
  ])('HTTP %i in mid-call is %s', async (status, outcome, code) => {
    const met = await meet(legacy((_rpc, _request, response) => void response.writeHead(status).end('x')));
    expect(await go(met)).toMatchObject({ isError: true, outcome, error: { code } });
  });

  test('a lost session is noticed: the call is in doubt, the next one is not even tried', async () => {
    let restarted = false;
    const old = legacy((rpc, _request, response) => reply(response, rpc.id, { content: [] }));
    const met = await meet((rpc, request, response) => {
      if (rpc.method === 'initialize') response.setHeader('mcp-session-id', 'one');
      if (restarted) return void response.writeHead(404).end();
      old(rpc, request, response);
    });
    expect(await go(met)).toMatchObject({ outcome: 'done' });
    restarted = true;
    expect(await go(met)).toMatchObject({ outcome: 'unknown' });
    expect(healthOf(met, 'odd')).toMatchObject({ state: 'failed', error: { code: 'server_closed' } });
    expect(await go(met)).toMatchObject({ outcome: 'not_sent' });
    restarted = false;
    await met.connectAll();
    // The goodbye to the old session ends in the background; it must not touch the new one.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(healthOf(met, 'odd').error).toBeUndefined();
    expect(await go(met)).toMatchObject({ outcome: 'done' });
  });

  test('a session is ended on the server when it is left', async () => {
    const methods: (string | undefined)[] = [];
    const old = legacy((rpc, _request, response) => reply(response, rpc.id, { content: [] }));
    const met = await meet((rpc, request, response) => {
      methods.push(request.method);
      if (rpc.method === 'initialize') response.setHeader('mcp-session-id', 'one');
      old(rpc, request, response);
    });
    await met.close();
    expect(methods.at(-1)).toBe('DELETE');
  });

  test('a connection cut in mid-call leaves the outcome unknown', async () => {
    const met = await meet(legacy((_rpc, request) => void request.socket.destroy()));
    expect(await go(met)).toMatchObject({ isError: true, outcome: 'unknown' });
  });

  test('a stream that ends before the answer fails the call at once', async () => {
    const met = await meet(
      legacy((_rpc, _request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': working on it\n\n');
        setTimeout(() => response.end(), 20);
      }),
    );
    expect(await go(met)).toMatchObject({ isError: true, outcome: 'unknown', error: { code: 'network' } });
  });

  test('an answer that is no JSON leaves the outcome unknown', async () => {
    const met = await meet(
      legacy((_rpc, _request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')),
    );
    expect(await go(met)).toMatchObject({ isError: true, outcome: 'unknown', error: { code: 'bad_response' } });
  });

  test('a server that is gone was certainly not called', async () => {
    const met = await meet(legacy((rpc, _request, response) => reply(response, rpc.id, { content: [] })));
    await close?.();
    close = undefined;
    // The first call may still find a connection that is just breaking, and then nobody can say.
    expect((await go(met)).outcome).not.toBe('done');
    expect(await go(met)).toMatchObject({ isError: true, outcome: 'not_sent', error: { code: 'server_unreachable' } });
  });

  test('a header of the configuration goes with every request, and only there', async () => {
    const seen: (string | undefined)[] = [];
    const old = legacy((rpc, _request, response) => reply(response, rpc.id, { content: [] }));
    const server = await listen((request, response) => {
      seen.push(request.headers['x-api-key'] as string | undefined);
      void bodyOf(request).then((rpc) => old(rpc, request, response));
    });
    close = server.close;
    const transport = { type: 'http' as const, url: server.url, headers: { 'X-Api-Key': 'hunter2' } };
    host = await connected([{ id: 'odd', transport }]);
    await go(host);
    expect(new Set(seen)).toEqual(new Set(['hunter2']));
    expect(JSON.stringify(host.health())).not.toContain('hunter2');
  });
});
