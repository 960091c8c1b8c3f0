import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestResponse, TestRequestOptions, TestServer } from './test-fixtures/test-server.ts';
import { ANNE, as, startTestServer } from './test-fixtures/test-server.ts';

let server: TestServer;
afterEach(() => server.close());

const PAGES = ['/', '/api/conversations', '/api/events', '/health', '/nowhere', '/api/nowhere'];

describe('attack 3: a local server reached from a web page', () => {
  beforeEach(async () => {
    server = await startTestServer({ security: { allowHosts: ['tools.example.com', 'box:9000'] } });
  });

  const called = (
    host: string,
    target = '/api/conversations',
    headers: Record<string, string> = {},
  ): Promise<TestResponse> => server.ask(target, { headers: { host, ...headers } });

  /** Sends raw bytes and returns the whole response. */
  async function raw(bytes: string): Promise<string> {
    const socket = connect(server.port, '127.0.0.1');
    socket.end(bytes);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    return answer;
  }

  test.each(PAGES)('rejects %s under a foreign name (DNS rebinding)', async (target) => {
    const answer = await called(`rebind.attacker.example:${server.port}`, target);
    expect(answer).toMatchObject({ status: 403, json: { code: 'forbidden' } });
    expect(answer.json).toMatchObject({
      detail: expect.stringContaining('rebind.attacker.example') as string,
      hint: expect.stringContaining('--allow-host rebind.attacker.example') as string,
    });
  });

  test('accepts only its own names with the right port', async () => {
    const { port } = server;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
      expect([host, (await called(host)).status]).toEqual([host, 200]);
    }
    for (const host of ['tools.example.com', 'tools.example.com:443', 'box:9000']) {
      expect([host, (await called(host)).status]).toEqual([host, 200]);
    }
    for (const host of [
      `0.0.0.0:${port}`,
      `[::]:${port}`,
      '127.0.0.1',
      'localhost',
      `127.0.0.1:${port + 1}`,
      `localhost.attacker.example:${port}`,
      `127.0.0.1.nip.io:${port}`,
      `localhost:${port}@attacker.example`,
      `attacker.example#localhost:${port}`,
      `127.1:${port}`,
      `2130706433:${port}`,
      `192.168.0.10:${port}`,
      'box:9001',
      'evil.tools.example.com',
      ' ',
    ]) {
      expect([host, [400, 403].includes((await called(host)).status)]).toEqual([host, true]);
    }
  });

  test('rejects two Host headers, or an absolute URL as the target', async () => {
    const { port } = server;
    const hosts = `Host: localhost:${port}\r\nHost: attacker.example\r\n`;
    expect(await raw(`GET /api/conversations HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 40[03] /,
    );
    expect(await raw(`GET /api/conversations HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1.1 40[03] /);
    const full = await called(`localhost:${port}`, 'http://attacker.example/api/conversations');
    expect(full).toMatchObject({ status: 400, json: { code: 'bad_request' } });
  });

  test.each(PAGES)('rejects %s for a page of another origin', async (target) => {
    const { port } = server;
    for (const origin of [
      'https://attacker.example',
      'null',
      `http://localhost:${port + 1}`,
      `http://localhost.attacker.example:${port}`,
      `http://127.0.0.1:${port}`,
      'http://localhost',
    ]) {
      const answer = await called(`localhost:${port}`, target, { origin });
      expect([origin, answer.status]).toEqual([origin, 403]);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('accepts the page itself, also behind a TLS proxy', async () => {
    const { port } = server;
    expect((await called(`localhost:${port}`, '/api/settings', { origin: `http://localhost:${port}` })).status).toBe(
      200,
    );
    const behind = { origin: 'https://tools.example.com', 'sec-fetch-site': 'same-origin' };
    expect((await called('tools.example.com', '/api/settings', behind)).status).toBe(200);
  });

  test('rejects scripts, images and frames of another site, but allows links to the page', async () => {
    const host = `localhost:${server.port}`;
    for (const site of ['cross-site', 'same-site']) {
      for (const [mode, dest] of [
        ['no-cors', 'image'],
        ['no-cors', 'script'],
        ['cors', 'empty'],
        ['navigate', 'iframe'],
      ] as const) {
        const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
        expect([site, dest, (await called(host, '/', headers)).status]).toEqual([site, dest, 403]);
      }
    }
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect((await called(host, '/', link)).status).not.toBe(403);
  });
});

describe('attack 27: forged requests', () => {
  beforeEach(async () => {
    server = await startTestServer();
  });

  test('content types of forms change nothing, on any route', async () => {
    for (const { method, path, upload } of server.app.routes) {
      if (method === 'GET') continue;
      for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain', '']) {
        if (method === 'DELETE' || (upload && type === 'text/plain')) continue;
        const target = path.replaceAll(/\{\w+\}/g, 'x');
        const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
        const answer = await server.ask(target, { method: method, headers, body: '{"title":"forged"}' });
        expect([method, path, type, answer.status]).toEqual([method, path, type, 415]);
      }
    }
    expect((await server.ask('/api/conversations')).json).toEqual({ items: [] });
  });

  test('a request without a body and content type is accepted where no body is expected, as curl sends it', async () => {
    const { url } = server;
    const status = async (path: string, init: RequestInit) => (await fetch(`${url}${path}`, init)).status;
    // Not found, and not 415: there is no such run.
    expect(await status('/api/runs/none/cancel', { method: 'POST' })).toBe(404);
    expect(await status('/api/conversations', { method: 'POST' })).toBe(415);
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect(await status('/api/runs/none/cancel', form)).toBe(415);
  });

  test('other origins are rejected whatever the type', async () => {
    for (const { method, path } of server.app.routes) {
      const target = path.replaceAll(/\{\w+\}/g, 'x');
      const headers = { 'content-type': 'application/json', origin: 'https://attacker.example' };
      const body = method === 'GET' ? {} : { body: '{}' };
      const answer = await server.ask(target, { method: method, headers, ...body });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
    }
  });

  test('a preflight grants nothing', async () => {
    const headers = { origin: 'https://attacker.example', 'access-control-request-method': 'POST' };
    const answer = await server.ask('/api/conversations', { method: 'OPTIONS', headers });
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('no WebSocket is opened', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const answer = await server.ask('/api/events/ws', { headers: { ...headers, 'sec-websocket-key': 'eA==' } });
    expect(answer.status).toBe(404);
  });
});

describe('tokens', () => {
  beforeEach(async () => {
    server = await startTestServer({ security: { tokens: [ANNE] } });
  });

  const get = (target: string, headers: Record<string, string> = {}): Promise<TestResponse> =>
    server.ask(target, { headers });

  test('is required by every route that is not public', async () => {
    // Redirect targets of authorization servers: the state in the query authenticates them.
    const back = ['GET /api/mcp/sign-in/callback', 'GET /api/mcp/sign-in/tab'];
    const open = new Set(['GET /health', 'GET /ready', 'GET /api/sign-in', 'POST /api/session', ...back]);
    for (const { method, path } of server.app.routes) {
      const target = path.replaceAll(/\{\w+\}/g, 'x');
      const options: TestRequestOptions = method === 'GET' ? {} : { method: method, json: { token: 'wrong' } };
      const answer = await server.ask(target, options);
      expect([method, path, answer.status === 401]).toEqual([
        method,
        path,
        !open.has(`${method} ${path}`) || method === 'POST',
      ]);
      // A delivery is authenticated by its signature.
      const scheme = path === '/api/hooks/{trigger}' ? 'Signature' : 'Bearer';
      if (answer.status === 401) expect(answer.headers['www-authenticate']).toBe(scheme);
    }
    expect((await get('/')).status).not.toBe(401);
  });

  test('is accepted in the right place only', async () => {
    expect((await get('/api/session', as(ANNE))).json).toMatchObject({ ownerId: 'anne', tokenRequired: true });
    for (const headers of [
      as({ token: 'token-of-ann' }),
      as({ token: 'token-of-anne2' }),
      { authorization: ANNE.token },
      { authorization: `Basic ${Buffer.from(`:${ANNE.token}`).toString('base64')}` },
      { authorization: `Token ${ANNE.token}` },
      { 'x-api-key': ANNE.token },
      { 'api-key': ANNE.token },
      { 'x-authorization': `Bearer ${ANNE.token}` },
      { cookie: `token=${ANNE.token}` },
      { cookie: `toolyard_${server.port}=${ANNE.token}` },
    ]) {
      expect([headers, (await get('/api/session', headers)).status]).toEqual([headers, 401]);
    }
    for (const query of ['token', 'access_token', 'key']) {
      expect((await get(`/api/session?${query}=${ANNE.token}`)).status).toBe(401);
    }
  });

  test('is exchanged for a cookie that scripts cannot read and that does not contain it', async () => {
    expect(await server.ask('/api/session', { json: { token: 'wrong' } })).toMatchObject({ status: 401 });
    const signedIn = await server.ask('/api/session', { json: { token: ANNE.token } });
    const [set = ''] = signedIn.headers['set-cookie'] ?? [];
    expect(set).toMatch(
      new RegExp(`^toolyard_${server.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=\\d+$`),
    );
    expect(set).not.toContain(ANNE.token);
    const cookie = set.split(';', 1)[0] ?? '';
    const secret = { 'x-toolyard-session': (signedIn.json as { secret: string }).secret };
    const signedInAs = await get('/api/session', { ...secret, cookie: `a=b; ${cookie}; c=d` });
    expect(signedInAs.json).toMatchObject({ ownerId: 'anne', via: 'session' });
    expect((await get('/api/session', { ...secret, cookie: cookie.slice(0, -1) })).status).toBe(401);
    const out = await server.ask('/api/session', { method: 'DELETE', headers: { ...secret, cookie } });
    expect(out.headers['set-cookie']?.[0]).toContain('Max-Age=0');
  });

  test('uses a Secure cookie behind TLS', async () => {
    const proxied = await startTestServer({ security: { tokens: [ANNE], allowHosts: ['tools.example.com'] } });
    try {
      const headers = { host: 'tools.example.com', origin: 'https://tools.example.com' };
      const signedIn = await proxied.ask('/api/session', { json: { token: ANNE.token }, headers });
      expect(signedIn.headers['set-cookie']?.[0]).toMatch(/; Secure$/);
    } finally {
      await proxied.close();
    }
  });

  test('does not appear in logs or responses', async () => {
    const answer = await get('/api/session', as({ token: 'nearly-the-secret' }));
    expect(answer.text + server.logged.join()).not.toContain('nearly-the-secret');
  });
});

test('every response has security headers', async () => {
  server = await startTestServer();
  for (const target of [...PAGES.filter((page) => page !== '/api/events'), '/api/conversations/nobody']) {
    expect((await server.ask(target)).headers).toMatchObject({
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'") as string,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
  }
});
