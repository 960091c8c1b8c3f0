import { once } from 'node:events';
import { within } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { createResolver, respondsWith, redirectsTo } from './test-fixtures/origins.ts';
import { createTestGuards } from './test-fixtures/test-guards.ts';
import { trustOrigins } from './trust.ts';

// Each test sets its own trust.
const { guard, origin } = createTestGuards(() => false);

describe('openWebSocket', () => {
  test('connects to a trusted URL, with headers and subprotocols', async () => {
    const peer = await origin(respondsWith('no WebSocket here'));
    const { openWebSocket } = guard({ trust: trustOrigins([peer.origin]) });
    const url = `${peer.origin.replace('http', 'ws')}/mcp?x=1`;
    const socket = openWebSocket(url, { protocols: ['mcp'], headers: { 'x-api-key': 'k' } });
    await within(once(socket, 'error'), { what: 'the error of the WebSocket' });
    expect(peer.seen).toMatchObject([
      { path: '/mcp?x=1', headers: { upgrade: 'websocket', 'sec-websocket-protocol': 'mcp', 'x-api-key': 'k' } },
    ]);
  });

  test('rejects an untrusted private URL', async () => {
    const peer = await origin(respondsWith('secret'));
    const { openWebSocket } = guard();
    for (const url of [
      peer.origin.replace('http', 'ws'),
      'ws://169.254.169.254/',
      'wss://localhost/',
      'file:///etc/passwd',
      'ws://user:word@example.com/',
      'not an address',
    ]) {
      expect(() => openWebSocket(url)).toThrow(expect.objectContaining({ code: 'address_refused' }) as Error);
    }
    expect(peer.seen).toEqual([]);
  });

  test('rejects a name that resolves to a private address', async () => {
    const peer = await origin(respondsWith('secret'));
    const { resolve, asked } = createResolver({ 'public.example': ['127.0.0.1'] });
    const socket = guard({ resolve }).openWebSocket(`ws://public.example:${peer.port}/`);
    await within(once(socket, 'error'), { what: 'the error of the WebSocket' });
    expect(asked).toEqual(['public.example']);
    expect(peer.seen).toEqual([]);
  });

  test('follows no redirects', async () => {
    const other = await origin(respondsWith('secret'));
    const peer = await origin(redirectsTo(other.origin));
    const { openWebSocket } = guard({ trust: trustOrigins([peer.origin, other.origin]) });
    const socket = openWebSocket(peer.origin.replace('http', 'ws'));
    await within(once(socket, 'error'), { what: 'the error of the WebSocket' });
    expect([peer.seen.length, other.seen.length]).toEqual([1, 0]);
  });
});
