import { FunctionTools, tool } from '@toolyard/agent-host';
import type { Clock } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { eventually, isAlive, ownPort, startScriptedMcp } from '@toolyard/testing';
import { describe, expect, it } from 'vitest';
import { RUN_CONNECT_WAIT_MS } from './selections.ts';
import { CONNECT_WAIT_MS } from './server-connections.ts';
import {
  selectServers,
  NEVER_ABORTED,
  OWNER as me,
  waitForPid,
  commandServer,
  programWithPid,
  useServerBench,
  getView,
  waitForState,
} from './test-fixtures/server-setup.ts';

const room = useServerBench();

/** Runs wait for servers until `expire` is called. */
function patientUntilTold(): { clock: Clock; expire: () => void } {
  const waits: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      if (ms !== RUN_CONNECT_WAIT_MS)
        return systemClock.after(ms === CONNECT_WAIT_MS ? 20 * CONNECT_WAIT_MS : ms, callback);
      waits.push(callback);
      return () => {};
    },
  };
  return { clock, expire: () => waits.splice(0).forEach((end) => end()) };
}

/** The URL of a server that is not running yet, and how to start it. */
async function closedAddress() {
  const port = await ownPort();
  return { url: `http://127.0.0.1:${port}/mcp`, listen: () => startScriptedMcp('plain', { port }) };
}

describe('the tools of a run', () => {
  const two = { tools: [{ name: 'read' }, { name: 'write' }] };

  it('are the enabled ones, with the choices of the conversation', async () => {
    const servers = await room.start(
      [commandServer('a', two), commandServer('b', two), commandServer('off', 'plain')],
      {
        off: ['off'],
      },
    );
    const standard = await servers.select(selectServers(), NEVER_ABORTED);
    expect(standard.tools().map(({ name }) => name)).toEqual(['a__read', 'a__write', 'b__read', 'b__write']);
    const own = await servers.select(selectServers({ b: false, off: true, none: true }, ['a/write']), NEVER_ABORTED);
    expect(own.tools().map(({ name }) => name)).toEqual(['read', 'echo']);
    expect(await own.callTool({ serverId: 'off', name: 'echo' }, {})).toMatchObject({ outcome: 'done' });
    for (const tool of [
      { serverId: 'a', name: 'write' },
      { serverId: 'b', name: 'read' },
    ]) {
      expect(own.policyFacts(tool)).toBeUndefined();
      expect(await own.callTool(tool, {})).toMatchObject({ outcome: 'not_sent', error: { code: 'tool_not_found' } });
    }
    expect(await servers.select(selectServers(), NEVER_ABORTED)).toBe(standard);
    expect((await getView(servers, 'off')).enabled).toBe(false);
  });

  it('wait once for a server that connects, and not at all for one that failed', async () => {
    const { clock, expire } = patientUntilTold();
    const servers = await room.start([commandServer('good', 'plain'), commandServer('slow', 'hang-in-initialize')], {
      clock,
    });
    const awaited: string[][] = [];
    const wait = { onAwaited: (ids: string[]) => void awaited.push(ids) };
    const selecting = servers.select(selectServers(), NEVER_ABORTED, wait);
    await waitForState(servers, 'good', 'ready');
    expire();
    expect((await selecting).tools().map(({ name }) => name)).toEqual(['echo']);
    expect(awaited.flat()).toContain('slow');
    // Nothing expires any more: these would wait for ever.
    for (let message = 0; message < 3; message++) await servers.select(selectServers(), NEVER_ABORTED, wait);
    expect(awaited).toHaveLength(1);
  });

  it('do not wait again for an attempt after the user stopped or skipped the wait', async () => {
    const { clock } = patientUntilTold();
    const servers = await room.start([commandServer('slow', 'hang-in-initialize')], { clock });
    const awaited: string[][] = [];
    const wait = { onAwaited: (ids: string[]) => void awaited.push(ids) };
    const stop = new AbortController();
    const stopped = servers.select(selectServers(), stop.signal, wait);
    await eventually(() => awaited.length === 1);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    expect((await servers.select(selectServers(), NEVER_ABORTED, wait)).tools()).toEqual([]);
    expect(awaited).toEqual([['slow']]);

    // Another attempt is awaited again, until the user skips it.
    void servers.ask('POST /api/mcp/servers/{id}/reconnect', me, { params: { id: 'slow' } }).catch(() => undefined);
    await waitForState(servers, 'slow', 'connecting');
    const skip = new AbortController();
    const skipped = servers.select(selectServers(), NEVER_ABORTED, { ...wait, skip: skip.signal });
    await eventually(() => awaited.length === 2);
    skip.abort();
    expect((await skipped).tools()).toEqual([]);
    await servers.select(selectServers(), NEVER_ABORTED, wait);
    expect(awaited).toHaveLength(2);
  });

  it('do not wait for a server whose first attempt failed; it joins when it is ready', async () => {
    const { clock } = patientUntilTold();
    const { url, listen } = await closedAddress();
    const servers = await room.start([{ id: 'late', transport: { type: 'http', url } }], { clock });
    await waitForState(servers, 'late', 'failed');
    const selection = await servers.select(selectServers(), NEVER_ABORTED, {
      onAwaited: () => expect.unreachable('a failed server was awaited'),
    });
    expect(selection.tools()).toEqual([]);
    room.open.push(await listen());
    await waitForState(servers, 'late', 'ready');
    expect(selection.tools().map(({ name }) => name)).toEqual(['echo']);
  });

  it('name no functions of this process among the servers that a run waits for', async () => {
    const add = tool({ name: 'add', description: 'Adds', inputSchema: { type: 'object' }, execute: () => '3' });
    const functions = new FunctionTools([{ id: 'sums', tools: [add] }]);
    const servers = await room.start([], { functions, builtIn: [...functions.servers] });
    await waitForState(servers, 'sums', 'ready');
    await servers.editable.change(me, 'sums', { enabled: false });
    const selection = await servers.select(selectServers({ sums: true }), NEVER_ABORTED, {
      onAwaited: (ids) => expect.unreachable(`a run says that it waits for ${ids.join()}`),
    });
    expect(selection.tools().map(({ name }) => name)).toEqual(['add']);
  });

  it('include the instructions of these servers only, in the same list while they are unchanged', async () => {
    const servers = await room.start([
      commandServer('a', { ...two, instructions: 'Read first.' }),
      commandServer('b', { ...two, instructions: 'Not for you.' }),
      commandServer('c', 'plain'),
    ]);
    const selection = await servers.select(selectServers({ b: false }), NEVER_ABORTED);
    const sources = selection.contextSources();
    expect(sources.serverInstructions).toEqual([{ serverId: 'a', text: 'Read first.' }]);
    await servers.editable.change(me, 'c', { enabled: false });
    expect(selection.contextSources().serverInstructions).toBe(sources.serverInstructions);
    await servers.editable.change(me, 'a', { enabled: false });
    expect(selection.contextSources().serverInstructions).toEqual([]);
  });

  it('are built in or read-only only by registration and annotation', async () => {
    const tools = [{ name: 'look', annotations: { readOnlyHint: true } }];
    const servers = await room.start([commandServer('mine', { tools: [{ name: 'date' }, ...tools] })], {
      builtIn: [{ ...commandServer('date', { tools }), builtIn: true }],
    });
    const selection = await servers.select(selectServers(), NEVER_ABORTED);
    expect(selection.policyFacts({ serverId: 'date', name: 'look' })).toEqual({ builtIn: true, readOnly: true });
    expect(selection.policyFacts({ serverId: 'mine', name: 'look' })).toMatchObject({ builtIn: false, readOnly: true });
    expect(selection.policyFacts({ serverId: 'mine', name: 'date' })).toMatchObject({
      builtIn: false,
      readOnly: false,
    });
    expect(selection.policyFacts({ serverId: 'mine', name: 'none' })).toBeUndefined();
  });

  it('disconnect a disabled server after it was unused for a while', async () => {
    let now = 0;
    const due: (() => void)[] = [];
    const clock: Clock = {
      ...systemClock,
      monotonic: () => now,
      after(ms, callback) {
        if (ms <= 30_000) return systemClock.after(ms, callback);
        due.push(callback);
        return () => {};
      },
    };
    const servers = await room.start([programWithPid('off')], { off: ['off'], clock });
    const selection = await servers.select(selectServers({ off: true }), NEVER_ABORTED);
    const running = await waitForPid(servers, 'off');
    now += 9 * 60_000;
    selection.contextSources();
    now += 9 * 60_000;
    due.splice(0).forEach((timer) => timer());
    expect(isAlive(running)).toBe(true);
    expect((await getView(servers, 'off')).state).toBe('ready');
    now += 10 * 60_000;
    due.splice(0).forEach((timer) => timer());
    await eventually(() => !isAlive(running));
    await waitForState(servers, 'off', 'disabled');
    const again = await servers.select(selectServers({ off: true }), NEVER_ABORTED);
    expect(again.tools().map(({ name }) => name)).toEqual(['echo']);
  });
});
