import { eventually, type ToolAction } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from './host.ts';
import { connected, scripted } from '../node/test-fixtures/peers.ts';
import type { CallToolOptions } from '../types.ts';

let host: McpHost | undefined;
afterEach(() => host?.close());

describe('a call is active until it ends', () => {
  const abort = new AbortController();
  test.each<[string, ToolAction, CallToolOptions, object]>([
    ['with a result', { do: 'progress', steps: 5, everyMs: 40 }, {}, { outcome: 'done', isError: false }],
    [
      'with an error of the server',
      { do: 'error', code: -32603, message: 'no' },
      {},
      { isError: true, error: { code: 'tool_failed' } },
    ],
    ['with a timeout', { do: 'never' }, { timeoutMs: 200 }, { outcome: 'unknown', error: { code: 'timed_out' } }],
    ['when it is cancelled', { do: 'never' }, { signal: abort.signal }, { error: { code: 'cancelled' } }],
    ['when the server exits', { do: 'exit', code: 7 }, {}, { error: { code: 'server_exited' } }],
  ])('%s', async (_, action, options, answer) => {
    host = await connected([scripted('odd', { tools: [{ name: 'go', does: [action] }] })]);
    const running = host.callTool({ serverId: 'odd', name: 'go' }, {}, options);
    expect(host.activeFlows).toBe(1);
    if (options.signal !== undefined) abort.abort();
    expect(await running).toMatchObject(answer);
    expect(host.activeFlows).toBe(0);
  });

  test('independently of other calls', async () => {
    host = await connected([scripted('odd', 'never-answers')]);
    const reference = { serverId: 'odd', name: 'hang' };
    const stopper = new AbortController();
    const first = host.callTool(reference, {}, { signal: stopper.signal });
    const second = host.callTool(reference, {});
    await eventually(() => host?.activeFlows === 2);
    stopper.abort();
    await first;
    expect(host.activeFlows).toBe(1);
    const closing = host.close();
    await second;
    await closing;
    expect(host.activeFlows).toBe(0);
  });
});
