import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { cases, fc } from '@toolyard/testing/property';
import { expect, test } from 'vitest';
import { McpHost } from '../host/host.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';
import { getHealth } from '../node/test-fixtures/peers.ts';
import { SERVER_LIMITS } from '../values/server-limits.ts';
import { readableIdentity } from './readable-identity.ts';

const odd = fc.constantFrom<JsonValue>(
  null,
  true,
  false,
  'yes',
  1,
  [],
  ['x'],
  {},
  { listChanged: null },
  { list: true },
);

/** What servers of other types than specified say about themselves. */
const identity = fc.record(
  {
    capabilities: fc.oneof(
      odd,
      fc.dictionary(
        fc.constantFrom(
          'prompts',
          'resources',
          'logging',
          'tasks',
          'experimental',
          'extensions',
          'completions',
          'other',
        ),
        fc.oneof(odd, fc.dictionary(fc.constantFrom('listChanged', 'subscribe', 'list', 'requests', 'x/y'), odd)),
      ),
    ),
    serverInfo: fc.oneof(
      odd,
      fc.dictionary(fc.constantFrom('name', 'version', 'title', 'icons', 'websiteUrl', 'description', 'x'), odd),
    ),
    instructions: odd,
    _meta: odd,
    unknown: odd,
  },
  { requiredKeys: [] },
);

test('a server is connected, whatever types it uses when it introduces itself', async () => {
  await fc.assert(
    fc.asyncProperty(identity, async (said) => {
      const peer = new MemoryPeer();
      peer.answers['initialize'] = ({ protocolVersion }) => ({ result: { protocolVersion, ...said } });
      const host = new McpHost({
        servers: [{ id: 'odd', transport: { type: 'in-memory', name: 'odd' } }],
        createTransport: peer.createTransport,
        eraMemory: peer.eraMemory,
        clock: createFakeClock(),
        clientInfo: { name: 'toolyard-test', version: '0' },
      });
      await host.connectAll();
      expect(getHealth(host, 'odd')).toMatchObject({ state: 'ready' });
      await host.close();
    }),
    cases(200),
  );
});

test.each<[JsonObject, JsonObject]>([
  [{ tools: true, prompts: false, resources: null }, { tools: {} }],
  [{ tools: [], logging: 'yes' }, { tools: {} }],
  [
    { tools: { listChanged: 'true' }, resources: { subscribe: true, listChanged: null } },
    { tools: {}, resources: { subscribe: true } },
  ],
  [
    { tasks: { list: true, cancel: false, requests: { tools: { call: true } } } },
    { tasks: { list: {}, requests: { tools: { call: {} } } } },
  ],
  [
    { experimental: { stateless: true, limits: { of: [null, 1] }, odd: 3 }, extensions: { 'a/b': {} } },
    { experimental: { stateless: {}, limits: { of: [null, 1] } }, extensions: { 'a/b': {} } },
  ],
])('capabilities %j are read as %j', (sent, read) => {
  expect(readableIdentity({ protocolVersion: 'x', capabilities: sent })).toMatchObject({ capabilities: read });
  expect((readableIdentity({ protocolVersion: 'x', capabilities: sent }) as JsonObject)['capabilities']).toEqual(read);
});

test.each([null, [], 'all', undefined])(
  'a legacy server whose capabilities are %j is asked for tools',
  (capabilities) => {
    const said = { protocolVersion: '2025-11-25', ...(capabilities === undefined ? {} : { capabilities }) };
    expect(readableIdentity(said, '2025-11-25')).toMatchObject({ capabilities: { tools: {} } });
  },
);

test('long texts are cut', () => {
  const long = 'x'.repeat(SERVER_LIMITS.instructions + 1);
  const read = readableIdentity({ protocolVersion: 'x', instructions: long, serverInfo: { name: long, title: long } });
  expect(JSON.stringify(read).length).toBeLessThan(SERVER_LIMITS.instructions + 3 * SERVER_LIMITS.identity);
});

test('what is in order stays as it is', () => {
  const said = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true }, logging: {} },
    serverInfo: { name: 'a', version: '1', title: 'A' },
    instructions: 'Read first.',
  };
  expect(readableIdentity(said)).toEqual(said);
});
