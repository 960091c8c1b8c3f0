import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { listenOnLoopback, within } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { allowLoopback, createResolver, respondsWith, redirectsTo } from './test-fixtures/origins.ts';
import { createTestGuards } from './test-fixtures/test-guards.ts';
import { trustOrigins } from './trust.ts';

// Each test sets its own trust.
const { guard, origin, closing } = createTestGuards(() => false);

const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const HANDSHAKE = { 'sec-websocket-key': KEY, 'sec-websocket-version': '13' };

/** A server that upgrades to a WebSocket and echoes bytes. */
async function echo(): Promise<string> {
  const server = createServer();
  server.on('upgrade', (request, socket) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key'] ?? ''}258EAFA5`)
      .digest('base64');
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n`);
    socket.write(`sec-websocket-accept: ${accept}\r\n\r\n`);
    socket.on('error', () => undefined).pipe(socket);
  });
  const listening = await listenOnLoopback(server);
  closing(listening);
  return listening.origin;
}

describe('WebSocket upgrade', () => {
  test('returns the raw connection with the negotiated headers', async () => {
    const url = await echo();
    const { socket, headers } = await guard({ trust: trustOrigins([url]) }).upgrade(url.replace('http', 'ws'), {
      headers: HANDSHAKE,
    });
    expect(headers['sec-websocket-accept']).toMatch(/=$/);
    socket.write(Buffer.from([0, 255, 1]));
    const [echoed] = (await within(once(socket, 'data'), { what: 'the echo' })) as [Buffer];
    expect([...echoed]).toEqual([0, 255, 1]);
    socket.destroy();
  });

  test('sends no request for an untrusted URL that leads to a private address', async () => {
    const peer = await origin(respondsWith('secret'));
    const { resolve } = createResolver({ 'public.example': ['127.0.0.1'] });
    const { upgrade } = guard({ resolve });
    for (const url of [
      peer.origin,
      `ws://public.example:${peer.port}/`,
      'ws://169.254.169.254/',
      'file:///etc/passwd',
    ]) {
      await expect(upgrade(url, { headers: HANDSHAKE })).rejects.toMatchObject({ code: 'address_refused' });
    }
    expect(peer.seen).toEqual([]);
  });

  test('rejects any other response, including a redirect', async () => {
    const other = await origin(respondsWith('secret'));
    const peer = await origin(redirectsTo(other.origin));
    const { upgrade } = guard({ trust: trustOrigins([peer.origin, other.origin]) });
    await expect(upgrade(peer.origin, { headers: HANDSHAKE })).rejects.toThrow();
    expect([peer.seen.length, other.seen.length]).toEqual([1, 0]);
  });
});

describe('allowed URLs', () => {
  test('limit every hop, trusted or not', async () => {
    const inside = await origin(respondsWith('fine'));
    const outside = await origin(respondsWith('secret'));
    const leading = await origin(redirectsTo(outside.origin));
    const list = trustOrigins([inside.origin, leading.origin]);
    const fetch = guard({ trust: list, allow: list, refuse: allowLoopback });
    expect(await (await fetch(inside.origin)).text()).toBe('fine');
    for (const url of [outside.origin, leading.origin]) {
      await expect(fetch(url)).rejects.toMatchObject({
        message: expect.stringContaining('list of allowed URLs') as string,
      });
    }
    expect(() => fetch.openWebSocket(outside.origin)).toThrow(/list of allowed URLs/);
    await expect(fetch.upgrade(outside.origin, { headers: HANDSHAKE })).rejects.toThrow(/list of allowed URLs/);
    expect(outside.seen).toEqual([]);
  });
});

test('ends a connection to an untrusted server that sends nothing for the configured time', async () => {
  const peer = await origin((request, response) => {
    response.write('first');
    if (request.url === '/late') setTimeout(() => response.end('second'), 1_500);
  });
  const refuse = allowLoopback;
  const read = async (path: string, quietMs: number) =>
    (await guard({ refuse, quietMs })(`${peer.origin}${path}`)).text();
  await expect(read('/never', 100)).rejects.toThrow();
  expect(await read('/late', 0)).toBe('firstsecond');
});
