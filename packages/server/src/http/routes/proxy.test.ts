import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { createGuardedFetch } from '@toolyard/guarded-fetch';
import { systemClock } from '@toolyard/protocol';
import { eventually, within } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProxy } from '../../proxy/proxy.ts';
import type { ProxyStage } from '../test-fixtures/proxy-stage.ts';
import { createProxyStage } from '../test-fixtures/proxy-stage.ts';
import { ANNE, as } from '../test-fixtures/test-server.ts';

let stage: ProxyStage;
beforeEach(() => {
  stage = createProxyStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

describe('requests through the proxy', () => {
  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('forwards %s unchanged', async (method) => {
    const other = await stage.target();
    await stage.start([other.origin]);
    const body = method === 'GET' ? {} : { body: '{"a":1}', headers: { 'content-type': 'application/json' } };
    const answer = await stage.through(`${other.origin}/mcp?x=1&y=2`, { method, ...body });
    expect([answer.status, answer.json]).toEqual([200, { here: true }]);
    expect(other.seen).toMatchObject([{ method, path: '/mcp?x=1&y=2', body: method === 'GET' ? '' : '{"a":1}' }]);
  });

  test('forwards HEAD without a body', async () => {
    const other = await stage.target();
    await stage.start([other.origin]);
    expect(await stage.through(`${other.origin}/`, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect(other.seen).toMatchObject([{ method: 'HEAD' }]);
  });

  test.each(['x-toolyard-proxy-header-', 'x-llama-server-proxy-header-'])(
    'passes on a header with the prefix %s',
    async (prefix) => {
      const other = await stage.target();
      await stage.start([other.origin]);
      const headers = { [`${prefix}authorization`]: 'Bearer theirs', [`${prefix}x-api-key`]: 'key' };
      await stage.through(other.origin, { headers }, '/cors-proxy');
      expect(other.seen[0]?.headers).toMatchObject({ authorization: 'Bearer theirs', 'x-api-key': 'key' });
    },
  );

  test("never forwards Toolyard's credentials, nor the origin", async () => {
    const other = await stage.target();
    await stage.start([other.origin], { security: { tokens: [ANNE] } });
    await stage.through(other.origin, {
      headers: {
        ...as(ANNE),
        cookie: 'toolyard_1=secret',
        origin: stage.server.url,
        referer: `${stage.server.url}/c/secret`,
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

  test('drops response headers that would act on the page', async () => {
    const other = await stage.target((_request, response) => {
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
    await stage.start([other.origin]);
    const { status, headers, text } = await stage.through(other.origin);
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

  test('explains a required sign-in to clients that support it', async () => {
    const challenge = 'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource"';
    const other = await stage.target((_request, response) =>
      response.writeHead(401, { 'www-authenticate': challenge }).end(),
    );
    await stage.start([other.origin]);
    expect(await stage.through(other.origin)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': challenge },
    });
  });
});

describe('streams through the proxy', () => {
  test('forwards each chunk as it arrives', async () => {
    let say = (_text: string): void => undefined;
    const other = await stage.target((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      say = (text) => void response.write(text);
      response.flushHeaders();
    });
    await stage.start([other.origin]);
    const response = await stage.open(other.origin);
    expect(response.headers['content-type']).toBe('text/event-stream');
    for (const text of ['data: one\n\n', 'data: two\n\n']) {
      say(text);
      const [piece] = await within(once(response, 'data'), { what: `the piece ${JSON.stringify(text)}` });
      expect(String(piece)).toBe(text);
    }
    response.destroy();
  });

  test('forwards a body before it is complete', async () => {
    const other = await stage.target();
    await stage.start([other.origin]);
    const path = `/api/proxy?url=${encodeURIComponent(other.origin)}`;
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const sending = httpRequest({
      host: '127.0.0.1',
      port: stage.server.port,
      path,
      method: 'POST',
      headers,
      agent: false,
    });
    const coming = once(other.server, 'request');
    sending.write('{"first":');
    const [request] = (await within(coming, { what: 'the request at the target' })) as [IncomingMessage];
    await eventually(() => expect(request.readableFlowing).toBe(true));
    sending.end('1}');
    await within(once(sending, 'response'), { what: 'the response of the proxy' });
    expect(other.seen).toMatchObject([{ body: '{"first":1}' }]);
    sending.destroy();
  });

  test('stops reading when the client disconnects', async () => {
    let isOver = false;
    const other = await stage.target((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      response.on('close', () => (isOver = true));
    });
    await stage.start([other.origin]);
    const response = await stage.open(other.origin);
    response.destroy();
    await eventually(() => expect(isOver).toBe(true));
  });

  test('attack 23: a slow client cannot make the server buffer without limit', async () => {
    let sent = 0;
    const other = await stage.target((_request, response) => {
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
    await stage.start([other.origin]);
    const response = await stage.open(other.origin);
    response.pause();
    let before = -1;
    // Stops growing long before everything was sent.
    await eventually(() => {
      const rests = sent === before;
      before = sent;
      return rests;
    });
    expect(sent).toBeLessThan(50_000_000);
    response.destroy();
  });
});

describe('destinations of the proxy', () => {
  test.each(['/api/proxy', '/cors-proxy'])('is not found at %s unless enabled', async (at) => {
    await stage.start([], { change: { proxy: null } });
    const answer = await stage.through('https://example.com/', {}, at);
    expect(answer).toMatchObject({ status: 404, json: { hint: expect.stringContaining('--ui-mcp-proxy') as string } });
    expect((await stage.server.ask('/props')).json).toMatchObject({ cors_proxy_enabled: false });
  });

  test('reports in /props that it is enabled', async () => {
    await stage.start([]);
    expect((await stage.server.ask('/props')).json).toMatchObject({ cors_proxy_enabled: true });
  });

  test('attack 5: does not follow a redirect into this machine', async () => {
    const inside = await stage.target();
    // Every loopback address except one counts as the internet in this test.
    const refuse = (ip: string): 'loopback' | null => (ip === '127.0.0.2' ? 'loopback' : null);
    const hidden = inside.origin.replace('127.0.0.1', '127.0.0.2');
    const outside = await stage.target((_request, response) =>
      response.writeHead(302, { location: `${hidden}/admin` }).end(),
    );
    const guard = createGuardedFetch({ trust: () => false, refuse });
    await stage.start([], { change: { proxy: createProxy({ clock: systemClock, guard }) } });
    const answer = await stage.through(outside.origin);
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
  ])('attack 6 and 7: rejects %s', async (url) => {
    await stage.start([]);
    const answer = await stage.through(url);
    expect(answer).toMatchObject({ status: 403, json: { code: 'address_refused' } });
  });

  test('explains how to allow a rejected URL', async () => {
    const other = await stage.target();
    await stage.start([]);
    expect((await stage.through(other.origin)).json).toMatchObject({
      hint: expect.stringContaining(`--proxy-allow ${other.origin}`) as string,
    });
    expect(other.seen).toEqual([]);
  });

  test.each(['file:///etc/passwd', 'http://me:word@127.0.0.1:3000/'])(
    'never allows %s, nor explains how',
    async (url) => {
      await stage.start([]);
      const { json } = await stage.through(url);
      expect(json).toMatchObject({ code: 'address_refused', hint: expect.any(String) as string });
      expect(JSON.stringify(json)).not.toContain('--proxy-allow');
    },
  );

  test('without "public", rejects the rest of the internet, redirects included', async () => {
    const listed = await stage.target((_request, response) =>
      response.writeHead(307, { location: 'https://elsewhere.example/' }).end(),
    );
    await stage.start([listed.origin]);
    for (const url of ['https://elsewhere.example/', listed.origin]) {
      expect(await stage.through(url)).toMatchObject({
        status: 403,
        json: { detail: expect.stringContaining('not on the list of allowed URLs') as string },
      });
    }
  });

  test('follows a redirect to the same server with the same request', async () => {
    const other = await stage.target((request, response) => {
      if (request.url === '/mcp') response.writeHead(307, { location: '/mcp/' }).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end('1');
    });
    await stage.start([other.origin]);
    const headers = { 'content-type': 'application/json', 'x-toolyard-proxy-header-authorization': 'Bearer theirs' };
    expect((await stage.through(`${other.origin}/mcp`, { body: '{"a":1}', headers })).text).toBe('1');
    expect(other.seen[1]).toMatchObject({
      path: '/mcp/',
      body: '{"a":1}',
      headers: { authorization: 'Bearer theirs' },
    });
  });

  test('attack 13: rejects images, scripts, frames and links of the page', async () => {
    const other = await stage.target();
    await stage.start([other.origin], { security: { tokens: [ANNE] } });
    for (const kind of ['image', 'script', 'iframe', 'document', 'style', 'worker', 'serviceworker']) {
      const headers = { ...as(ANNE), 'sec-fetch-dest': kind, 'sec-fetch-site': 'same-origin' };
      expect([kind, (await stage.through(other.origin, { headers })).status]).toEqual([kind, 403]);
    }
    // A browser without Sec-Fetch headers: an image request has cookies, but not our headers.
    const { headers, json } = await stage.server.ask('/api/session', { json: { token: ANNE.token } });
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const session = { cookie, 'x-toolyard-session': (json as { secret: string }).secret };
    expect((await stage.through(other.origin, { headers: { cookie } })).status).toBe(401);
    expect((await stage.through(other.origin, { headers: session })).status).toBe(403);
    expect(other.seen).toEqual([]);
    const marked = { ...session, 'x-toolyard-proxy-header-accept': '*/*' };
    expect((await stage.through(other.origin, { headers: marked })).status).toBe(200);
  });

  test('requires the token', async () => {
    const other = await stage.target();
    await stage.start([other.origin], { security: { tokens: [ANNE] } });
    expect((await stage.through(other.origin)).status).toBe(401);
    expect((await stage.through(other.origin, {}, '/cors-proxy')).status).toBe(401);
    expect(other.seen).toEqual([]);
  });

  test('attack 27: rejects pages of other origins', async () => {
    const other = await stage.target();
    await stage.start([other.origin]);
    expect((await stage.through(other.origin, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect(other.seen).toEqual([]);
  });

  test('names an unreachable server and the reason', async () => {
    const other = await stage.target();
    await stage.start([other.origin]);
    await other[Symbol.asyncDispose]();
    expect(await stage.through(`${other.origin}/mcp?key=secret`)).toMatchObject({
      status: 502,
      headers: { 'x-toolyard-proxy': 'refused' },
      json: { detail: `The proxy cannot reach ${other.origin}: connection refused.` },
    });
  });

  test.each([
    ['/api/proxy', /url is missing/],
    ['/api/proxy?url=', /not an absolute URL/],
    ['/api/proxy?url=mcp.example.com', /not an absolute URL/],
    ['/api/proxy?ticket=none', /ticket is invalid/],
  ])('explains what is missing: %s', async (path, detail) => {
    await stage.start([]);
    expect((await stage.server.ask(path)).json).toMatchObject({ detail: expect.stringMatching(detail) as string });
  });
});
