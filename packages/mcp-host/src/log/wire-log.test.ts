import { createFakeClock } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { McpHost } from '../host/host.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';
import { toPreview } from './wire-log.ts';

test('keeps the last messages of a server, without secrets', async () => {
  const peer = new MemoryPeer();
  const host = new McpHost({
    servers: [
      {
        id: 'srv',
        transport: { type: 'http', url: 'http://localhost/mcp', headers: { Authorization: 'Bearer hunter2-hunter2' } },
      },
    ],
    createTransport: peer.createTransport,
    eraMemory: peer.eraMemory,
    clock: createFakeClock(),
    clientInfo: { name: 'toolyard-test', version: '0' },
  });
  await host.connectAll();
  peer.answers['tools/call'] = () => ({
    result: {
      content: [{ type: 'text', text: `you sent hunter2-hunter2 ${'x'.repeat(1_000_000)}` }],
      access_token: 'abc',
    },
  });
  await host.callTool({ serverId: 'srv', name: 'go' }, { password: 'swordfish', city: 'Taipei' });
  const wire = host.wireLog('srv');
  expect(wire.map(({ direction, kind, method }) => `${direction} ${method ?? kind}`)).toEqual([
    'sent initialize',
    'received result',
    'sent notifications/initialized',
    'sent tools/list',
    'received result',
    'sent tools/call',
    'received result',
  ]);
  const text = JSON.stringify(wire);
  expect(text).toContain('Taipei');
  for (const secret of ['hunter2', 'swordfish', 'abc']) expect(text).not.toContain(secret);
  expect(text.length).toBeLessThan(10_000);
  for (let call = 0; call < 300; call++) await host.callTool({ serverId: 'srv', name: 'go' }, {});
  expect(host.wireLog('srv')).toHaveLength(200);
  await host.close();
});

test('keeps nothing if the limit is 0', async () => {
  const peer = new MemoryPeer();
  const host = new McpHost({
    servers: [{ id: 'srv', transport: { type: 'http', url: 'http://localhost/mcp' } }],
    createTransport: peer.createTransport,
    eraMemory: peer.eraMemory,
    clock: createFakeClock(),
    clientInfo: { name: 'toolyard-test', version: '0' },
    wireMessages: 0,
  });
  await host.connectAll();
  expect(host.health().map(({ state }) => state)).toEqual(['ready']);
  expect(host.wireLog('srv')).toEqual([]);
  await host.close();
});

test('shortens deeply nested and endless messages', () => {
  let nested: unknown = 'core';
  for (let depth = 0; depth < 50_000; depth++) nested = [nested];
  expect(toPreview(nested).length).toBeLessThan(10_000);
  expect(toPreview({ list: Array.from({ length: 100_000 }, () => 1) }).length).toBeLessThan(10_000);
});
