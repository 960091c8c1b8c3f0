// HTTP has no connection that could be seen to end: what is left of a server shows in what fails.
import { eventually, startScriptedMcp } from '@toolyard/testing';
import { afterEach, expect, test } from 'vitest';
import type { McpHost } from './host.ts';
import { connected, freeAddress, healthOf, startEverything } from '../node/test-fixtures/peers.ts';
import { createFastClock, LONG_TIMEOUTS } from '../node/test-fixtures/fast-clock.ts';

let host: McpHost | undefined;
let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await host?.close();
  await stop?.();
  stop = undefined;
});

const at = (url: string) => ({ id: 'web', transport: { type: 'http' as const, url }, ...LONG_TIMEOUTS });
const echo = (met: McpHost): ReturnType<McpHost['callTool']> =>
  met.callTool({ serverId: 'web', name: 'echo' }, { message: 'hi' });

test('a server that is gone is seen to be gone though nobody calls it, and found when it is back', async () => {
  const first = await startEverything();
  host = await connected([at(first.url)], { clock: createFastClock(), maxReconnects: 1_000 });
  const met = host;
  await first.stop();
  await eventually(() => healthOf(met, 'web').state === 'reconnecting');
  expect(healthOf(met, 'web').error).toMatchObject({ message: expect.stringContaining('"web"') as string });
  ({ stop } = await startEverything(first.url));
  await eventually(() => healthOf(met, 'web').state === 'ready');
  expect(await echo(met)).toMatchObject({ outcome: 'done' });
});

test('one that was restarted meanwhile and says 400 to the old session is greeted anew, and called', async () => {
  const first = await startEverything();
  host = await connected([at(first.url)]);
  await first.stop();
  ({ stop } = await startEverything(first.url));
  expect(await echo(host)).toMatchObject({ outcome: 'done', isError: false });
  expect(healthOf(host, 'web').state).toBe('ready');
});

test.each(['legacy', 'modern'] as const)('a call that finds nobody tells that the %s server is gone', async (era) => {
  const server = await startScriptedMcp({ tools: [{ name: 'echo' }], era }, { sessions: false });
  host = await connected([at(server.url)], { clock: createFastClock(), maxReconnects: 1_000 });
  const met = host;
  await server.close();
  // A connection that was kept open may be found broken first.
  const refused = await eventually(async () => {
    const result = await echo(met);
    return result.outcome === 'not_sent' && result;
  });
  expect(refused.error).toMatchObject({ code: 'server_unreachable' });
  expect(healthOf(host, 'web')).toMatchObject({ state: 'reconnecting', error: { code: 'server_unreachable' } });
});

test('a call that finds nobody is made when the server is back, if that does not take long', async () => {
  const first = await startEverything();
  host = await connected([at(first.url)]);
  const met = host;
  await first.stop();
  // A connection that was kept open may be found broken first, and then nobody can say.
  const made = (async () => {
    for (;;) {
      const result = await echo(met);
      if (result.outcome !== 'unknown') return result;
    }
  })();
  ({ stop } = await startEverything(first.url));
  expect(await made).toMatchObject({ outcome: 'done', isError: false });
});

test('where a server of the older kind is not there, that is what is said', async () => {
  const url = await freeAddress();
  host = await connected([{ id: 'old', transport: { type: 'sse', url } }]);
  expect(healthOf(host, 'old').error).toMatchObject({
    code: 'server_unreachable',
    message: expect.stringContaining('ECONNREFUSED') as string,
  });
});
