// Servers that provoke endless requests: the tests count the requests.
import type { ServerResponse } from 'node:http';
import { eventually, startScriptedMcp, type ScriptedMcp } from '@toolyard/testing';
import { afterEach, expect, test } from 'vitest';
import type { McpHost } from './host.ts';
import { startRawHttpServer } from '../node/test-fixtures/raw-http-server.ts';
import { connected, getHealth } from '../node/test-fixtures/peers.ts';
import { createFastClock, LONG_TIMEOUTS } from '../node/test-fixtures/fast-clock.ts';

/** A long time, on the fast clock. */
const LONG_MS = 300_000;

let host: McpHost | undefined;
const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await host?.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

test('servers that accept a notification stream and fail to keep it are asked a few times only', async () => {
  const odd: Record<string, (response: ServerResponse) => void> = {
    ends: (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    'sends-a-page': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello'),
    cuts: (response) => void response.destroy(),
    fails: (response) => void response.writeHead(500).end(),
  };
  const started = await Promise.all(
    Object.entries(odd).map(async ([id, onGet]) => ({ id, ...(await startRawHttpServer({ onGet })) })),
  );
  servers.push(...started);
  const configs = started.map(({ id, url }) => ({ id, transport: { type: 'http' as const, url }, ...LONG_TIMEOUTS }));
  const clock = createFastClock();
  host = await connected(configs, { clock });
  const getCounts = (): number[] => started.map(({ methods }) => methods.filter((method) => method === 'GET').length);
  await clock.passes(LONG_MS);
  const before = getCounts();
  for (const count of before) expect(count).toBeLessThanOrEqual(11);
  await clock.passes(LONG_MS / 3);
  expect(getCounts()).toEqual(before);
  // Everything else works as usual.
  for (const { id } of started) {
    expect(await host.callTool({ serverId: id, name: 'go' }, {})).toMatchObject({ outcome: 'done' });
  }
});

test('a modern server that keeps ending its notification stream is asked a few times only', async () => {
  const started = await startScriptedMcp({
    era: 'modern',
    tools: [{ name: 'go' }],
    answers: { 'subscriptions/listen': { result: { resultType: 'complete' } } },
  });
  servers.push(started);
  const clock = createFastClock();
  host = await connected([{ id: 'odd', transport: { type: 'http', url: started.url }, ...LONG_TIMEOUTS }], { clock });
  await clock.passes(LONG_MS);
  expect(countReceived(started, 'subscriptions/listen')).toBeLessThanOrEqual(11);
  expect(countReceived(started, 'tools/list')).toBeLessThanOrEqual(12);
  expect(await host.callTool({ serverId: 'odd', name: 'go' }, {})).toMatchObject({ outcome: 'done' });
});

test('a server that announces a change on every list request is listed less and less often', async () => {
  const started = await startScriptedMcp({ tools: [{ name: 'go' }] });
  servers.push(started);
  const clock = createFastClock();
  host = await connected([{ id: 'odd', transport: { type: 'http', url: started.url }, ...LONG_TIMEOUTS }], { clock });
  await eventually(() => started.requests.some(({ method }) => method === 'GET'));
  let answered = countReceived(started, 'tools/list');
  started.announce('notifications/tools/list_changed');
  for (const end = clock.monotonic() + LONG_MS; clock.monotonic() < end; await clock.passes(100)) {
    const lists = countReceived(started, 'tools/list');
    if (lists > answered) started.announce('notifications/tools/list_changed');
    answered = lists;
  }
  // Five minutes have passed on its clock.
  expect(countReceived(started, 'tools/list')).toBeLessThanOrEqual(100);
  expect(getHealth(host, 'odd').state).toBe('ready');
});

test('a server that forgets every session at once is not initialized endlessly', async () => {
  const started = await startScriptedMcp({ tools: [{ name: 'go' }] });
  servers.push(started);
  const clock = createFastClock();
  host = await connected([{ id: 'odd', transport: { type: 'http', url: started.url }, ...LONG_TIMEOUTS }], { clock });
  const met = host;
  const initializedBefore = countReceived(started, 'initialize');
  for (const end = clock.monotonic() + LONG_MS / 3; clock.monotonic() < end; await clock.passes(500)) {
    started.forgetSessions();
    void met.callTool({ serverId: 'odd', name: 'go' }, {});
  }
  // 200 sessions were forgotten.
  expect(countReceived(started, 'initialize') - initializedBefore).toBeLessThanOrEqual(20);
});

function countReceived({ received }: ScriptedMcp, method: string): number {
  return received.filter((message) => message['method'] === method).length;
}
