import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { cases, fc } from '@toolyard/testing/property';
import { afterEach, describe, expect, test } from 'vitest';
import { McpHost } from '../host/host.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';
import { getHealth, listen, newHost } from '../node/test-fixtures/peers.ts';
import type { EraMemory } from './era-memory.ts';
import { createEraMemory } from './era-memory.ts';
import { LEGACY_VERSIONS, reasonIn } from './version-choice.ts';

const OLDER = LEGACY_VERSIONS.slice(1);

/** How a server rejects a version: as the specification says, in its text only, or without naming any. */
type Rejection = (
  supported: readonly string[],
  offered: string,
) => { code: number; message: string; data?: JsonObject };
const NAMING: Rejection[] = [
  (supported, requested) => ({
    code: -32_602,
    message: 'Unsupported protocol version',
    data: { supported: [...supported], requested },
  }),
  (supported) => ({ code: -32_000, message: `Use one of ${supported.join(', ')}` }),
  (supported, offered) => ({ code: -32_603, message: `"${offered}" is not supported (only ${supported[0] ?? ''})` }),
];
const SILENT: Rejection[] = [
  () => ({ code: -32_602, message: 'Invalid params' }),
  (_supported, offered) => ({ code: -32_000, message: `Unsupported protocol version: ${offered}` }),
];

type Peer = { host: McpHost; peer: MemoryPeer; offered: string[] };

function peerThat(answer: (offered: string) => object, eraMemory?: EraMemory): Peer {
  const peer = new MemoryPeer();
  const offered: string[] = [];
  peer.answers['initialize'] = ({ protocolVersion }) => {
    offered.push(String(protocolVersion));
    return answer(String(protocolVersion));
  };
  const host = new McpHost({
    servers: [{ id: 'odd', transport: { type: 'in-memory', name: 'odd' } }],
    createTransport: peer.createTransport,
    eraMemory: eraMemory ?? peer.eraMemory,
    clock: createFakeClock(),
    clientInfo: { name: 'toolyard-test', version: '0' },
    maxReconnects: 0,
  });
  return { host, peer, offered };
}

const accepted = (protocolVersion: string): object => ({
  result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } },
});

describe('a server that rejects the offered protocol version', () => {
  test('gets the newest one that it names, in whatever form', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(OLDER, { minLength: 1 }), fc.constantFrom(...NAMING), async (supported, reject) => {
        const { host, offered } = peerThat((version) =>
          supported.includes(version) ? accepted(version) : { error: reject(supported, version) },
        );
        await host.connectAll();
        expect(getHealth(host, 'odd')).toMatchObject({ state: 'ready', toolCount: 1, protocolVersion: supported[0] });
        expect(offered).toEqual([LEGACY_VERSIONS[0], supported[0]]);
        await host.close();
      }),
      cases(60),
    );
  });

  test('gets older ones in turn if it names none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...OLDER), fc.constantFrom(...SILENT), async (only, reject) => {
        const { host, offered } = peerThat(
          (version) => (version === only ? accepted(version) : { error: reject([], version) }),
          createEraMemory(),
        );
        await host.connectAll();
        expect(getHealth(host, 'odd')).toMatchObject({ state: 'ready', protocolVersion: only });
        expect(new Set(offered)).toEqual(new Set(LEGACY_VERSIONS.slice(0, LEGACY_VERSIONS.indexOf(only) + 1)));
        const before = offered.length;
        await host.reconnect('odd');
        // What was learned is offered at once.
        expect(offered.slice(before)).toEqual([only]);
        await host.close();
      }),
      cases(20),
    );
  });

  test('is asked for at most the known versions, and its first reason is shown', async () => {
    const { host, offered } = peerThat(
      (version) => ({ error: { code: -32_602, message: `No version ${version}, ask Ann` } }),
      createEraMemory(),
    );
    await host.connectAll();
    expect(getHealth(host, 'odd')).toMatchObject({
      state: 'failed',
      error: {
        code: 'server_refused',
        message: expect.stringContaining(`No version ${LEGACY_VERSIONS[0] ?? ''}, ask Ann`) as string,
      },
    });
    expect(offered.length).toBeLessThanOrEqual(LEGACY_VERSIONS.length);
    await host.close();
  });

  test.each([
    { code: -32_603, message: 'The license has expired' },
    { code: -32_000, message: 'Only 2019-01-01 is supported', data: { supported: ['2019-01-01'] } },
  ])('is not asked again for $message', async (error) => {
    const { host, offered } = peerThat(() => ({ error }), createEraMemory());
    await host.connectAll();
    expect(offered).toHaveLength(1);
    expect(getHealth(host, 'odd').error?.message).toContain(error.message);
    await host.close();
  });
});

describe('over HTTP', () => {
  let closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(closing.map((close) => close()));
    closing = [];
  });

  async function connect(reject: (version: string) => { status: number; body: string } | undefined) {
    const server = await listen((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const parsed = parseJson(text);
        const message = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
        const { id, method, params } = message;
        if (request.method !== 'POST') return void response.writeHead(405).end();
        if (id === undefined) return void response.writeHead(202).end();
        const offered = isJsonObject(params) ? params['protocolVersion'] : undefined;
        const version = typeof offered === 'string' ? offered : '';
        const rejected = method === 'initialize' ? reject(version) : undefined;
        if (rejected !== undefined) return void response.writeHead(rejected.status).end(rejected.body);
        const answer =
          method === 'initialize'
            ? accepted(version)
            : method === 'tools/list'
              ? { result: { tools: [] } }
              : { error: { code: -32_601, message: 'Method not found' } };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      });
    });
    const host = newHost([{ id: 'web', transport: { type: 'http', url: server.url } }], { maxReconnects: 0 });
    closing.push(() => host.close(), server.close);
    await host.connectAll();
    return getHealth(host, 'web');
  }

  test.each([
    [
      'a JSON-RPC error',
      400,
      (supported: string) =>
        JSON.stringify({
          jsonrpc: '2.0',
          id: null,
          error: { code: -32_602, message: 'Bad', data: { supported: [supported] } },
        }),
    ],
    ['a text', 400, (supported: string) => `Unsupported version (supported: ${supported})`],
    ['another status', 422, (supported: string) => JSON.stringify({ detail: `expected '${supported}'` })],
    ['nothing', 400, () => ''],
    ['nothing with another status', 505, () => ''],
    ['a text about versions with any status', 500, () => 'ValueError: unsupported protocol version'],
    [
      'a text about versions where there is nothing',
      404,
      (supported: string) => `unsupported version, use ${supported}`,
    ],
    ['a text about versions where it is forbidden', 403, (supported: string) => `version must be ${supported}`],
  ])('%s is a rejection', async (_what, status, body) => {
    const only = '2025-03-26';
    const health = await connect((version) => (version === only ? undefined : { status, body: body(only) }));
    expect(health).toMatchObject({ state: 'ready', protocolVersion: only });
  });

  test.each([
    [500, ''],
    [500, '<html>Apache version 2.4'],
    [403, 'no seat'],
    [429, 'version limit'],
  ])('%s %j is asked once', async (status, body) => {
    let count = 0;
    const health = await connect(() => {
      count += 1;
      return { status, body };
    });
    expect(health.state).not.toBe('ready');
    expect(count).toBeLessThanOrEqual(2);
  });

  test('the reason of the server is part of the error', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: null,
      error: { code: 1, message: 'The workspace is suspended' },
    });
    const { error } = await connect(() => ({ status: 400, body }));
    expect(error?.message).toContain('HTTP 400');
    expect(error?.message).toContain('The workspace is suspended');
  });
});

test.each<[unknown, string | undefined]>([
  ['2025-06-18', '2025-06-18'],
  [' v2025-06-18 ', '2025-06-18'],
  ['2025-05-01', '2025-03-26'],
  [undefined, '2025-11-25'],
  ['', '2025-11-25'],
  [20250618, '2025-11-25'],
  ['2099-12-31', undefined],
  ['2024-01-01', undefined],
  ['DRAFT', undefined],
])('an accepted version of %j is read as %j', async (protocolVersion, version) => {
  const { host } = peerThat(() => ({
    result: { ...(protocolVersion === undefined ? {} : { protocolVersion }), capabilities: { tools: {} } },
  }));
  await host.connectAll();
  const health = getHealth(host, 'odd');
  if (version !== undefined) expect(health).toMatchObject({ state: 'ready', protocolVersion: version });
  else expect(health.error?.message).toContain(`protocol version ${String(protocolVersion)}`);
  await host.close();
});

test.each([
  ['{"error":{"message":"No seat"}}', 'No seat'],
  ['{"error":"invalid","error_description":"No seat"}', 'No seat'],
  ['{"detail":"No\\nseat"}', 'No seat'],
  ['No seat', 'No seat'],
  ['"No seat"', 'No seat'],
  ['<html><p>No seat', undefined],
  ['[1]', undefined],
  ['', undefined],
  [undefined, undefined],
])('the reason in %j is %j', (body, reason) => {
  expect(reasonIn(body)).toBe(reason);
});
