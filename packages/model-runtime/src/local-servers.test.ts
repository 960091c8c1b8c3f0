import { systemClock } from '@toolyard/protocol';
import { createFakeClock, eventually, reply, startModelServer } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { LOCAL_SERVERS } from './local-servers-data.ts';
import { findLocalServers } from './local-servers.ts';

const getPort = (server: { origin: string }): number => Number(new URL(server.origin).port);

test('detects servers that answer like a model server, and nothing else', async () => {
  await using vllm = await startModelServer([], { models: [{ id: 'a', owned_by: 'vllm', max_model_len: 10 }] });
  await using unknown = await startModelServer([], { models: ['b'] });
  await using page = await startModelServer([], { serveAt: 'root', otherwise: reply.html() });
  await using json = await startModelServer([], { models: reply.json({ hello: 'world' }) });
  await using list = await startModelServer([], { models: reply.json(['a']) });
  await using locked = await startModelServer([], { requireKey: 'k' });
  await using moved = await startModelServer([], { models: reply.error(302, {}, { location: `${vllm.url}/models` }) });
  const servers = [page, vllm, json, unknown, list, locked, moved];

  const found = await findLocalServers({
    fetch,
    // A stopped clock: no timeout can fire because the machine is busy.
    clock: createFakeClock(),
    ports: [...servers.map(getPort), 1],
  });
  expect(found).toEqual([
    { label: 'vLLM', baseUrl: vllm.url, models: [{ id: 'a', ownedBy: 'vllm', contextWindow: 10 }] },
    {
      label: `Model server on port ${getPort(unknown)}`,
      baseUrl: unknown.url,
      models: [{ id: 'b', ownedBy: 'scripted' }],
    },
  ]);
});

test('detects a server that is loading its model, and no other that is unavailable', async () => {
  const loading = { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } };
  await using llama = await startModelServer([], { models: reply.error(503, loading, { server: 'llama.cpp' }) });
  await using other = await startModelServer([], {
    models: reply.error(503, { error: 'Model x is currently loading' }),
  });
  await using busy = await startModelServer([], { models: reply.error(503, { error: { message: 'Too busy' } }) });
  await using wrong = await startModelServer([], { models: reply.error(500, loading) });
  const ports = [llama, other, busy, wrong].map(getPort);
  expect(await findLocalServers({ fetch, clock: createFakeClock(), ports })).toEqual([
    { label: 'llama.cpp', baseUrl: llama.url, models: [], isLoading: true },
    { label: `Model server on port ${getPort(other)}`, baseUrl: other.url, models: [], isLoading: true },
  ]);
});

test('a server that never answers, or never ends its answer, delays nothing and leaves no timer or connection', async () => {
  await using silent = await startModelServer([], { models: reply.raw([], { thenSilence: true }) });
  const drip = Array.from({ length: 400 }, () => ' ');
  await using dripping = await startModelServer([], { models: reply.raw(drip, { delayMs: 20 }) });
  await using good = await startModelServer([]);
  const clock = createFakeClock();
  const finding = findLocalServers({ fetch, clock, ports: [silent, dripping, good].map(getPort) });
  await eventually(() => expect([silent, dripping, good].every((server) => server.requests.length === 1)).toBe(true));
  await eventually(() => expect(clock.pending).toBeLessThanOrEqual(4));
  await clock.advance(400);
  expect((await finding).map(({ baseUrl }) => baseUrl)).toEqual([good.url]);
  expect(clock.pending).toBe(0);
  await eventually(() => expect(silent.requests[0]?.clientLeft).toBe(true));
});

test('throws AbortError on cancel', async () => {
  await using silent = await startModelServer([], { models: reply.raw([], { thenSilence: true }) });
  const controller = new AbortController();
  const finding = findLocalServers({
    fetch,
    clock: createFakeClock(),
    ports: [getPort(silent)],
    signal: controller.signal,
  });
  await eventually(() => expect(silent.requests).toHaveLength(1));
  controller.abort();
  await expect(finding).rejects.toMatchObject({ name: 'AbortError' });
});

test('probes every known port by default, on loopback only', async () => {
  const urls: string[] = [];
  const found = await findLocalServers({
    clock: systemClock,
    fetch: (url) => {
      urls.push(String(url));
      return Promise.reject(new TypeError('fetch failed'));
    },
  });
  expect(found).toEqual([]);
  expect(urls).toEqual(LOCAL_SERVERS.map(({ port }) => `http://127.0.0.1:${port}/v1/models`));
  expect(new Set(urls).size).toBe(8);
});
