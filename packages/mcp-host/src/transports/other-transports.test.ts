import { McpServer } from '@modelcontextprotocol/server';
import { systemClock } from '@toolyard/protocol';
import type { ScriptedSse, ScriptedWebSocket } from '@toolyard/testing';
import { createFakeClock, eventually, startScriptedSse, startScriptedWebSocket } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createEraMemory } from '../connection/era-memory.ts';
import { McpHost } from '../host/host.ts';
import { connected, getHealth, listen, newHost } from '../node/test-fixtures/peers.ts';
import { createWebTransports } from './web-transports.ts';
import { MESSAGES_PER_TURN } from './pacing.ts';
import type { WebSocketLike } from './websocket-transport.ts';
import { createWebSocketTransport, platformWebSocket } from './websocket-transport.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
function closeLater<T extends { close: () => Promise<void> }>(resource: T): T {
  closers.push(() => resource.close());
  return resource;
}

const echo = { serverId: 'peer', name: 'echo' };
const sendHi = async (host: McpHost): Promise<unknown> => (await host.callTool(echo, { say: 'hi' })).content;
const HI = [{ type: 'text', text: '{"say":"hi"}' }];

describe('a server with HTTP+SSE only', () => {
  const meet = async (server: ScriptedSse, type: 'http' | 'sse', more = {}): Promise<McpHost> =>
    closeLater(await connected([{ id: 'peer', transport: { type, url: server.url } }], more));

  test('is connected over HTTP+SSE if configured', async () => {
    const server = closeLater(await startScriptedSse('plain'));
    const host = await meet(server, 'sse');
    expect(getHealth(host, 'peer')).toMatchObject({ state: 'ready', era: 'legacy', toolCount: 1 });
    expect(await sendHi(host)).toEqual(HI);
    expect(server.requests.filter((request) => request === 'GET /sse')).toHaveLength(1);
  });

  test('is detected behind a Streamable HTTP configuration and remembered', async () => {
    const server = closeLater(await startScriptedSse('plain'));
    const eraMemory = createEraMemory();
    for (let time = 0; time < 2; time++) {
      const host = await meet(server, 'http', { eraMemory });
      expect(getHealth(host, 'peer')).toMatchObject({ state: 'ready', era: 'legacy' });
      expect(await sendHi(host)).toEqual(HI);
      await host.close();
    }
    expect(server.requests.filter((request) => request === 'POST /sse')).not.toHaveLength(0);
    const second = server.requests.lastIndexOf('GET /sse');
    expect(server.requests.slice(second)).not.toContain('POST /sse');
  });

  test('is connected over Streamable HTTP once it supports it', async () => {
    const { startScriptedMcp } = await import('@toolyard/testing');
    const newer = closeLater(await startScriptedMcp('plain'));
    const eraMemory = {
      ...createEraMemory(),
      get: () => ({ era: 'legacy' as const, at: Date.now(), transport: 'sse' as const }),
    };
    const host = closeLater(
      await connected([{ id: 'peer', transport: { type: 'http', url: newer.url } }], { eraMemory }),
    );
    expect(getHealth(host, 'peer').state).toBe('ready');
    expect(await sendHi(host)).toEqual(HI);
  });

  test('is not waited for behind a URL that rejects requests and then stays silent', async () => {
    let isAsked = false;
    const { url, close } = await listen((request, response) => {
      if (request.method === 'POST') return void response.writeHead(400).end();
      isAsked = true;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    });
    closers.push(close);
    const clock = createFakeClock();
    const host = closeLater(newHost([{ id: 'peer', transport: { type: 'http', url } }], { clock }));
    const connecting = host.connectAll();
    await eventually(() => isAsked);
    await clock.advance(5_000);
    await connecting;
    expect(getHealth(host, 'peer').error).toMatchObject({
      code: 'server_refused',
      message: expect.stringContaining('HTTP 400') as string,
    });
  });

  test('is disconnected by closing its stream', async () => {
    const server = closeLater(await startScriptedSse('plain'));
    const host = await meet(server, 'sse');
    await host.close();
    await eventually(() => server.streamCount === 0);
  });

  test('did not execute a message that it rejected', async () => {
    const server = closeLater(await startScriptedSse('plain'));
    const refusing = closeLater(
      newHost([{ id: 'peer', transport: { type: 'sse', url: server.url } }], {
        createTransport: createWebTransports({
          fetch: async (input, init) =>
            typeof init?.body === 'string' && init.body.includes('tools/call')
              ? new Response('no', { status: 413 })
              : fetch(input, init),
        }),
      }),
    );
    await refusing.connectAll();
    expect(await refusing.callTool(echo, {})).toMatchObject({ outcome: 'not_sent', error: { code: 'server_refused' } });
  });

  test('cannot move the endpoint to another origin', async () => {
    const { url, close } = await listen((request, response) => {
      if (request.method !== 'GET') return void response.writeHead(405).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: http://169.254.169.254/latest\n\n');
    });
    closers.push(close);
    const host = closeLater(await connected([{ id: 'peer', transport: { type: 'sse', url } }]));
    expect(getHealth(host, 'peer').state).toBe('failed');
  });
});

describe('a WebSocket server', () => {
  const meet = async (server: ScriptedWebSocket, headers = {}): Promise<McpHost> =>
    closeLater(await connected([{ id: 'peer', transport: { type: 'websocket', url: server.url, headers } }]));

  test('receives the subprotocol "mcp" and the configured headers', async () => {
    const server = closeLater(await startScriptedWebSocket('plain'));
    const host = await meet(server, { 'X-Api-Key': 'hunter2' });
    expect(getHealth(host, 'peer')).toMatchObject({ state: 'ready', toolCount: 1 });
    expect(server.handshakes.at(-1)).toMatchObject({ 'sec-websocket-protocol': 'mcp', 'x-api-key': 'hunter2' });
    expect(await sendHi(host)).toEqual(HI);
  });

  test('may use the modern era', async () => {
    const server = closeLater(
      await startScriptedWebSocket({ era: 'modern', tools: [{ name: 'echo', does: [{ do: 'echo' }] }] }),
    );
    const host = await meet(server);
    expect(getHealth(host, 'peer')).toMatchObject({ state: 'ready', era: 'modern' });
    expect(await sendHi(host)).toEqual(HI);
  });

  test('may send long messages and invalid ones', async () => {
    const server = closeLater(
      await startScriptedWebSocket({ tools: [{ name: 'echo', does: [{ do: 'huge', bytes: 200_000 }] }] }),
    );
    const host = await meet(server);
    server.noise('hello?');
    const { content } = await host.callTool(echo, {});
    expect(content).toEqual([{ type: 'text', text: 'x'.repeat(200_000) }]);
  });

  test('with another subprotocol is rejected', async () => {
    const server = closeLater(await startScriptedWebSocket('plain', { subprotocol: 'chat' }));
    const host = await meet(server);
    expect(getHealth(host, 'peer')).toMatchObject({ state: 'failed', error: { code: 'server_unreachable' } });
  });

  test('that is unreachable or not a WebSocket is reported', async () => {
    const page = await listen((_, response) => void response.end('<h1>hello</h1>'));
    closers.push(page.close);
    for (const url of ['ws://127.0.0.1:1/mcp', page.url.replace('http', 'ws')]) {
      const host = closeLater(await connected([{ id: 'peer', transport: { type: 'websocket', url } }]));
      expect(getHealth(host, 'peer')).toMatchObject({ state: 'failed', error: { code: 'server_unreachable' } });
    }
  });

  test('is supported in a browser, but without headers', async () => {
    const server = closeLater(await startScriptedWebSocket('plain'));
    const host = closeLater(
      await connected(
        [
          { id: 'peer', transport: { type: 'websocket', url: server.url } },
          { id: 'keyed', transport: { type: 'websocket', url: server.url, headers: { 'X-Api-Key': 'k' } } },
        ],
        { createTransport: createWebTransports({ fetch, openWebSocket: platformWebSocket }) },
      ),
    );
    expect(await sendHi(host)).toEqual(HI);
    expect(getHealth(host, 'keyed').error).toMatchObject({ code: 'bad_config' });
  });

  test('is rejected if no WebSocket implementation is given', async () => {
    const host = closeLater(
      await connected([{ id: 'peer', transport: { type: 'websocket', url: 'ws://127.0.0.1:9/' } }], {
        createTransport: createWebTransports({ fetch }),
      }),
    );
    expect(getHealth(host, 'peer').error?.code).toBe('bad_config');
  });
});

describe('an in-process server', () => {
  test('is listed and called like any other', async () => {
    const inMemory = {
      here: async (transport: Parameters<McpServer['connect']>[0]): Promise<void> => {
        const server = new McpServer({ name: 'here', version: '1.0.0' });
        server.registerTool('echo', { inputSchema: z.object({ say: z.string() }) }, ({ say }) => ({
          content: [{ type: 'text', text: say }],
        }));
        await server.connect(transport);
      },
    };
    const host = closeLater(
      new McpHost({
        servers: [
          { id: 'peer', transport: { type: 'in-memory', name: 'here' } },
          { id: 'lost', transport: { type: 'in-memory', name: 'elsewhere' } },
        ],
        createTransport: createWebTransports({ fetch, inMemory }),
        clock: systemClock,
        clientInfo: { name: 'toolyard-test', version: '0' },
      }),
    );
    await host.connectAll();
    expect(getHealth(host, 'peer')).toMatchObject({ state: 'ready', serverInfo: { name: 'here' } });
    expect(await sendHi(host)).toEqual([{ type: 'text', text: 'hi' }]);
    expect(getHealth(host, 'lost')).toMatchObject({ state: 'failed', error: { code: 'bad_config' } });
  });
});

describe('a lost connection is reopened', () => {
  const backAgain = async (host: McpHost): Promise<void> => {
    await eventually(() => getHealth(host, 'peer').state === 'reconnecting');
    expect(getHealth(host, 'peer')).toMatchObject({ reconnect: { attempt: 1, of: 10 }, toolCount: 1 });
    expect(await sendHi(host)).toEqual(HI);
    expect(getHealth(host, 'peer').state).toBe('ready');
  };

  test.each([1001, 'cut'] as const)('a WebSocket (%s)', async (how) => {
    const server = closeLater(await startScriptedWebSocket('plain'));
    const host = closeLater(await connected([{ id: 'peer', transport: { type: 'websocket', url: server.url } }]));
    server.dropConnections(how);
    await backAgain(host);
    expect(server.received.filter(({ method }) => method === 'tools/list')).toHaveLength(2);
  });

  test('HTTP+SSE', async () => {
    const server = closeLater(await startScriptedSse('plain'));
    const host = closeLater(await connected([{ id: 'peer', transport: { type: 'sse', url: server.url } }]));
    server.dropStreams();
    await backAgain(host);
    expect(server.streamCount).toBe(1);
  });
});

test.each([
  [1, MESSAGES_PER_TURN + 1, true],
  [5, MESSAGES_PER_TURN, false],
])('a WebSocket that sends %d times %d messages at once is closed: %s', async (turns, count, isClosed) => {
  const listeners = new Map<string, (event: never) => void>();
  let closes = 0;
  const socket: WebSocketLike = {
    ...{ readyState: 1, protocol: 'mcp', send: () => undefined, close: () => void closes++ },
    addEventListener: (type: string, listener: (event: never) => void) => void listeners.set(type, listener),
  };
  const clock = createFakeClock();
  const context = { serverId: 'peer', clock, log: () => undefined };
  const config = { type: 'websocket' as const, url: 'ws://127.0.0.1/' };
  const transport = createWebSocketTransport(config, context, () => socket, 1_000);
  const started = transport.start();
  listeners.get('open')?.({} as never);
  await started;
  let received = 0;
  transport.onmessage = () => received++;
  const data = '{"jsonrpc":"2.0","method":"notifications/x"}';
  for (let turn = 0; turn < turns; turn++) {
    for (let sent = 0; sent < count; sent++) listeners.get('message')?.({ data } as never);
    await clock.advance(1);
  }
  expect([closes > 0, transport.end?.kind]).toEqual([isClosed, isClosed ? 'hung_up' : undefined]);
  expect(received).toBe(isClosed ? MESSAGES_PER_TURN : turns * count);
});
