import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from './host.ts';
import { connected, scripted, until } from './node/test-fixtures/peers.ts';
import type { CallToolOptions } from './types.ts';

let host: McpHost | undefined;
afterEach(() => host?.close());

describe('a call counts as under way until it is answered, and no longer', () => {
  const abort = new AbortController();
  test.each<[string, string, object, CallToolOptions, object]>([
    ['by a result', 'echo', { how: 'progress' }, {}, { outcome: 'done', isError: false }],
    [
      'by an error of the server',
      'echo',
      { how: 'error-32603' },
      {},
      { isError: true, error: { code: 'tool_failed' } },
    ],
    ['by a time-out', 'slow', {}, { timeoutMs: 200 }, { outcome: 'unknown', error: { code: 'timed_out' } }],
    ['by whoever cancels it', 'slow', {}, { signal: abort.signal }, { error: { code: 'cancelled' } }],
    ['by the end of the server', 'echo', { how: 'crash' }, {}, { error: { code: 'server_exited' } }],
  ])('%s', async (_, name, args, options, answer) => {
    host = await connected([scripted('odd', 'good')]);
    const running = host.callTool({ serverId: 'odd', name }, { ...args }, options);
    expect(host.activeFlows).toBe(1);
    if (options.signal !== undefined) abort.abort();
    expect(await running).toMatchObject(answer);
    expect(host.activeFlows).toBe(0);
  });

  test('each by itself, where several are under way', async () => {
    host = await connected([scripted('odd', 'good')]);
    const reference = { serverId: 'odd', name: 'slow' };
    const stopper = new AbortController();
    const first = host.callTool(reference, {}, { signal: stopper.signal });
    const second = host.callTool(reference, {});
    await until(() => host?.activeFlows === 2);
    stopper.abort();
    await first;
    expect(host.activeFlows).toBe(1);
    const closing = host.close();
    await second;
    await closing;
    expect(host.activeFlows).toBe(0);
  });
});
