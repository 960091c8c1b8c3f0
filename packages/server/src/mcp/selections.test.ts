import type { Clock } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { eventually, isAlive } from '@toolyard/testing';
import { describe, expect, it } from 'vitest';
import {
  chosen,
  never,
  OWNER as me,
  pidOf,
  program,
  programWithPid,
  useServerRoom,
  viewOf,
  whenIn,
} from './test-fixtures/server-room.ts';

const room = useServerRoom();

describe('what a run may use', () => {
  const two = { tools: [{ name: 'read' }, { name: 'write' }] };

  it(
    'is what is switched on, unless the conversation chose otherwise, without the tools it switched off',
    { tags: ['C3.07', 'C3.08', 'M1.30'] },
    async () => {
      const servers = await room.start([program('a', two), program('b', two), program('off', 'plain')], {
        off: ['off'],
      });
      const standard = await servers.select(chosen(), never);
      expect(standard.tools().map(({ name }) => name)).toEqual(['a__read', 'a__write', 'b__read', 'b__write']);
      const own = await servers.select(chosen({ b: false, off: true, none: true }, ['a/write']), never);
      expect(own.tools().map(({ name }) => name)).toEqual(['read', 'echo']);
      expect(await own.callTool({ serverId: 'off', name: 'echo' }, {})).toMatchObject({ outcome: 'done' });
      for (const tool of [
        { serverId: 'a', name: 'write' },
        { serverId: 'b', name: 'read' },
      ]) {
        expect(own.judged(tool)).toBeUndefined();
        expect(await own.callTool(tool, {})).toMatchObject({ outcome: 'not_sent', error: { code: 'tool_not_found' } });
      }
      expect(await servers.select(chosen(), never)).toBe(standard);
      expect((await viewOf(servers, 'off')).enabled).toBe(false);
    },
  );

  it('waits for servers that are connecting, but not for ever, and ends with its signal', async () => {
    const patience: (() => void)[] = [];
    const giveUp = (): void => patience.splice(0).forEach((end) => end());
    const clock: Clock = {
      ...systemClock,
      after(ms, callback) {
        if (ms !== 10_000) return systemClock.after(ms, callback);
        patience.push(callback);
        return () => {};
      },
    };
    const servers = await room.start([program('good', 'plain'), program('slow', 'hang-in-initialize')], { clock });
    const selecting = servers.select(chosen(), never);
    await whenIn(servers, 'good', 'ready');
    giveUp();
    expect((await selecting).tools().map(({ name }) => name)).toEqual(['echo']);
    // One run has waited in vain: the next does not. What is connected anew is waited for again.
    expect((await servers.select(chosen(), never)).tools().map(({ name }) => name)).toEqual(['echo']);
    const reconnecting = servers.reconnect(me, 'slow');
    await whenIn(servers, 'slow', 'connecting');
    const stop = new AbortController();
    const stopped = servers.select(chosen(), stop.signal);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    giveUp();
    await reconnecting;
  });

  it('has the instructions of these servers only, the same list as long as they say the same', async () => {
    const servers = await room.start([
      program('a', { ...two, instructions: 'Read first.' }),
      program('b', { ...two, instructions: 'Not for you.' }),
      program('c', 'plain'),
    ]);
    const selection = await servers.select(chosen({ b: false }), never);
    const sources = selection.contextSources();
    expect(sources.serverInstructions).toEqual([{ serverId: 'a', text: 'Read first.' }]);
    await servers.change(me, 'c', { enabled: false });
    expect(selection.contextSources().serverInstructions).toBe(sources.serverInstructions);
    await servers.change(me, 'a', { enabled: false });
    expect(selection.contextSources().serverInstructions).toEqual([]);
  });

  it('is built in and read-only only by registration and annotation', async () => {
    const tools = [{ name: 'look', annotations: { readOnlyHint: true } }];
    const servers = await room.start([program('mine', { tools: [{ name: 'date' }, ...tools] })], {
      builtIn: [{ ...program('date', { tools }), builtIn: true }],
    });
    const selection = await servers.select(chosen(), never);
    expect(selection.judged({ serverId: 'date', name: 'look' })).toEqual({ builtIn: true, readOnly: true });
    expect(selection.judged({ serverId: 'mine', name: 'look' })).toMatchObject({ builtIn: false, readOnly: true });
    expect(selection.judged({ serverId: 'mine', name: 'date' })).toMatchObject({ builtIn: false, readOnly: false });
    expect(selection.judged({ serverId: 'mine', name: 'none' })).toBeUndefined();
  });

  it('gives a server that is switched off back when nobody has used it for a while', async () => {
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
    const selection = await servers.select(chosen({ off: true }), never);
    const running = await pidOf(servers, 'off');
    now += 9 * 60_000;
    selection.contextSources();
    now += 9 * 60_000;
    due.splice(0).forEach((timer) => timer());
    expect(isAlive(running)).toBe(true);
    expect((await viewOf(servers, 'off')).state).toBe('ready');
    now += 10 * 60_000;
    due.splice(0).forEach((timer) => timer());
    await eventually(() => !isAlive(running));
    await whenIn(servers, 'off', 'disabled');
    const again = await servers.select(chosen({ off: true }), never);
    expect(again.tools().map(({ name }) => name)).toEqual(['echo']);
  });
});
