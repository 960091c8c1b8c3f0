import type { ToolResult } from '@toolyard/protocol';
import { createFakeClock, eventually, programArgs } from '@toolyard/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEraMemory } from './era-memory.ts';
import type { McpHost } from '../host/host.ts';
import { startModern } from '../node/test-fixtures/modern-http.ts';
import { closeOn, connected, fixture, getHealth } from '../node/test-fixtures/peers.ts';
import { createNodeTransports } from '../node/transports.ts';
import type { CreateTransport, TransportContext } from '../transports/transport.ts';
import type { ServerConfig, ToolProgress } from '../types.ts';

const stdio = (env: Record<string, string> = {}): ServerConfig => ({
  id: 'modern',
  transport: { type: 'stdio', command: process.execPath, args: programArgs(fixture('modern-stdio.ts')), env },
});

/** Connects only after the server listens: the probe has a short timeout, and starting may take longer. */
const onceListening: CreateTransport = async (config, context) => {
  const serves = Promise.withResolvers<void>();
  const log: TransportContext['log'] = (level, text, source) => {
    if (text === 'serving') serves.resolve();
    context.log(level, text, source);
  };
  const transport = await createNodeTransports({ fetch })(config, { ...context, log });
  if (config.type !== 'stdio') return transport;
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    await serves.promise;
  };
  return transport;
};

describe.each(['stdio', 'Streamable HTTP'] as const)('a modern server over %s', (transport) => {
  let host: McpHost;
  let peer: Awaited<ReturnType<typeof startModern>> | undefined;
  const config = (): ServerConfig =>
    peer === undefined ? stdio() : { id: 'modern', transport: { type: 'http', url: peer.url } };
  const call = (name: string, args = {}, options = {}): Promise<ToolResult> =>
    host.callTool({ serverId: 'modern', name }, args, options);

  beforeAll(async () => {
    peer = transport === 'stdio' ? undefined : await startModern();
    host = await connected([config()], { createTransport: onceListening });
  });
  afterAll(async () => {
    await host.close();
    await peer?.stop();
  });

  test('initializes in the modern era', () => {
    expect(getHealth(host, 'modern')).toMatchObject({
      state: 'ready',
      era: 'modern',
      protocolVersion: '2026-07-28',
      serverInfo: { name: 'modern' },
      instructions: 'Speak the new way.',
    });
  });

  test('calls its tools and returns their errors as results', async () => {
    expect(await call('add', { a: 20, b: 22 })).toEqual({
      content: [{ type: 'text', text: '42' }],
      isError: false,
      outcome: 'done',
    });
    expect(await call('fail')).toEqual({
      content: [{ type: 'text', text: 'The disk is full.' }],
      isError: true,
      outcome: 'done',
    });
  });

  test('receives an argument as a header', async () => {
    expect((await call('region', { region: 'Taipei' })).content).toEqual([{ type: 'text', text: 'in Taipei' }]);
    if (peer === undefined) return;
    expect(peer.requests.at(-1)?.headers['mcp-param-region']).toBe('Taipei');
  });

  test('renews the timeout with progress', async () => {
    const clock = createFakeClock();
    const patient = await connected([config()], { clock, createTransport: onceListening });
    const seen: ToolProgress[] = [];
    const onProgress = (progress: ToolProgress): void => {
      seen.push(progress);
      void clock.advance(1_000);
    };
    const options = { timeoutMs: 1_500, onProgress };
    const { outcome } = await patient.callTool({ serverId: 'modern', name: 'wait' }, { steps: 8 }, options);
    expect(outcome).toBe('done');
    expect(seen.length).toBeGreaterThan(5);
    await closeOn(clock, patient);
  });

  test('cancels a call', async () => {
    const stopper = new AbortController();
    const running = call('wait', { steps: 600 }, { signal: stopper.signal, onProgress: () => stopper.abort() });
    expect(await running).toMatchObject({ outcome: 'unknown', error: { code: 'cancelled' } });
    expect((await call('add', { a: 1, b: 1 })).outcome).toBe('done');
  });

  test('receives changes of the tool list', async () => {
    if (peer === undefined) {
      await call('grow');
      await eventually(() => host.resolve('grown') !== undefined);
      return;
    }
    const lists = (): number => peer?.requests.filter(({ rpc }) => rpc === 'tools/list').length ?? 0;
    const before = lists();
    // The notification stream opens in the background.
    await eventually(() => {
      peer?.announceToolChange();
      return lists() > before;
    });
  });
});

test('the era is remembered, and a modern server is never started twice', async () => {
  const eraMemory = createEraMemory();
  const written: unknown[] = [];
  const spy = { ...eraMemory, set: (key: string, record: never) => (written.push(record), eraMemory.set(key, record)) };
  for (let time = 0; time < 2; time++) {
    const host = await connected([stdio()], { eraMemory: spy, createTransport: onceListening });
    const { era, log } = getHealth(host, 'modern');
    expect(era).toBe('modern');
    expect(
      log.filter(({ phase, text }) => phase === 'transport_creating' && text === 'transport creating'),
    ).toHaveLength(1);
    await host.close();
  }
  expect(written).toEqual([expect.objectContaining({ era: 'modern', protocolVersion: '2026-07-28' })]);
});

test('a modern server too slow for the first probe is used as legacy once and remembered as modern', async () => {
  const eraMemory = createEraMemory();
  const first = await connected([stdio({ LATE: 'yes' })], { eraMemory });
  expect(getHealth(first, 'modern')).toMatchObject({ state: 'ready', era: 'legacy' });
  await first.close();
  const second = await connected([{ ...stdio({ LATE: 'no' }), connectTimeoutMs: 60_000 }], { eraMemory });
  expect(getHealth(second, 'modern').era).toBe('modern');
  await second.close();
});

test('a slow modern server over HTTP that rejects initialize is probed again', async () => {
  const never = new Promise(() => undefined);
  const peer = await startModern({
    modernOnly: true,
    beforeDiscover: (requests) =>
      requests.filter(({ rpc }) => rpc === 'server/discover').length === 1 ? never : undefined,
  });
  const host = await connected([
    { id: 'modern', transport: { type: 'http', url: peer.url }, connectTimeoutMs: 60_000 },
  ]);
  expect(getHealth(host, 'modern')).toMatchObject({ state: 'ready', era: 'modern' });
  await host.close();
  await peer.stop();
});
