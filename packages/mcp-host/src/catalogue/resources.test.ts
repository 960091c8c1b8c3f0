import type { JsonObject } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { McpHost } from '../host/host.ts';
import type { McpHostOptions } from '../host/host-options.ts';
import { getHealth } from '../node/test-fixtures/peers.ts';
import { connectPeer } from '../node/test-fixtures/connect-peer.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';

const PIXEL = 'iVBORw0KGgo=';
const clock = createFakeClock();
let peer: MemoryPeer;
let host: McpHost;
beforeEach(() => {
  peer = new MemoryPeer();
});
afterEach(() => host.close());

async function connect(answers: Record<string, JsonObject>, more: Partial<McpHostOptions> = {}): Promise<McpHost> {
  host = await connectPeer(peer, clock, answers, more);
  return host;
}

describe('a resource', () => {
  const text = { contents: [{ uri: 'file:///a.txt', mimeType: 'text/plain', text: 'abc' }] };

  test('is read with all its contents, text and binary', async () => {
    await connect({
      'resources/read': {
        contents: [...text.contents, { uri: 'file:///p.png', mimeType: 'image/png', blob: PIXEL }, 7],
      },
    });
    expect(await host.resources.read('srv', 'file:///a.txt')).toEqual([
      { type: 'resource', uri: 'file:///a.txt', mimeType: 'text/plain', text: 'abc' },
      { type: 'resource', uri: 'file:///p.png', mimeType: 'image/png', source: { data: PIXEL } },
    ]);
  });

  test('that does not exist, or with an unreadable result, fails with an error', async () => {
    await connect({ 'resources/read': { error: { code: -32002, message: 'Resource not found' } } });
    await expect(host.resources.read('srv', 'file:///x')).rejects.toMatchObject({ code: 'not_found' });
    peer.answers['resources/read'] = () => ({ result: { contents: 'abc' } });
    await expect(host.resources.read('srv', 'file:///x')).rejects.toMatchObject({ code: 'bad_response' });
  });

  test('is cached, read once by concurrent readers, and read again after a change', async () => {
    await connect({ 'resources/read': text });
    const reads = (): number => peer.countReceived('resources/read');
    await Promise.all([host.resources.read('srv', 'file:///a.txt'), host.resources.read('srv', 'file:///a.txt')]);
    await host.resources.read('srv', 'file:///a.txt');
    expect(reads()).toBe(1);
    peer.say({ method: 'notifications/resources/updated', params: { uri: 'file:///a.txt' } });
    await clock.advance(0);
    await host.resources.read('srv', 'file:///a.txt');
    expect(reads()).toBe(2);
    await clock.advance(5 * 60_000);
    await host.resources.read('srv', 'file:///a.txt');
    expect(reads()).toBe(3);
    await host.resources.read('srv', 'file:///a.txt', { fresh: true });
    expect(reads()).toBe(4);
  });

  test('that changes while it is read is read again, and its old contents are not cached', async () => {
    await connect({ 'resources/read': text });
    const before = host.resources.read('srv', 'file:///a.txt');
    host.resources.updated('srv', 'file:///a.txt');
    await Promise.all([before, host.resources.read('srv', 'file:///a.txt')]);
    expect(peer.countReceived('resources/read')).toBe(2);
    host.resources.updated('srv', 'file:///a.txt');
    const old = host.resources.read('srv', 'file:///a.txt');
    host.resources.updated('srv', 'file:///a.txt');
    await old;
    await host.resources.read('srv', 'file:///a.txt');
    expect(peer.countReceived('resources/read')).toBe(4);
  });

  test('is evicted when the cache is full', async () => {
    await connect({});
    peer.answers['resources/read'] = ({ uri }) => ({ result: { contents: [{ uri, text: 'x' }] } });
    for (let number = 0; number < 250; number++) await host.resources.read('srv', `file:///${number}`);
    await host.resources.read('srv', 'file:///249');
    expect(peer.countReceived('resources/read')).toBe(250);
    await host.resources.read('srv', 'file:///0');
    expect(peer.countReceived('resources/read')).toBe(251);
    peer.answers['resources/read'] = () => ({ result: { contents: [{ uri: 'big', text: 'x'.repeat(3_000_000) }] } });
    await host.resources.read('srv', 'big');
    await host.resources.read('srv', 'big');
    expect(peer.countReceived('resources/read')).toBe(253);
  });

  test('is subscribed to once, again after a reconnect, and unsubscribed from with its last listener', async () => {
    await connect({ 'resources/subscribe': {}, 'resources/unsubscribe': {} });
    const updates: string[] = [];
    const first = await host.resources.follow('srv', 'file:///a.txt', () => updates.push('first'));
    const second = await host.resources.follow('srv', 'file:///a.txt', () => updates.push('second'));
    expect(peer.countReceived('resources/subscribe')).toBe(1);
    peer.say({ method: 'notifications/resources/updated', params: { uri: 'file:///a.txt' } });
    await clock.advance(250);
    expect(updates).toEqual(['first', 'second']);
    peer.drop();
    await clock.advance(1_000);
    expect(peer.countReceived('resources/subscribe')).toBe(2);
    await clock.advance(250);
    // It may have changed while disconnected.
    expect(updates).toEqual(['first', 'second', 'first', 'second']);
    await first();
    await first();
    expect(peer.countReceived('resources/unsubscribe')).toBe(0);
    await second();
    expect(peer.countReceived('resources/unsubscribe')).toBe(1);
  });
});

test('whose subscription cannot be renewed is logged', async () => {
  await connect({ 'resources/subscribe': {} });
  await host.resources.follow('srv', 'file:///a.txt', () => undefined);
  peer.answers['resources/subscribe'] = () => ({ error: { code: -32603, message: 'too many' } });
  peer.drop();
  await clock.advance(1_000);
  expect(getHealth(host, 'srv')).toMatchObject({ state: 'ready' });
  expect(getHealth(host, 'srv').log.at(-1)).toMatchObject({
    level: 'warning',
    text: expect.stringContaining('too many') as string,
  });
  await expect(host.resources.follow('srv', 'file:///b.txt', () => undefined)).rejects.toMatchObject({
    message: expect.stringContaining('too many') as string,
  });
});
