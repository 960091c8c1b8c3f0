// HTTP has no persistent connection whose end could be observed: a lost server shows in failing requests.
import { eventually, ownPort, startScriptedMcp } from '@toolyard/testing';
import { afterEach, expect, test } from 'vitest';
import type { McpHost } from './host.ts';
import { connected, freeAddress, getHealth, startEverything } from '../node/test-fixtures/peers.ts';
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

test('a lost server is detected without a call and reconnected when it is back', async () => {
  const first = await startEverything();
  host = await connected([at(first.url)], { clock: createFastClock(), maxReconnects: 1_000 });
  const met = host;
  await first.stop();
  await eventually(() => getHealth(met, 'web').state === 'reconnecting');
  expect(getHealth(met, 'web').error).toMatchObject({ message: expect.stringContaining('"web"') as string });
  ({ stop } = await startEverything(first.url));
  await eventually(() => getHealth(met, 'web').state === 'ready');
  expect(await echo(met)).toMatchObject({ outcome: 'done' });
});

test('a restarted server that answers 400 to the old session is initialized again and called', async () => {
  const first = await startEverything();
  host = await connected([at(first.url)]);
  await first.stop();
  ({ stop } = await startEverything(first.url));
  expect(await echo(host)).toMatchObject({ outcome: 'done', isError: false });
  expect(getHealth(host, 'web').state).toBe('ready');
});

test.each(['legacy', 'modern'] as const)(
  'a call that finds no server reports that the %s server is gone',
  async (era) => {
    const server = await startScriptedMcp({ tools: [{ name: 'echo' }], era }, { sessions: false });
    host = await connected([at(server.url)], { clock: createFastClock(), maxReconnects: 1_000 });
    const met = host;
    await server.close();
    // A kept-alive connection may be found broken first.
    const refused = await eventually(async () => {
      const result = await echo(met);
      return result.outcome === 'not_sent' && result;
    });
    expect(refused.error).toMatchObject({ code: 'server_unreachable' });
    expect(getHealth(host, 'web')).toMatchObject({ state: 'reconnecting', error: { code: 'server_unreachable' } });
  },
);

test('a call that finds no server is made when the server is back within a short time', async () => {
  // In this process: one of its own may take longer to start than a call waits.
  const port = await ownPort();
  const tools = { tools: [{ name: 'echo' }] };
  const first = await startScriptedMcp(tools, { port });
  host = await connected([at(first.url)]);
  const met = host;
  await first.close();
  // A kept-alive connection may be found broken first, and then the outcome is unknown.
  const retried = (async () => {
    for (;;) {
      const result = await echo(met);
      if (result.outcome !== 'unknown') return result;
    }
  })();
  await eventually(() => getHealth(met, 'web').state === 'reconnecting');
  const second = await startScriptedMcp(tools, { port });
  stop = () => second.close();
  expect(await retried).toMatchObject({ outcome: 'done', isError: false });
});

test('an unreachable legacy server is reported as unreachable', async () => {
  const url = await freeAddress();
  host = await connected([{ id: 'old', transport: { type: 'sse', url } }]);
  expect(getHealth(host, 'old').error).toMatchObject({
    code: 'server_unreachable',
    message: expect.stringContaining('ECONNREFUSED') as string,
  });
});
