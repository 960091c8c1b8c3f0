import { createFakeClock } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import type { Caller } from '../types.ts';
import type { CallSchedulerOptions, CallTurn } from './call-scheduler.ts';
import { CallScheduler, IDLE_MS, QUEUE_TIMEOUT_MS } from './call-scheduler.ts';

class Extra {
  isGone = false;

  async close(): Promise<void> {
    this.isGone = true;
  }
}

function createScheduler(options: Partial<CallSchedulerOptions<Extra>> = {}) {
  const clock = createFakeClock();
  const opened: Extra[] = [];
  const scheduler = new CallScheduler<Extra>({
    asksForRoots: () => false,
    clock,
    maxCalls: () => Infinity,
    maxConnections: 4,
    open: () => {
      const extra = new Extra();
      opened.push(extra);
      return extra;
    },
    ...options,
  });
  const chat = (conversationId: string): Caller => ({ principal: 'anne', conversationId });
  /** A call of a chat and what `onWait` received. */
  const enter = (conversationId: string, more: { isTask?: boolean; signal?: AbortSignal } = {}) => {
    const waits: ((string | undefined)[] | null)[] = [];
    let turn: CallTurn<Extra> | undefined;
    const entered = scheduler.enter({
      caller: chat(conversationId),
      isTask: false,
      signal: undefined,
      onWait: (waitsFor) => waits.push(waitsFor?.map((caller) => caller.conversationId) ?? null),
      ...more,
    });
    const done = Promise.resolve(entered).then((made) => (turn = made));
    return {
      waits,
      done,
      get kind() {
        return turn?.kind;
      },
      get connection() {
        return turn?.kind === 'admitted' ? (turn.connection ?? 'first') : undefined;
      },
      leave: () => (turn?.kind === 'admitted' ? turn.release() : undefined),
    };
  };
  return { clock, scheduler, opened, enter };
}

describe('calls of a server that is not interactive', () => {
  test('are all in flight at once on the first connection', async () => {
    const { clock, enter } = createScheduler();
    const calls = ['a', 'b', 'c', 'd', 'e', 'a'].map((chat) => enter(chat));
    await clock.advance(0);
    expect(calls.map(({ connection }) => connection)).toEqual(Array.from({ length: 6 }, () => 'first'));
    expect(clock.pending).toBe(0);
  });

  test('queue in order above the limit and report the calls they wait for', async () => {
    const { clock, enter } = createScheduler({ maxCalls: () => 1 });
    const calls = ['a', 'b', 'c'].map((chat) => enter(chat));
    await clock.advance(1_000);
    expect(calls.map(({ kind }) => kind)).toEqual(['admitted', undefined, undefined]);
    expect(calls.map(({ waits }) => waits)).toEqual([[], [['a']], [['a']]]);
    calls[0]?.leave();
    await clock.advance(0);
    expect(calls.map(({ kind }) => kind)).toEqual(['admitted', 'admitted', undefined]);
    expect(calls[1]?.waits).toEqual([['a'], null]);
    expect(calls[2]?.waits).toEqual([['a'], ['b']]);
    calls[1]?.leave();
    calls[2]?.leave();
    await clock.advance(0);
    calls[2]?.leave();
    expect(clock.pending).toBe(0);
  });

  test('end with timed_out, aborted or closed', async () => {
    const { clock, scheduler, enter } = createScheduler({ maxCalls: () => 1 });
    const stop = new AbortController();
    const first = enter('a');
    const [late, stopped] = [enter('b'), enter('c', { signal: stop.signal })];
    stop.abort();
    await clock.advance(QUEUE_TIMEOUT_MS);
    const closed = enter('d');
    await clock.advance(0);
    await scheduler.close();
    await clock.advance(0);
    expect([late.kind, stopped.kind, closed.kind]).toEqual(['timed_out', 'aborted', 'closed']);
    first.leave();
    expect(enter('e', { signal: stop.signal }).waits).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe('calls of an interactive server', () => {
  test('get a connection per conversation up to the limit; further ones wait for an idle connection', async () => {
    const { clock, scheduler, opened, enter } = createScheduler();
    scheduler.becomeInteractive();
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((chat) => enter(chat));
    const again = enter('b');
    await clock.advance(1_000);
    expect([a, b, c, d, e].map((call) => call?.connection)).toEqual(['first', ...opened, undefined]);
    expect(opened).toHaveLength(3);
    expect(again.connection).toBe(opened[0]);
    expect(e?.waits).toEqual([['a', 'b', 'c', 'd', 'b']]);
    b?.leave();
    await clock.advance(0);
    expect(e?.kind).toBeUndefined();
    again.leave();
    await clock.advance(0);
    expect(e?.connection).toBe(opened[3]);
    expect(opened[0]?.isGone).toBe(true);
    for (const call of [a, c, d, e]) call?.leave();
  });

  test('keep the connection of their conversation until it has been idle for a while', async () => {
    const { clock, scheduler, opened, enter } = createScheduler();
    scheduler.becomeInteractive();
    for (const chat of ['a', 'b', 'a', 'b']) {
      const call = enter(chat);
      await clock.advance(IDLE_MS - 1);
      expect(call.connection).toBe(chat === 'a' ? 'first' : opened[0]);
      call.leave();
    }
    await clock.advance(IDLE_MS);
    expect(opened.map(({ isGone }) => isGone)).toEqual([true]);
    expect(scheduler.extras).toEqual([]);
    const callOfB = enter('b');
    await clock.advance(0);
    expect(callOfB.connection).toBe('first');
    callOfB.leave();
    await scheduler.close();
    expect(clock.pending).toBe(0);
  });

  test('do not share the first connection with calls made before the server became interactive', async () => {
    const { clock, scheduler, opened, enter } = createScheduler();
    const [a, b] = [enter('a'), enter('b')];
    await clock.advance(0);
    scheduler.becomeInteractive();
    const next = enter('a');
    await clock.advance(0);
    expect(next.connection).toBe(opened[0]);
    for (const call of [a, b, next]) call.leave();
  });

  test('use the first connection when they become tasks', async () => {
    const { clock, scheduler, enter } = createScheduler();
    scheduler.becomeInteractive();
    const [a, task] = [enter('a'), enter('b', { isTask: true })];
    await clock.advance(0);
    expect([a.connection, task.connection]).toEqual(['first', 'first']);
    task.leave();
    a.leave();
  });

  test('get a new connection when theirs is lost; the others keep theirs', async () => {
    const { clock, scheduler, opened, enter } = createScheduler();
    scheduler.becomeInteractive();
    const [a, b, c] = [enter('a'), enter('b'), enter('c')];
    await clock.advance(0);
    if (opened[0] !== undefined) scheduler.removeConnection(opened[0]);
    b.leave();
    const [nextB, nextC] = [enter('b'), enter('c')];
    await clock.advance(0);
    expect([nextB.connection, nextC.connection]).toEqual([opened[2], opened[1]]);
    for (const call of [a, c, nextB, nextC]) call.leave();
  });

  test('wait for the other conversation when only one connection is allowed', async () => {
    const { clock, scheduler, enter } = createScheduler({ maxConnections: 1 });
    scheduler.becomeInteractive();
    const [a, b, again] = [enter('a'), enter('b'), enter('a')];
    await clock.advance(0);
    expect([a.connection, b.connection, again.connection]).toEqual(['first', undefined, 'first']);
    a.leave();
    again.leave();
    await clock.advance(0);
    expect(b.connection).toBe('first');
    b.leave();
  });
});
