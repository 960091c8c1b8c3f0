import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { createGuardedFetch } from '@toolyard/guarded-fetch';
import type { ProxyTicket } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { createFakeClock, eventually, startScriptedWebSocket } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { createProxy } from '../proxy/proxy.ts';
import type { ProxyTarget } from './test-fixtures/proxy-target.ts';
import { startProxyTarget } from './test-fixtures/proxy-target.ts';
import type { Answer, RequestOptions, TestServer } from './test-fixtures/test-server.ts';
import { ANNE, as, BERT, startTestServer } from './test-fixtures/test-server.ts';

const ends: AsyncDisposable[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end[Symbol.asyncDispose]();
});

let server: TestServer;

async function target(...how: Parameters<typeof startProxyTarget>): Promise<ProxyTarget> {
  const started = await startProxyTarget(...how);
  ends.push(started);
  return started;
}

/** A server whose proxy may go to these origins. */
async function start(allow: readonly string[], of: Parameters<typeof startTestServer>[0] = {}): Promise<void> {
  const proxy = createProxy({ allow, clock: systemClock });
  server = await startTestServer({ ...of, change: { proxy, ...of.change } });
  ends.push({
    async [Symbol.asyncDispose]() {
      await server.close();
      await proxy.close();
    },
  });
}

const through = (url: string, options?: RequestOptions, at = '/api/proxy'): Promise<Answer> =>
  server.ask(`${at}?url=${encodeURIComponent(url)}`, options);

/** A request whose answer is read as it comes. */
async function open(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const path = `/api/proxy?url=${encodeURIComponent(url)}`;
  const request = httpRequest({ host: '127.0.0.1', port: server.port, path, headers, agent: false });
  request.on('error', () => undefined);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

describe('what goes through the proxy', () => {
  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s goes on as it is', async (method) => {
    const other = await target();
    await start([other.origin]);
    const body = method === 'GET' ? {} : { body: '{"a":1}', headers: { 'content-type': 'application/json' } };
    const answer = await through(`${other.origin}/mcp?x=1&y=2`, { method, ...body });
    expect([answer.status, answer.json]).toEqual([200, { here: true }]);
    expect(other.seen).toMatchObject([{ method, path: '/mcp?x=1&y=2', body: method === 'GET' ? '' : '{"a":1}' }]);
  });

  test('so does HEAD, without a body', async () => {
    const other = await target();
    await start([other.origin]);
    expect(await through(`${other.origin}/`, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect(other.seen).toMatchObject([{ method: 'HEAD' }]);
  });

  test.each(['x-toolyard-proxy-header-', 'x-llama-server-proxy-header-'])(
    'a header for the other server begins with %s',
    async (prefix) => {
      const other = await target();
      await start([other.origin]);
      const headers = { [`${prefix}authorization`]: 'Bearer theirs', [`${prefix}x-api-key`]: 'key' };
      await through(other.origin, { headers }, '/cors-proxy');
      expect(other.seen[0]?.headers).toMatchObject({ authorization: 'Bearer theirs', 'x-api-key': 'key' });
    },
  );

  test('what signs in here is never told there, nor where it comes from', async () => {
    const other = await target();
    await start([other.origin], { security: { tokens: [ANNE] } });
    await through(other.origin, {
      headers: {
        ...as(ANNE),
        cookie: 'toolyard_1=secret',
        origin: server.url,
        referer: `${server.url}/c/secret`,
        'x-forwarded-for': '10.0.0.1',
        'x-toolyard-proxy-header-host': 'elsewhere.example',
        'x-toolyard-proxy-header-connection': 'close, x-secret',
        'x-toolyard-proxy-header-transfer-encoding': 'chunked',
      },
    });
    const [seen] = other.seen;
    expect(Object.keys(seen?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'accept-language',
      'connection',
      'host',
      'sec-fetch-mode',
      'user-agent',
    ]);
    expect(seen?.headers.host).toBe(new URL(other.origin).host);
    expect(JSON.stringify(seen)).not.toMatch(/secret|token-of|elsewhere/);
  });

  test('an answer acts on nothing of this page', async () => {
    const other = await target((_request, response) => {
      response.writeHead(418, {
        'content-type': 'text/html; charset=utf-8',
        'set-cookie': 'toolyard_1=theirs',
        'clear-site-data': '"*"',
        'access-control-allow-origin': '*',
        'service-worker-allowed': '/',
        'www-authenticate': 'Basic realm="give me your password"',
        'x-toolyard-proxy': 'refused',
        'mcp-session-id': 'session',
        'x-rate-limit': '7',
      });
      response.end('<script>alert(1)</script>');
    });
    await start([other.origin]);
    const { status, headers, text } = await through(other.origin);
    expect([status, text]).toEqual([418, '<script>alert(1)</script>']);
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'mcp-session-id': 'session',
      'x-rate-limit': '7',
    });
    const kept = ['set-cookie', 'clear-site-data', 'access-control-allow-origin', 'service-worker-allowed'];
    for (const name of [...kept, 'www-authenticate', 'x-toolyard-proxy']) expect(headers).not.toHaveProperty(name);
  });

  test('a sign-in by token is told, for whoever can do it', async () => {
    const challenge = 'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource"';
    const other = await target((_request, response) =>
      response.writeHead(401, { 'www-authenticate': challenge }).end(),
    );
    await start([other.origin]);
    expect(await through(other.origin)).toMatchObject({ status: 401, headers: { 'www-authenticate': challenge } });
  });
});

describe('streams through the proxy', () => {
  test('each piece comes when it is sent', async () => {
    let say = (_text: string): void => undefined;
    const other = await target((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      say = (text) => void response.write(text);
      response.flushHeaders();
    });
    await start([other.origin]);
    const response = await open(other.origin);
    expect(response.headers['content-type']).toBe('text/event-stream');
    for (const text of ['data: one\n\n', 'data: two\n\n']) {
      say(text);
      expect(String((await once(response, 'data'))[0])).toBe(text);
    }
    response.destroy();
  });

  test('a body goes on before it is whole', async () => {
    const other = await target();
    await start([other.origin]);
    const path = `/api/proxy?url=${encodeURIComponent(other.origin)}`;
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const sending = httpRequest({ host: '127.0.0.1', port: server.port, path, method: 'POST', headers, agent: false });
    const coming = other.next();
    sending.write('{"first":');
    const request = await coming;
    await eventually(() => expect(request.readableFlowing).toBe(true));
    sending.end('1}');
    await once(sending, 'response');
    expect(other.seen).toMatchObject([{ body: '{"first":1}' }]);
    sending.destroy();
  });

  test('a reader who goes away is not read for any more', async () => {
    let isOver = false;
    const other = await target((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      response.on('close', () => (isOver = true));
    });
    await start([other.origin]);
    const response = await open(other.origin);
    response.destroy();
    await eventually(() => expect(isOver).toBe(true));
  });

  test('attack 23: nobody who reads slowly makes this server hold what is not taken', async () => {
    let sent = 0;
    const other = await target((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (sent < 200_000_000 && !response.destroyed) {
          sent += 65_536;
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    await start([other.origin]);
    const response = await open(other.origin);
    response.pause();
    let before = -1;
    // It stops growing, long before all of it was sent.
    await eventually(() => {
      const rests = sent === before;
      before = sent;
      return rests;
    });
    expect(sent).toBeLessThan(50_000_000);
    response.destroy();
  });
});

describe('where the proxy goes', () => {
  test.each(['/api/proxy', '/cors-proxy'])('%s is not there unless it is switched on', async (at) => {
    server = await startTestServer();
    ends.push({ [Symbol.asyncDispose]: () => server.close() });
    const answer = await through('https://example.com/', {}, at);
    expect(answer).toMatchObject({ status: 404, json: { hint: expect.stringContaining('--ui-mcp-proxy') as string } });
    expect((await server.ask('/props')).json).toMatchObject({ cors_proxy_enabled: false });
  });

  test('that it is on stands in /props', async () => {
    await start([]);
    expect((await server.ask('/props')).json).toMatchObject({ cors_proxy_enabled: true });
  });

  test('attack 5: a redirect into this machine is not followed', async () => {
    const inside = await target();
    // Everything on this machine counts as the internet here, but for the one that is inside.
    const refuse = (ip: string): 'loopback' | null => (ip === '127.0.0.2' ? 'loopback' : null);
    const hidden = inside.origin.replace('127.0.0.1', '127.0.0.2');
    const outside = await target((_request, response) =>
      response.writeHead(302, { location: `${hidden}/admin` }).end(),
    );
    const guard = createGuardedFetch({ trust: () => false, refuse });
    await start([], { change: { proxy: createProxy({ clock: systemClock, guard }) } });
    const answer = await through(outside.origin);
    expect(answer).toMatchObject({ status: 403, json: { code: 'address_refused' } });
    expect(answer.headers['x-toolyard-proxy']).toBe('refused');
    expect([outside.seen.length, inside.seen.length]).toEqual([1, 0]);
    await guard.close();
  });

  test.each([
    'http://127.0.0.1:1/',
    'http://localhost:1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]:1/',
    'http://[::ffff:a9fe:a9fe]/latest/meta-data',
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1\\@example.com/',
    'http://user:word@example.com/',
    'file:///etc/passwd',
    'ftp://example.com/',
  ])('attack 6 and 7: %s is refused', async (url) => {
    await start([]);
    const answer = await through(url);
    expect(answer).toMatchObject({ status: 403, json: { code: 'address_refused' } });
  });

  test('a refused address says how it could be allowed', async () => {
    const other = await target();
    await start([]);
    expect((await through(other.origin)).json).toMatchObject({
      hint: expect.stringContaining(`--proxy-allow ${other.origin}`) as string,
    });
    expect(other.seen).toEqual([]);
  });

  test('a list without "public" leaves out the rest of the internet, redirects included', async () => {
    const listed = await target((_request, response) =>
      response.writeHead(307, { location: 'https://elsewhere.example/' }).end(),
    );
    await start([listed.origin]);
    for (const url of ['https://elsewhere.example/', listed.origin]) {
      expect(await through(url)).toMatchObject({
        status: 403,
        json: { detail: expect.stringContaining('not among the addresses that are allowed') as string },
      });
    }
  });

  test('a redirect to the same server is followed with what was sent', async () => {
    const other = await target((request, response) => {
      if (request.url === '/mcp') response.writeHead(307, { location: '/mcp/' }).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end('1');
    });
    await start([other.origin]);
    const headers = { 'content-type': 'application/json', 'x-toolyard-proxy-header-authorization': 'Bearer theirs' };
    expect((await through(`${other.origin}/mcp`, { body: '{"a":1}', headers })).text).toBe('1');
    expect(other.seen[1]).toMatchObject({
      path: '/mcp/',
      body: '{"a":1}',
      headers: { authorization: 'Bearer theirs' },
    });
  });

  test('attack 13: no image, script, frame or link of the page goes through it', async () => {
    const other = await target();
    await start([other.origin], { security: { tokens: [ANNE] } });
    for (const kind of ['image', 'script', 'iframe', 'document', 'style', 'worker', 'serviceworker']) {
      const headers = { ...as(ANNE), 'sec-fetch-dest': kind, 'sec-fetch-site': 'same-origin' };
      expect([kind, (await through(other.origin, { headers })).status]).toEqual([kind, 403]);
    }
    // A browser that does not say what it asks for: an image has cookies, but no headers of ours.
    const { headers } = await server.ask('/api/session', { json: { token: ANNE.token } });
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    expect((await through(other.origin, { headers: { cookie } })).status).toBe(403);
    expect(other.seen).toEqual([]);
    const marked = { cookie, 'x-toolyard-proxy-header-accept': '*/*' };
    expect((await through(other.origin, { headers: marked })).status).toBe(200);
  });

  test('it asks for the token, as everything does', async () => {
    const other = await target();
    await start([other.origin], { security: { tokens: [ANNE] } });
    expect((await through(other.origin)).status).toBe(401);
    expect((await through(other.origin, {}, '/cors-proxy')).status).toBe(401);
    expect(other.seen).toEqual([]);
  });

  test('attack 27: no page elsewhere uses it', async () => {
    const other = await target();
    await start([other.origin]);
    expect((await through(other.origin, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect(other.seen).toEqual([]);
  });

  test('a server that is not there is named, with the reason', async () => {
    const other = await target();
    await start([other.origin]);
    await other[Symbol.asyncDispose]();
    ends.splice(ends.indexOf(other), 1);
    expect(await through(`${other.origin}/mcp?key=secret`)).toMatchObject({
      status: 502,
      headers: { 'x-toolyard-proxy': 'refused' },
      json: { detail: `The proxy cannot reach ${other.origin}: nobody listens there.` },
    });
  });

  test.each([
    ['/api/proxy', /no url/],
    ['/api/proxy?url=', /no complete address/],
    ['/api/proxy?url=mcp.example.com', /no complete address/],
    ['/api/proxy?ticket=none', /ticket is not valid/],
  ])('%s is told what is missing', async (path, detail) => {
    await start([]);
    expect((await server.ask(path)).json).toMatchObject({ detail: expect.stringMatching(detail) as string });
  });
});

describe('tickets', () => {
  const create = async (target: string, headers: Record<string, string> = {}, asked = {}): Promise<string> => {
    const answer = await server.ask('/api/proxy/tickets', { json: { target, headers }, headers: asked });
    expect(answer.status).toBe(201);
    return (answer.json as unknown as ProxyTicket).ticket;
  };

  test('open one address, once', async () => {
    const other = await target();
    await start([other.origin]);
    const ticket = await create(`${other.origin}/mcp`, { 'X-Api-Key': 'key', Host: 'elsewhere' });
    expect((await server.ask(`/api/proxy?ticket=${ticket}`)).status).toBe(200);
    expect((await server.ask(`/api/proxy?ticket=${ticket}`)).status).toBe(403);
    expect(other.seen).toMatchObject([
      { path: '/mcp', headers: { 'x-api-key': 'key', host: new URL(other.origin).host } },
    ]);
    expect(ticket).toMatch(/^[\w-]{40,}$/);
  });

  test('are of no use to anybody else', async () => {
    const other = await target();
    await start([other.origin], { security: { tokens: [ANNE, BERT] } });
    const ticket = await create(other.origin, {}, as(ANNE));
    expect((await server.ask(`/api/proxy?ticket=${ticket}`, { headers: as(BERT) })).status).toBe(403);
    expect((await server.ask(`/api/proxy?ticket=${ticket}`)).status).toBe(401);
    expect((await server.ask(`/api/proxy?ticket=${ticket}`, { headers: as(ANNE) })).status).toBe(200);
  });

  test('last half a minute', async () => {
    const other = await target();
    const clock = createFakeClock();
    const proxy = createProxy({ allow: [other.origin], clock });
    await start([], { change: { proxy } });
    const ticket = await create(other.origin);
    await clock.advance(30_000);
    expect((await server.ask(`/api/proxy?ticket=${ticket}`)).status).toBe(403);
    await proxy.close();
  });

  test('go by the same rules as any address', async () => {
    await start([]);
    const ticket = await create('http://169.254.169.254/latest/');
    expect((await server.ask(`/api/proxy?ticket=${ticket}`)).json).toMatchObject({ code: 'address_refused' });
  });

  test.each([
    { target: 'file:///etc/passwd' },
    { target: 'https://a.example', headers: { 'a b': 'x' } },
    { target: 7 },
  ])('are not made for %j', async (wish) => {
    await start([]);
    expect((await server.ask('/api/proxy/tickets', { json: wish })).status).toBe(400);
  });
});

describe('WebSockets through the proxy', () => {
  /** Speaks with the server of this test by a real WebSocket, as a page does. */
  async function openSocket(path: string): Promise<WebSocket> {
    const socket = new WebSocket(`ws://127.0.0.1:${String(server.port)}${path}`, ['mcp']);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error('it was not opened')));
    });
    return socket;
  }

  test('a ticket says where to and with which headers; what is said goes both ways', async () => {
    const peer = await startScriptedWebSocket('plain');
    ends.push(peer);
    await start([new URL(peer.url).origin]);
    const json = { target: peer.url, headers: { authorization: 'Bearer theirs' } };
    const { ticket } = (await server.ask('/api/proxy/tickets', { json })).json as unknown as ProxyTicket;
    const socket = await openSocket(`/api/proxy?ticket=${ticket}`);
    expect(socket.protocol).toBe('mcp');
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
    const [{ data }] = (await once(socket, 'message')) as [{ data: string }];
    expect(JSON.parse(data)).toMatchObject({ id: 1, result: {} });
    expect(peer.handshakes[0]).toMatchObject({ authorization: 'Bearer theirs', 'sec-websocket-protocol': 'mcp' });
    expect(peer.handshakes[0]).not.toHaveProperty('origin');
    socket.close();
    await eventually(() => expect(peer.connectionCount).toBe(0));
  });

  test('it ends here when it ends there, and there when this server stops', async () => {
    const peer = await startScriptedWebSocket('plain');
    ends.push(peer);
    await start([new URL(peer.url).origin]);
    const first = await openSocket(`/api/proxy?url=${encodeURIComponent(peer.url)}`);
    const closed = once(first, 'close');
    peer.dropConnections('cut');
    await closed;
    await openSocket(`/api/proxy?url=${encodeURIComponent(peer.url)}`);
    await server.close();
    await eventually(() => expect(peer.connectionCount).toBe(0));
  });

  /** What is answered to a handshake, as text. */
  async function handshake(path: string, headers: Record<string, string> = {}): Promise<string> {
    const socket = connect(server.port, '127.0.0.1');
    const all = {
      host: `127.0.0.1:${String(server.port)}`,
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    return answer;
  }

  test('attack 27: a WebSocket of another site is refused, as is another name of this server', async () => {
    const peer = await startScriptedWebSocket('plain');
    ends.push(peer);
    await start([new URL(peer.url).origin]);
    const path = `/api/proxy?url=${encodeURIComponent(peer.url)}`;
    expect(await handshake(path, { origin: 'https://evil.example' })).toMatch(/^HTTP\/1\.1 403 /);
    expect(await handshake(path, { host: 'rebind.example' })).toMatch(/^HTTP\/1\.1 403 /);
    expect(peer.handshakes).toEqual([]);
  });

  test('it needs the token, and an address the proxy may go to', async () => {
    const peer = await startScriptedWebSocket('plain');
    ends.push(peer);
    await start([], { security: { tokens: [ANNE] } });
    const path = `/api/proxy?url=${encodeURIComponent(peer.url)}`;
    expect(await handshake(path)).toMatch(/^HTTP\/1\.1 401 /);
    const refused = await handshake(path, as(ANNE));
    expect(refused).toMatch(/^HTTP\/1\.1 403 [^]*address_refused/);
    expect(peer.handshakes).toEqual([]);
  });

  test('elsewhere there is none, and a server that speaks no WebSocket is told', async () => {
    const other = await target();
    await start([other.origin]);
    expect(await handshake('/api/events')).toMatch(/^HTTP\/1\.1 404 [^]*no WebSocket at/);
    const answer = await handshake(`/api/proxy?url=${encodeURIComponent(other.origin)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 502 [^]*did not agree to a WebSocket/);
  });
});

test('whoever asks for another protocol is answered in this one', async () => {
  await start([]);
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' };
  expect((await server.ask('/health', { headers })).status).toBe(200);
});
