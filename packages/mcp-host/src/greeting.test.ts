import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '@toolyard/protocol';
import type { McpHost } from './host.ts';
import { connected, healthOf, scripted } from './node/test-fixtures/peers.ts';
import type { LogEntry } from './types.ts';

let host: McpHost | undefined;
afterEach(() => host?.close());

test('a server is told who asks, and of no ability nobody here has', async () => {
  host = await connected([scripted('odd', 'log-requests')], { clientInfo: { name: 'some-client', version: '1.2.3' } });
  // The server writes down what it is sent; the answer to a call comes after everything before it was written.
  await host.callTool({ serverId: 'odd', name: 'echo' }, {});
  const line = healthOf(host, 'odd').log.find(({ text }) => text.startsWith('got initialize '))?.text;
  const { params } = JSON.parse(line?.replace('got initialize ', '') ?? '{}') as { params?: JsonObject };
  expect(params).toMatchObject({ clientInfo: { name: 'some-client', version: '1.2.3' }, capabilities: {} });
  expect(params?.['capabilities']).toEqual({});
});

test('whoever wants to can follow every phase as it comes, by server', async () => {
  const heard: [string, LogEntry][] = [];
  host = await connected([scripted('odd', 'good'), scripted('well', 'good')], {
    log: (id, entry) => heard.push([id, entry]),
  });
  for (const id of ['odd', 'well']) {
    const entries = heard.filter(([of]) => of === id).map(([, entry]) => entry);
    expect(entries).toEqual(healthOf(host, id).log);
    expect(entries.map(({ phase }) => phase)).toEqual([
      'transport_creating',
      'transport_ready',
      'initializing',
      'capabilities_exchanged',
      'listing',
      'connected',
    ]);
  }
});
