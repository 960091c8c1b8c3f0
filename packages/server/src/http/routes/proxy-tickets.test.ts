import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Clock, CreatedApiKey, ProxyTicket } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { ScriptedWebSocket } from '@toolyard/testing';
import { createFakeClock, eventually, startScriptedWebSocket, within } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProxy } from '../../proxy/proxy.ts';
import { CHECK_EVERY_MS } from '../auth/watch-credential.ts';
import type { ProxyStage } from '../test-fixtures/proxy-stage.ts';
import { createProxyStage } from '../test-fixtures/proxy-stage.ts';
import { signIn } from '../test-fixtures/sign-in.ts';
import { ANNE, as, BERT } from '../test-fixtures/test-server.ts';

let stage: ProxyStage;
beforeEach(() => {
  stage = createProxyStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

describe('tickets', () => {
  const create = async (target: string, headers: Record<string, string> = {}, asked = {}): Promise<string> => {
    const answer = await stage.server.ask('/api/proxy/tickets', { json: { target, headers }, headers: asked });
    expect(answer.status).toBe(201);
    return (answer.json as unknown as ProxyTicket).ticket;
  };

  test('can be used for one URL, once', async () => {
    const other = await stage.target();
    await stage.start([other.origin]);
    const ticket = await create(`${other.origin}/mcp`, { 'X-Api-Key': 'key', Host: 'elsewhere' });
    expect((await stage.server.ask(`/api/proxy?ticket=${ticket}`)).status).toBe(200);
    expect((await stage.server.ask(`/api/proxy?ticket=${ticket}`)).status).toBe(403);
    expect(other.seen).toMatchObject([
      { path: '/mcp', headers: { 'x-api-key': 'key', host: new URL(other.origin).host } },
    ]);
    expect(ticket).toMatch(/^[\w-]{40,}$/);
  });

  test('cannot be used by another user', async () => {
    const other = await stage.target();
    await stage.start([other.origin], { security: { tokens: [ANNE, BERT] } });
    const ticket = await create(other.origin, {}, as(ANNE));
    expect((await stage.server.ask(`/api/proxy?ticket=${ticket}`, { headers: as(BERT) })).status).toBe(403);
    expect((await stage.server.ask(`/api/proxy?ticket=${ticket}`)).status).toBe(401);
    expect((await stage.server.ask(`/api/proxy?ticket=${ticket}`, { headers: as(ANNE) })).status).toBe(200);
  });

  test('expire after 30 seconds', async () => {
    const other = await stage.target();
    const clock = createFakeClock();
    const proxy = createProxy({ allow: [other.origin], clock });
    await stage.start([], { change: { proxy } });
    const ticket = await create(other.origin);
    await clock.advance(30_000);
    expect((await stage.server.ask(`/api/proxy?ticket=${ticket}`)).status).toBe(403);
    await proxy.close();
  });

  test('follow the same URL rules', async () => {
    await stage.start([]);
    const ticket = await create('http://169.254.169.254/latest/');
    expect((await stage.server.ask(`/api/proxy?ticket=${ticket}`)).json).toMatchObject({ code: 'address_refused' });
  });

  test.each([
    { target: 'file:///etc/passwd' },
    { target: 'https://a.example', headers: { 'a b': 'x' } },
    { target: 7 },
  ])('are rejected for %j', async (body) => {
    await stage.start([]);
    expect((await stage.server.ask('/api/proxy/tickets', { json: body })).status).toBe(400);
  });
});

describe('WebSockets through the proxy', () => {
  /** Opens a real WebSocket to the server of this test, as a page does. */
  async function openSocket(path: string): Promise<WebSocket> {
    const socket = new WebSocket(`ws://127.0.0.1:${String(stage.server.port)}${path}`, ['mcp']);
    const opened = new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error('it was not opened')));
    });
    await within(opened, { what: `the WebSocket on ${path} to open` });
    return socket;
  }

  test('uses URL and headers of a ticket, and relays in both directions', async () => {
    const peer = stage.disposeAfter(await startScriptedWebSocket('plain'));

    await stage.start([new URL(peer.url).origin]);
    const json = { target: peer.url, headers: { authorization: 'Bearer theirs' } };
    const { ticket } = (await stage.server.ask('/api/proxy/tickets', { json })).json as unknown as ProxyTicket;
    const socket = await openSocket(`/api/proxy?ticket=${ticket}`);
    expect(socket.protocol).toBe('mcp');
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
    const [{ data }] = (await within(once(socket, 'message'), { what: 'the answer to the ping' })) as [
      { data: string },
    ];
    expect(JSON.parse(data)).toMatchObject({ id: 1, result: {} });
    expect(peer.handshakes[0]).toMatchObject({ authorization: 'Bearer theirs', 'sec-websocket-protocol': 'mcp' });
    expect(peer.handshakes[0]).not.toHaveProperty('origin');
    socket.close();
    await eventually(() => expect(peer.connectionCount).toBe(0));
  });

  test('closes when the other server closes, and when this server stops', async () => {
    const peer = stage.disposeAfter(await startScriptedWebSocket('plain'));

    await stage.start([new URL(peer.url).origin]);
    const first = await openSocket(`/api/proxy?url=${encodeURIComponent(peer.url)}`);
    const closed = once(first, 'close');
    peer.dropConnections('cut');
    await within(closed, { what: 'the close of the WebSocket' });
    await openSocket(`/api/proxy?url=${encodeURIComponent(peer.url)}`);
    await stage.server.close();
    await eventually(() => expect(peer.connectionCount).toBe(0));
  });

  describe('of a revoked credential', () => {
    /** Pending credential checks. */
    let checks: (() => void)[] = [];
    const clock: Clock = {
      ...systemClock,
      after(ms, run) {
        if (ms !== CHECK_EVERY_MS) return systemClock.after(ms, run);
        checks.push(run);
        return () => void (checks = checks.filter((one) => one !== run));
      },
    };
    let peer: ScriptedWebSocket;
    beforeEach(async () => {
      checks = [];
      peer = stage.disposeAfter(await startScriptedWebSocket('plain'));
      await stage.start([new URL(peer.url).origin], { security: { tokens: [ANNE] }, change: { clock } });
    });

    const ticketFor = async (headers: Record<string, string>): Promise<string> => {
      const answer = await stage.server.ask('/api/proxy/tickets', { json: { target: peer.url }, headers });
      return (answer.json as unknown as ProxyTicket).ticket;
    };

    test('from a session are closed at the next check, and its tickets are rejected', async () => {
      const [gone, other] = [await signIn(stage.server, ANNE), await signIn(stage.server, ANNE)];
      const socket = await openSocket(`/api/proxy?ticket=${await ticketFor(gone)}`);
      const kept = await openSocket(`/api/proxy?ticket=${await ticketFor(other)}`);
      const unused = await ticketFor(gone);
      const closed = once(socket, 'close');
      await stage.server.ask('/api/session', { method: 'DELETE', headers: gone });
      expect(checks).toHaveLength(2);
      for (const check of checks.splice(0)) check();
      await within(closed, { what: 'the close of the WebSocket' });
      expect(kept.readyState).toBe(WebSocket.OPEN);
      await eventually(() => expect(checks).toHaveLength(1));
      expect(await handshake(`/api/proxy?ticket=${unused}`)).toMatch(/^HTTP\/1\.1 403 [^]*ticket is invalid/);
      kept.close();
      await eventually(() => expect(checks).toEqual([]));
    });

    test('from an API key are closed at the next check, and so are streams', async () => {
      const other = await stage.target((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      });
      const allowed = [new URL(peer.url).origin, other.origin];
      await stage.start(allowed, { security: { tokens: [ANNE] }, change: { clock } });
      const body = { name: 'Desk', scopes: ['servers'] };
      const created = await stage.server.ask('/api/access/keys', { json: body, headers: as(ANNE) });
      const { id, key } = created.json as unknown as CreatedApiKey;
      const headers = { authorization: `Bearer ${key}` };
      const socket = await openSocket(`/api/proxy?ticket=${await ticketFor(headers)}`);
      const closed = once(socket, 'close');
      const stream = await fetch(`${stage.server.url}/api/proxy?url=${encodeURIComponent(other.origin)}`, { headers });
      const ended = expect(stream.text()).rejects.toThrow();
      await stage.server.ask(`/api/access/keys/${id}`, { method: 'DELETE', headers: as(ANNE) });
      for (const check of checks.splice(0)) check();
      await within(Promise.all([closed, ended]), { what: 'the close of the WebSocket and of the stream' });
      await eventually(() => expect(peer.connectionCount).toBe(0));
    });
  });

  /** The raw response to a handshake. */
  async function handshake(path: string, headers: Record<string, string> = {}): Promise<string> {
    const socket = connect(stage.server.port, '127.0.0.1');
    const all = {
      host: `127.0.0.1:${String(stage.server.port)}`,
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    return within(text(socket), { what: `the answer to the handshake on ${path}` });
  }

  test('attack 27: rejects a WebSocket of another site, and another name of this server', async () => {
    const peer = stage.disposeAfter(await startScriptedWebSocket('plain'));

    await stage.start([new URL(peer.url).origin]);
    const path = `/api/proxy?url=${encodeURIComponent(peer.url)}`;
    expect(await handshake(path, { origin: 'https://evil.example' })).toMatch(/^HTTP\/1\.1 403 /);
    expect(await handshake(path, { host: 'rebind.example' })).toMatch(/^HTTP\/1\.1 403 /);
    expect(peer.handshakes).toEqual([]);
  });

  test('requires the token and an allowed URL', async () => {
    const peer = stage.disposeAfter(await startScriptedWebSocket('plain'));

    await stage.start([], { security: { tokens: [ANNE] } });
    const path = `/api/proxy?url=${encodeURIComponent(peer.url)}`;
    expect(await handshake(path)).toMatch(/^HTTP\/1\.1 401 /);
    const refused = await handshake(path, as(ANNE));
    expect(refused).toMatch(/^HTTP\/1\.1 403 [^]*address_refused/);
    expect(peer.handshakes).toEqual([]);
  });

  test('rejects other paths, and reports a server without WebSocket support', async () => {
    const other = await stage.target();
    await stage.start([other.origin]);
    expect(await handshake('/api/events')).toMatch(/^HTTP\/1\.1 404 [^]*no WebSocket at/);
    const answer = await handshake(`/api/proxy?url=${encodeURIComponent(other.origin)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 502 [^]*WebSocket not supported/);
  });
});

test('answers a request for another protocol over HTTP/1.1', async () => {
  await stage.start([]);
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' };
  expect((await stage.server.ask('/health', { headers })).status).toBe(200);
});
