import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '@toolyard/protocol';
import type { McpHost } from '../host/host.ts';
import { createMessageLog, type MessageLog } from '../node/test-fixtures/message-log.ts';
import { connected, getHealth, scripted } from '../node/test-fixtures/peers.ts';
import type { LogEntry } from '../types.ts';

let host: McpHost | undefined;
let messages: MessageLog | undefined;
afterEach(async () => {
  await host?.close();
  messages?.remove();
});

test('initialize sends our identity, the tasks extension and only capabilities with a handler', async () => {
  messages = createMessageLog();
  const client = { clientInfo: { name: 'some-client', version: '1.2.3' } };
  host = await connected([scripted('odd', 'plain', { env: messages.env })], client);
  const params = messages.received('initialize')[0]?.['params'] as JsonObject | undefined;
  expect(params).toMatchObject({ clientInfo: { name: 'some-client', version: '1.2.3' }, capabilities: {} });
  expect(params?.['capabilities']).toEqual({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
});

test('the log callback receives every phase of a server', async () => {
  const logged: [string, LogEntry][] = [];
  host = await connected([scripted('odd', 'plain'), scripted('well', 'plain')], {
    log: (id, entry) => logged.push([id, entry]),
  });
  for (const id of ['odd', 'well']) {
    const entries = logged.filter(([of]) => of === id).map(([, entry]) => entry);
    expect(entries).toEqual(getHealth(host, id).log);
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
