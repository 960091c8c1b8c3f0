import type { JsonObject, ToolResult } from '@toolyard/protocol';
import type { FakeClock } from '@toolyard/testing';
import {
  createFakeClock,
  eventually,
  type McpBehaviour,
  type McpBehaviourName,
  type ScriptedTool,
} from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { createEraMemory } from './era-memory.ts';
import type { McpHost } from '../host/host.ts';
import { createMessageLog, type MessageLog } from '../node/test-fixtures/message-log.ts';
import { closeOn, connected, getHealth, newHost, advanceUntil, scripted } from '../node/test-fixtures/peers.ts';
import type { ServerHealth, ToolProgress } from '../types.ts';

let host: McpHost | undefined;
let messages: MessageLog | undefined;
/** The clock of the host, for tests that advance it. */
let stillClock: FakeClock | undefined;
afterEach(async () => {
  if (host && stillClock) await closeOn(stillClock, host);
  else await host?.close();
  stillClock = undefined;
  messages?.remove();
  messages = undefined;
});

/** A host with one scripted server of this behaviour. */
async function connect(
  behaviour: McpBehaviourName | McpBehaviour,
  more: Parameters<typeof scripted>[2] = {},
): Promise<ServerHealth> {
  host = await connected([scripted('odd', behaviour, more)], stillClock ? { clock: stillClock } : {});
  return getHealth(host, 'odd');
}

/** Where a server started with this environment writes what it receives. */
function newMessageLog(): MessageLog {
  messages = createMessageLog();
  return messages;
}

function nonEmpty<T>(found: T[]): T[] | undefined {
  return found.length === 0 ? undefined : found;
}

function server(): ServerHealth {
  if (host === undefined) throw new Error('connect a server first');
  return getHealth(host, 'odd');
}

function call(name: string, args = {}, options = {}): Promise<ToolResult> {
  if (host === undefined) throw new Error('connect a server first');
  return host.callTool({ serverId: 'odd', name }, args, options);
}

describe('connecting', () => {
  test('an unknown command is named', async () => {
    host = await connected([{ id: 'odd', transport: { type: 'stdio', command: 'no-such-command-here' } }]);
    const { state, error } = getHealth(host, 'odd');
    expect(state).toBe('failed');
    expect(error).toMatchObject({ code: 'command_not_found' });
    expect(error?.message).toContain('no-such-command-here');
    expect(error?.hint).toContain('PATH');
  });

  test('a missing folder is not mistaken for a missing command', async () => {
    const transport = { type: 'stdio' as const, command: process.execPath, cwd: '/no/such/folder' };
    host = await connected([{ id: 'odd', transport }]);
    expect(getHealth(host, 'odd').error).toMatchObject({ code: 'bad_config' });
  });

  test('a command line the system rejects is not mistaken for a network failure', async () => {
    const transport = { type: 'stdio' as const, command: process.execPath, args: ['nul\0byte'] };
    host = await connected([{ id: 'odd', transport }]);
    expect(getHealth(host, 'odd').error?.message).toContain('cannot be started');
  });

  test('a server that exits at once reports its exit code and last output, without colours', async () => {
    const { error } = await connect({
      atStart: { stderr: `\u001b[31mMissing API key\u001b[0m\n${'npm notice\n'.repeat(10)}`, exitCode: 3 },
    });
    expect(error?.code).toBe('server_exited');
    expect(error?.message).toContain('code 3');
    expect(error?.message).toContain('Missing API key');
    expect(error?.message).not.toContain('\u001b');
    expect(error?.message).toContain('"odd"');
  });

  test('a server that never answers times out, naming the phase', async () => {
    const clock = (stillClock = createFakeClock());
    host = newHost([scripted('odd', 'hang-in-initialize', { connectTimeoutMs: 1_000 })], { clock });
    const connecting = host.connectAll();
    await eventually(() => server().phase === 'initializing');
    await advanceUntil(clock, connecting);
    const { error } = server();
    expect(error).toMatchObject({ code: 'timed_out' });
    expect(error?.message).toContain('initializing');
  });

  test('a server that rejects initialize is quoted', async () => {
    const { error } = await connect({
      answers: { initialize: { error: { code: -32600, message: 'You are not on the list' } } },
    });
    expect(error?.code).toBe('server_refused');
    expect(error?.message).toContain('You are not on the list');
  });

  test('lines on stdout that are not MCP are skipped and logged once', async () => {
    const { state, log } = await connect('stdout-noise');
    expect(state).toBe('ready');
    expect(log.filter(({ text }) => text.includes('not MCP'))).toHaveLength(1);
    expect(await call('noisy')).toMatchObject({ outcome: 'done' });
  });

  test('a program that is not an MCP server is recognized by its output', async () => {
    const clock = (stillClock = createFakeClock());
    const transport = { type: 'stdio' as const, command: 'sh', args: ['-c', "printf 'hello\\nthere\\n'; sleep 60"] };
    host = newHost([{ id: 'odd', transport }], { clock });
    const connecting = host.connectAll();
    await eventually(() => server().log.some(({ text }) => text.includes('not MCP')));
    await advanceUntil(clock, connecting);
    expect(server().error?.hint).toContain('2 line(s) that are not MCP');
  });
});

describe('the era of a server', () => {
  const spawns = ({ log }: ServerHealth): number => log.filter(({ text }) => text === 'transport creating').length;

  test('a server that exits on the probe is started again without it and not probed next time', async () => {
    const eraMemory = createEraMemory();
    host = await connected([scripted('odd', 'exit-on-unknown-method')], { eraMemory });
    expect(getHealth(host, 'odd')).toMatchObject({ state: 'ready', era: 'legacy' });
    expect(spawns(getHealth(host, 'odd'))).toBe(2);
    await host.close();

    host = await connected([scripted('odd', 'exit-on-unknown-method')], { eraMemory });
    expect(getHealth(host, 'odd')).toMatchObject({ state: 'ready', era: 'legacy' });
    expect(spawns(getHealth(host, 'odd'))).toBe(1);
  });

  test('a server that ignores the probe gets initialize on the same pipe', async () => {
    const silent: McpBehaviour = { onUnknownMethod: 'silence', protocolVersion: '2025-06-18' };
    const health = await connect(silent);
    expect(health).toMatchObject({ state: 'ready', era: 'legacy', protocolVersion: '2025-06-18' });
    expect(spawns(health)).toBe(1);
  });

  test('a server that answers the probe with an error is probed once', async () => {
    const eraMemory = createEraMemory();
    const { env, received } = newMessageLog();
    for (let time = 0; time < 2; time++) {
      host = await connected([scripted('odd', 'plain', { env })], { eraMemory });
      expect(await call('echo')).toMatchObject({ outcome: 'done' });
      await host.close();
    }
    expect(received('initialize')).toHaveLength(2);
    expect(received('server/discover')).toHaveLength(1);
  });

  test('a failing era memory does not prevent connecting', async () => {
    const throwDiskFull = (): never => {
      throw new Error('disk full');
    };
    host = await connected([scripted('odd', 'plain')], {
      eraMemory: { get: throwDiskFull, set: throwDiskFull, delete: throwDiskFull },
    });
    expect(getHealth(host, 'odd').state).toBe('ready');
  });
});

describe('listing', () => {
  test('a malformed tool is skipped with its reason; the others are kept', async () => {
    const { toolCount, skipped } = await connect({
      tools: [{ name: 'first' }],
      rawTools: [
        { name: 'no-schema' },
        { name: 'array-schema', inputSchema: { type: 'array' } },
        { inputSchema: { type: 'object' } },
        'not even an object',
        {
          name: 'second',
          inputSchema: { type: 'object' },
          outputSchema: { type: 'string' },
          title: 7,
          annotations: { readOnlyHint: 'yes' },
        },
        { name: 'first', inputSchema: { type: 'object' }, description: 'the same name again' },
      ],
    });
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

  test('endless pages are cut and what was read is kept', async () => {
    const { state, toolCount, log } = await connect('endless-pagination');
    expect(state).toBe('ready');
    expect(toolCount).toBe(200);
    expect(log.some(({ level, text }) => level === 'warning' && text.includes('pages'))).toBe(true);
  });

  test('circular pages are cut at the second round', async () => {
    const { toolCount, skipped, log } = await connect('circular-pagination');
    expect(toolCount).toBe(3);
    // The first page is read once more before the loop is detected.
    expect(skipped.map(({ name }) => name)).toEqual(['echo']);
    expect(log.some(({ text }) => text.includes('circular'))).toBe(true);
  });

  test('a result without a list leaves a server without tools', async () => {
    expect(await connect({ answers: { 'tools/list': { result: { tools: 'none' } } } })).toMatchObject({
      state: 'ready',
      toolCount: 0,
    });
  });

  test('a burst of notifications leads to the new list', async () => {
    const after: ScriptedTool[] = [{ name: 'before' }, { name: 'after' }];
    await connect({
      tools: [{ name: 'before', does: Array.from({ length: 50 }, () => ({ do: 'set_tools', tools: after })) }],
    });
    expect(host?.resolve('after')).toBeUndefined();
    let changes = 0;
    host?.onChange(() => changes++);
    await call('before');
    await eventually(() => host?.resolve('after') !== undefined);
    expect(changes).toBeGreaterThan(0);
  });
});

describe('calling', () => {
  /** Progress arrives once per second, for longer than the caller's timeout in all. */
  const patient: McpBehaviour = { tools: [{ name: 'work', does: [{ do: 'progress', steps: 20, everyMs: 50 }] }] };
  const SHORTER_MS = 1_500;

  test('a server that exits during a call leaves its outcome unknown, does not affect others, and is reconnected', async () => {
    host = await connected([
      scripted('odd', 'exit-in-call'),
      scripted('well', { tools: [{ name: 'search' }, { name: 'special' }] }),
    ]);
    expect(await call('crash')).toMatchObject({
      isError: true,
      outcome: 'unknown',
      error: { code: 'server_exited', message: expect.stringContaining('code 7') as string },
    });
    expect(getHealth(host, 'odd')).toMatchObject({ state: 'reconnecting', reconnect: { attempt: 1, of: 10 } });
    expect(getHealth(host, 'odd').error?.message).toContain('out of luck');
    expect(await host.callTool({ serverId: 'well', name: 'special' }, { message: 'x' })).toMatchObject({
      outcome: 'done',
    });
    expect(await call('echo')).toMatchObject({ outcome: 'done' });
    expect(getHealth(host, 'odd')).toMatchObject({ state: 'ready', toolCount: 2 });
  });

  test('a server that failed can be connected again', async () => {
    await connect('exit-in-call');
    await call('crash');
    await host?.connectAll();
    expect(await call('echo', { message: 'back' })).toMatchObject({ outcome: 'done' });
  });

  test('a call without an answer times out with an unknown outcome, with a note for the model not to repeat it', async () => {
    await connect('never-answers');
    const result = await call('hang', {}, { timeoutMs: 200 });
    expect(result).toMatchObject({ isError: true, outcome: 'unknown', error: { code: 'timed_out' } });
    expect(JSON.stringify(result.content)).toContain('Do not repeat');
  });

  test('progress renews the timeout of a call', async () => {
    const clock = (stillClock = createFakeClock());
    await connect(patient);
    const seen: ToolProgress[] = [];
    const onProgress = (progress: ToolProgress): void => {
      seen.push(progress);
      void clock.advance(1_000);
    };
    const options = { timeoutMs: SHORTER_MS, onProgress };
    expect(await call('work', {}, options)).toMatchObject({ outcome: 'done' });
    expect(seen).toHaveLength(20);
    expect(seen[0]).toEqual({ progress: 1, total: 20, text: 'step 1' });
  });

  test('progress renews the timeout without a progress callback', async () => {
    const clock = (stillClock = createFakeClock());
    await connect(patient);
    const progressCount = (): number =>
      host?.wireLog('odd').filter(({ method }) => method === 'notifications/progress').length ?? 0;
    const running = call('work', {}, { timeoutMs: SHORTER_MS });
    for (let before = 0; before < 20; before = progressCount()) {
      await eventually(() => progressCount() > before);
      await clock.advance(1_000);
    }
    expect(await running).toMatchObject({ outcome: 'done' });
  });

  test('the abort reason of a call is not sent to the server', async () => {
    const { env, received } = newMessageLog();
    await connect('never-answers', { env });
    const stopper = new AbortController();
    const running = call('hang', {}, { signal: stopper.signal });
    stopper.abort(new Error('the user said: my password is hunter2'));
    expect(await running).toMatchObject({ outcome: 'unknown', error: { code: 'cancelled' } });
    const [cancelled] = await eventually(() => nonEmpty(received('notifications/cancelled')));
    expect(JSON.stringify(cancelled)).not.toContain('hunter2');
  });

  test('a call aborted beforehand is not made', async () => {
    const { env, received } = newMessageLog();
    await connect('plain', { env });
    expect(await call('echo', {}, { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'not_sent' });
    await call('echo', { message: 'after it' });
    expect(received('tools/call')).toHaveLength(1);
  });

  test('unknown content is replaced by a text, and the rest is kept', async () => {
    const content = [{ type: 'text', text: 'kept' }, { type: 'hologram', data: 'x' }, { type: 'image' }, 3];
    await connect({ tools: [{ name: 'show', does: [{ do: 'result', result: { content } }] }] });
    const shown = await call('show');
    expect(shown.outcome).toBe('done');
    expect(shown.content).toHaveLength(4);
    expect(shown.content[0]).toEqual({ type: 'text', text: 'kept' });
    expect(shown.content[1]).toMatchObject({ type: 'text', text: expect.stringContaining('hologram') as string });
  });

  test('a result that does not match its schema is kept', async () => {
    const outputSchema = { type: 'object', properties: { count: { type: 'number' } } };
    const result: JsonObject = { content: [], structuredContent: { count: 'many' } };
    await connect({ tools: [{ name: 'count', outputSchema, does: [{ do: 'result', result }] }] });
    expect(await call('count')).toMatchObject({ outcome: 'done', structured: { count: 'many' } });
  });

  test.each([
    [32602, 'not_sent', 'invalid_arguments'],
    [32601, 'not_sent', 'tool_not_found'],
    [32600, 'not_sent', 'server_refused'],
    [32603, 'done', 'tool_failed'],
    [32000, 'done', 'tool_failed'],
    [32001, 'unknown', 'timed_out'],
  ])('server error -%i becomes %s', async (code, outcome, name) => {
    await connect({ tools: [{ name: 'refuse', does: [{ do: 'error', code: -code, message: 'so says the server' }] }] });
    const result = await call('refuse');
    expect(result).toMatchObject({ isError: true, outcome, error: { code: name } });
    expect(JSON.stringify(result.content)).toContain('so says the server');
  });

  test('closing answers the calls in progress and rejects new ones', async () => {
    await connect('never-answers');
    const running = call('hang');
    await eventually(() => host?.activeFlows === 1);
    const closing = host?.close();
    expect(await call('echo')).toMatchObject({ outcome: 'not_sent', error: { code: 'server_closed' } });
    expect(await running).toMatchObject({ outcome: 'unknown', error: { code: 'server_closed' } });
    await closing;
    expect(server()).toMatchObject({ state: 'idle', phase: 'disconnected', toolCount: 0 });
    expect(host?.activeFlows).toBe(0);
  });

  test('closing aborts a connection attempt', async () => {
    host = newHost([scripted('odd', 'hang-in-initialize')]);
    const connecting = host.connectAll();
    await eventually(() => server().phase === 'initializing');
    await host.close();
    await connecting;
    expect(getHealth(host, 'odd').state).toBe('idle');
  });
});
