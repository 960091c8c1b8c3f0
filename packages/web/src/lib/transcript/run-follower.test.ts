import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunEvent, RunEventBody } from '@toolyard/protocol';
import { ApiError } from '../api/error.ts';
import { RunFollower } from './run-follower.ts';
import { createEvents, run, userMessage, view } from './test-fixtures/test-events.ts';
import { openTranscript } from './transcript.ts';
import type { Transcript } from './transcript.ts';

const USER_MESSAGE = userMessage('u1', 'Count.');
const WORDS = ['one ', 'two ', 'three ', 'four ', 'five '];
const EVENTS = createEvents('r1', [
  { type: 'run_started', conversationId: 'c1', place: 'server', model: 'demo', message: USER_MESSAGE },
  { type: 'message_started', messageId: 'r1.0', parentId: 'u1', model: 'demo' },
  ...WORDS.map((text): RunEventBody => ({ type: 'text_delta', messageId: 'r1.0', text })),
]);

/** A follower with a server that has stored `stored` and sends nothing else. */
function follower(stored: readonly RunEvent[], options: { fails?: number; status?: number; repeats?: true } = {}) {
  let transcript: Transcript | null = openTranscript(view([USER_MESSAGE], { activeRun: run('r1') }));
  let fails = options.fails ?? 0;
  const reads: number[] = [];
  const settled: Promise<unknown>[] = [];
  const problems: (number | null)[] = [];
  const following = new RunFollower({
    get: () => transcript,
    set: (next) => (transcript = next),
    soon: (flush) => flush(),
    onProblem: (problem) => void problems.push(problem?.status ?? null),
    async *read(_runId, after) {
      reads.push(after);
      let done: () => void = () => undefined;
      settled.push(new Promise<void>((resolve) => (done = resolve)));
      try {
        await Promise.resolve();
        if (fails-- > 0) throw new ApiError({ code: 'internal', status: options.status ?? 0, detail: 'failed' });
        for (const event of stored) if (event.seq > after || options.repeats) yield [event];
      } finally {
        done();
      }
    },
  });
  return {
    following,
    reads,
    problems,
    settle: async () => {
      await Promise.all(settled);
      await new Promise((resolve) => setTimeout(resolve));
    },
    text: () => {
      const row = transcript?.tail.at(-1);
      return row?.kind === 'assistant' && row.blocks[0]?.type === 'text' ? row.blocks[0].text : null;
    },
    close: () => (transcript = null),
  };
}

describe('following a run', () => {
  afterEach(() => void vi.useRealTimers());

  it('loads earlier events once, when the first event arrives', async () => {
    const server = follower(EVENTS.slice(0, 5));
    for (const event of EVENTS.slice(4)) server.following.take(event);
    await server.settle();
    expect(server.text()).toBe(WORDS.join(''));
    expect(server.reads).toEqual([0]);
  });

  it('loads nothing if the stream has no gap', async () => {
    const server = follower(EVENTS);
    for (const event of EVENTS) server.following.take(event);
    await server.settle();
    expect(server.text()).toBe(WORDS.join(''));
    expect(server.reads).toEqual([]);
  });

  it('retries after a pause that grows, however many events arrive meanwhile', async () => {
    vi.useFakeTimers();
    const server = follower(EVENTS, { fails: 3 });
    for (const event of EVENTS.slice(4)) {
      server.following.take(event);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(server.reads).toEqual([0]);
    expect(server.problems).toEqual([0]);
    await vi.advanceTimersByTimeAsync(500);
    await vi.advanceTimersByTimeAsync(999);
    expect(server.reads).toEqual([0, 0]);
    await vi.advanceTimersByTimeAsync(1 + 2_000);
    expect(server.text()).toBe(WORDS.join(''));
    expect(server.problems).toEqual([0, 0, 0, null]);
  });

  it.each([400, 401, 403, 404, 409, 410, 422, 429])(
    'repeats a request rejected with %d only when the user asks',
    async (status) => {
      vi.useFakeTimers();
      const server = follower(EVENTS, { fails: 2, status });
      server.following.catchUp(4);
      for (const event of EVENTS.slice(4)) server.following.take(event);
      await vi.advanceTimersByTimeAsync(600_000);
      expect(server.reads).toEqual([0]);
      server.following.retry();
      await vi.advanceTimersByTimeAsync(600_000);
      expect(server.problems).toEqual([status, status]);
      server.following.retry();
      await vi.advanceTimersByTimeAsync(0);
      expect(server.text()).toBe(WORDS.join(''));
      expect(server.problems).toEqual([status, status, null]);
    },
  );

  it('retries a stream that ends before it has sent all events', async () => {
    vi.useFakeTimers();
    const server = follower(EVENTS.slice(0, 4));
    server.following.catchUp(EVENTS.length);
    await vi.advanceTimersByTimeAsync(0);
    expect(server.problems).toEqual([0]);
    await vi.advanceTimersByTimeAsync(500);
    expect(server.reads).toEqual([0, 4]);
  });

  it('pauses longer after each stream that brings only known events', async () => {
    vi.useFakeTimers();
    const server = follower(EVENTS.slice(0, 4), { repeats: true });
    server.following.catchUp(EVENTS.length);
    await vi.advanceTimersByTimeAsync(500 + 1_000 + 2_000);
    expect(server.reads).toEqual([0, 4, 4, 4]);
  });

  it('retries nothing once another conversation is shown', async () => {
    vi.useFakeTimers();
    const server = follower(EVENTS, { fails: 1 });
    server.following.catchUp(EVENTS.length);
    await vi.advanceTimersByTimeAsync(0);
    server.following.reset();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.reads).toEqual([0]);
    expect(server.problems).toEqual([0, null]);
  });

  it('catches up with a run that is silent or parked', async () => {
    const server = follower(EVENTS);
    server.following.catchUp(EVENTS.length);
    await server.settle();
    expect(server.text()).toBe(WORDS.join(''));
  });

  it('discards pending events when another conversation is shown', async () => {
    const server = follower(EVENTS);
    server.following.catchUp(EVENTS.length);
    server.following.reset();
    await server.settle();
    expect(server.text()).toBeNull();
  });
});
