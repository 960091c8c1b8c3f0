import type { ToolResult } from '@toolyard/protocol';
import { afterEach, describe, expect, test } from 'vitest';
import { createEraMemory } from './era-memory.ts';
import type { McpHost } from './host.ts';
import { connected, healthOf, newHost, scripted, until } from './node/test-fixtures/peers.ts';
import type { ServerConfig, ServerHealth, ToolProgress } from './types.ts';

let host: McpHost | undefined;
afterEach(() => host?.close());

/** A host with one scripted server, and how that one is. */
async function meet(mode: string, more: Partial<ServerConfig> = {}): Promise<ServerHealth> {
  host = await connected([scripted('odd', mode, more)]);
  return healthOf(host, 'odd');
}

function odd(): ServerHealth {
  if (host === undefined) throw new Error('meet a server first');
  return healthOf(host, 'odd');
}

function call(name: string, args = {}, options = {}): Promise<ToolResult> {
  if (host === undefined) throw new Error('meet a server first');
  return host.callTool({ serverId: 'odd', name }, args, options);
}

describe('connecting', () => {
  test('a command that does not exist is named', async () => {
    host = await connected([{ id: 'odd', transport: { type: 'stdio', command: 'no-such-command-here' } }]);
    const { state, error } = healthOf(host, 'odd');
    expect(state).toBe('failed');
    expect(error).toMatchObject({ code: 'command_not_found' });
    expect(error?.message).toContain('no-such-command-here');
    expect(error?.hint).toContain('PATH');
  });

  test('a folder that does not exist is not taken for a missing command', async () => {
    const transport = { type: 'stdio' as const, command: process.execPath, cwd: '/no/such/folder' };
    host = await connected([{ id: 'odd', transport }]);
    expect(healthOf(host, 'odd').error).toMatchObject({ code: 'bad_config' });
  });

  test('a command line the system refuses is not taken for a network failure', async () => {
    const transport = { type: 'stdio' as const, command: process.execPath, args: ['nul\0byte'] };
    host = await connected([{ id: 'odd', transport }]);
    expect(healthOf(host, 'odd').error?.message).toContain('cannot be started');
  });

  test('a server that exits at once leaves its exit code and last words, without colours', async () => {
    const { error } = await meet('exit-at-once');
    expect(error?.code).toBe('server_exited');
    expect(error?.message).toContain('code 3');
    expect(error?.message).toContain('Missing API key');
    expect(error?.message).not.toContain('\u001b');
    expect(error?.message).toContain('"odd"');
  });

  test('a server that never answers is given up, and what it was doing is said', async () => {
    const { error } = await meet('silent', { connectTimeoutMs: 600 });
    expect(error).toMatchObject({ code: 'timed_out' });
    expect(error?.message).toContain('saying hello');
  });

  test('a server that refuses the handshake is quoted', async () => {
    const { error } = await meet('refuses');
    expect(error?.code).toBe('server_refused');
    expect(error?.message).toContain('You are not on the list');
  });

  test('lines on stdout that are no MCP are skipped and told of once', async () => {
    const { state, log } = await meet('noise');
    expect(state).toBe('ready');
    expect(log.filter(({ text }) => text.includes('no MCP'))).toHaveLength(1);
    expect(await call('echo', { message: 'clear' })).toMatchObject({ outcome: 'done' });
  });

  test('a program that is no MCP server is told apart by what it prints', async () => {
    const transport = { type: 'stdio' as const, command: 'sh', args: ['-c', 'echo hello; echo there; sleep 60'] };
    host = await connected([{ id: 'odd', transport, connectTimeoutMs: 2_000 }]);
    expect(healthOf(host, 'odd').error?.hint).toContain('2 line(s) that are no MCP');
  });
});

describe('which protocol a server speaks', () => {
  const spawns = ({ log }: ServerHealth): number => log.filter(({ text }) => text === 'transport creating').length;

  test('a server that exits at the unknown question is started again without it, and not asked next time', async () => {
    const eraMemory = createEraMemory();
    host = await connected([scripted('odd', 'exit-on-probe')], { eraMemory });
    expect(healthOf(host, 'odd')).toMatchObject({ state: 'ready', era: 'legacy' });
    expect(spawns(healthOf(host, 'odd'))).toBe(2);
    await host.close();

    host = await connected([scripted('odd', 'exit-on-probe')], { eraMemory });
    expect(healthOf(host, 'odd')).toMatchObject({ state: 'ready', era: 'legacy' });
    expect(spawns(healthOf(host, 'odd'))).toBe(1);
  });

  test('a server that ignores the question is greeted the old way on the same pipe', async () => {
    const health = await meet('silent-on-probe', { connectTimeoutMs: 6_000 });
    expect(health).toMatchObject({ state: 'ready', era: 'legacy' });
    expect(spawns(health)).toBe(1);
  });

  test('a server that answers the question with an error is asked once only', async () => {
    const eraMemory = createEraMemory();
    const probes = ({ log }: ServerHealth): number => log.filter(({ text }) => text === 'probed').length;
    host = await connected([scripted('odd', 'counts-probes')], { eraMemory });
    await until(() => host !== undefined && probes(healthOf(host, 'odd')) === 1);
    await host.close();
    host = await connected([scripted('odd', 'counts-probes')], { eraMemory });
    await call('echo', { message: 'by now it would have been seen' });
    expect(probes(healthOf(host, 'odd'))).toBe(0);
  });

  test('a memory that fails is no reason not to connect', async () => {
    const broken = (): never => {
      throw new Error('disk full');
    };
    host = await connected([scripted('odd', 'good')], { eraMemory: { get: broken, set: broken, delete: broken } });
    expect(healthOf(host, 'odd').state).toBe('ready');
  });
});

describe('listing', () => {
  test('a malformed tool is set aside with its reason and takes nothing else with it', async () => {
    const { toolCount, skipped } = await meet('bad-tools');
    expect(toolCount).toBe(2);
    expect(host?.tools().map(({ name }) => name)).toEqual(['first', 'second']);
    expect(skipped).toEqual([
      { name: 'no-schema', reason: expect.stringContaining('inputSchema') as string },
      { name: 'array-schema', reason: expect.stringContaining('object') as string },
      { name: '#4', reason: expect.stringContaining('name') as string },
      { name: '#5', reason: expect.stringContaining('object') as string },
      { name: 'first', reason: expect.stringContaining('same name') as string },
    ]);
  });

  test('pages without end are cut, and what was read is kept', async () => {
    const { state, toolCount, log } = await meet('endless-pages');
    expect(state).toBe('ready');
    expect(toolCount).toBe(200);
    expect(log.some(({ level, text }) => level === 'warning' && text.includes('pages'))).toBe(true);
  });

  test('pages in a circle are cut at the second round', async () => {
    const { toolCount, log } = await meet('circling-pages');
    expect(toolCount).toBe(3);
    expect(log.some(({ text }) => text.includes('circle'))).toBe(true);
  });

  test('a list that is none leaves a server without tools', async () => {
    expect(await meet('no-list')).toMatchObject({ state: 'ready', toolCount: 0 });
  });

  test('a burst of announcements leads to the new list', async () => {
    await meet('changing');
    expect(host?.resolve('after')).toBeUndefined();
    let changes = 0;
    host?.onChange(() => changes++);
    await call('before', { how: 'change' });
    await until(() => host?.resolve('after') !== undefined);
    expect(changes).toBeGreaterThan(0);
  });
});

describe('calling', () => {
  test('a server that exits in mid-call leaves the outcome unknown, its tools gone and the others alone', async () => {
    host = await connected([scripted('odd', 'good'), scripted('well', 'shared special')]);
    expect(await call('echo', { how: 'crash' })).toMatchObject({
      isError: true,
      outcome: 'unknown',
      error: { code: 'server_exited', message: expect.stringContaining('code 7') as string },
    });
    expect(healthOf(host, 'odd')).toMatchObject({ state: 'failed', toolCount: 0 });
    expect(healthOf(host, 'odd').error?.message).toContain('Segmentation fault');
    expect(host.tools().map(({ tool }) => tool.serverId)).toEqual(['well', 'well']);
    expect(await call('echo')).toMatchObject({ outcome: 'not_sent', error: { code: 'server_exited' } });
    expect(await host.callTool({ serverId: 'well', name: 'special' }, { message: 'x' })).toMatchObject({
      outcome: 'done',
    });
  });

  test('a server that failed can be connected again', async () => {
    await meet('good');
    await call('echo', { how: 'crash' });
    await host?.connectAll();
    expect(await call('echo', { message: 'back' })).toMatchObject({ outcome: 'done' });
  });

  test('a call that is never answered runs out of time, is in doubt, and the model is told not to repeat it', async () => {
    await meet('good');
    const result = await call('slow', {}, { timeoutMs: 200 });
    expect(result).toMatchObject({ isError: true, outcome: 'unknown', error: { code: 'timed_out' } });
    expect(JSON.stringify(result.content)).toContain('Do not repeat');
  });

  test('progress renews the time-out of a call', async () => {
    await meet('good');
    const seen: ToolProgress[] = [];
    const options = { timeoutMs: 1_000, onProgress: (progress: ToolProgress) => seen.push(progress) };
    expect(await call('echo', { how: 'progress' }, options)).toMatchObject({ outcome: 'done' });
    expect(seen).toHaveLength(15);
    expect(seen[0]).toEqual({ progress: 1, total: 15, text: 'step 1' });
  });

  test('progress renews the time-out also where nobody watches it', async () => {
    await meet('good');
    expect(await call('echo', { how: 'progress' }, { timeoutMs: 1_000 })).toMatchObject({ outcome: 'done' });
  });

  test('the words with which a call was cancelled stay here', async () => {
    await meet('log-requests');
    const stopper = new AbortController();
    const running = call('slow', {}, { signal: stopper.signal });
    stopper.abort(new Error('the user said: my password is hunter2'));
    expect(await running).toMatchObject({ outcome: 'unknown', error: { code: 'cancelled' } });
    const cancelled = (): string | undefined =>
      odd().log.find(({ text }) => text.startsWith('got notifications/cancelled'))?.text;
    await until(() => cancelled() !== undefined);
    expect(cancelled()).not.toContain('hunter2');
  });

  test('a call cancelled beforehand is not made', async () => {
    await meet('log-requests');
    expect(await call('echo', {}, { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'not_sent' });
    await call('echo', { message: 'after it' });
    const made = odd().log.filter(({ text }) => text.startsWith('got tools/call'));
    expect(made).toHaveLength(1);
  });

  test('content of an unknown kind is said to be there, and the rest is kept', async () => {
    await meet('unknown-kind');
    const { content, outcome } = await call('unknown-kind');
    expect(outcome).toBe('done');
    expect(content).toHaveLength(4);
    expect(content[0]).toEqual({ type: 'text', text: 'kept' });
    expect(content[1]).toMatchObject({ type: 'text', text: expect.stringContaining('hologram') as string });
  });

  test('a result that does not fit its schema is kept: the call has been made', async () => {
    await meet('structured');
    expect(await call('bad-structure')).toMatchObject({ outcome: 'done', structured: { count: 'many' } });
  });

  test.each([
    [32602, 'not_sent', 'invalid_arguments'],
    [32601, 'not_sent', 'tool_not_found'],
    [32600, 'not_sent', 'server_refused'],
    [32603, 'done', 'tool_failed'],
    [32000, 'done', 'tool_failed'],
    [32001, 'unknown', 'timed_out'],
  ])('the server error -%i is answered as %s', async (code, outcome, name) => {
    await meet('good');
    const result = await call('echo', { how: `error-${code}` });
    expect(result).toMatchObject({ isError: true, outcome, error: { code: name } });
    expect(JSON.stringify(result.content)).toContain('so says the server');
  });

  test('closing answers the calls under way and refuses new ones', async () => {
    await meet('good');
    const running = call('slow');
    await until(() => host?.activeFlows === 1);
    const closing = host?.close();
    expect(await call('echo')).toMatchObject({ outcome: 'not_sent', error: { code: 'server_closed' } });
    expect(await running).toMatchObject({ outcome: 'unknown', error: { code: 'server_closed' } });
    await closing;
    expect(odd()).toMatchObject({ state: 'closed', phase: 'disconnected', toolCount: 0 });
    expect(host?.activeFlows).toBe(0);
  });

  test('closing while connecting ends the attempt', async () => {
    host = newHost([scripted('odd', 'silent')]);
    const connecting = host.connectAll();
    await until(() => odd().phase === 'initializing');
    await host.close();
    await connecting;
    expect(healthOf(host, 'odd').state).toBe('closed');
  });
});
