import { describe, expect, it } from 'vitest';
import type { RunEvent, RunEventBody } from '@toolyard/protocol';
import { RunFollower } from './run-follower.ts';
import { eventsOf, run, userMessage, view } from './test-events.ts';
import { openTranscript } from './transcript.ts';
import type { Transcript } from './transcript.ts';

const USER_MESSAGE = userMessage('u1', 'Count.');
const WORDS = ['one ', 'two ', 'three ', 'four ', 'five '];
const EVENTS = eventsOf('r1', [
  { type: 'run_started', conversationId: 'c1', place: 'server', model: 'demo', message: USER_MESSAGE },
  { type: 'message_started', messageId: 'r1.0', parentId: 'u1', model: 'demo' },
  ...WORDS.map((text): RunEventBody => ({ type: 'text_delta', messageId: 'r1.0', text })),
]);

/** A follower with a server that has stored `stored` and sends nothing else. */
function follower(stored: readonly RunEvent[], options: { fails?: number } = {}) {
  let transcript: Transcript | null = openTranscript(view([USER_MESSAGE], { activeRun: run('r1') }));
  let fails = options.fails ?? 0;
  const reads: number[] = [];
  const settled: Promise<unknown>[] = [];
  const following = new RunFollower({
    get: () => transcript,
    set: (next) => (transcript = next),
    soon: (flush) => flush(),
    async *read(_runId, after) {
      reads.push(after);
      let done: () => void = () => undefined;
      settled.push(new Promise<void>((resolve) => (done = resolve)));
      try {
        await Promise.resolve();
        if (fails-- > 0) throw new Error('no connection');
        for (const event of stored) if (event.seq > after) yield [event];
      } finally {
        done();
      }
    },
  });
  return {
    following,
    reads,
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

  it('retries with the next event after loading failed', async () => {
    const server = follower(EVENTS.slice(0, 6), { fails: 1 });
    for (const event of EVENTS.slice(4, 6)) server.following.take(event);
    await server.settle();
    expect(server.text()).toBeNull();
    for (const event of EVENTS.slice(6)) server.following.take(event);
    await server.settle();
    expect(server.text()).toBe(WORDS.join(''));
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
