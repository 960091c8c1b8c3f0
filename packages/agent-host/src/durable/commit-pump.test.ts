import { describe, expect, test } from 'vitest';
import type { CommitOutcome, RunCommit, RunEvent } from '@toolyard/protocol';
import type { FakeClock } from '@toolyard/testing';
import { createFakeClock } from '@toolyard/testing';
import { CommitPump } from './commit-pump.ts';
import { RunLost } from './run-lost.ts';
import { RunWriter } from './run-writer.ts';

type Store = { commit: (items: readonly RunCommit[]) => CommitOutcome[] | Promise<CommitOutcome[]> };

const stored = (items: readonly RunCommit[]): CommitOutcome[] =>
  items.map((item) => ({ outcome: 'committed', lastSeq: item.baseSeq + item.events.length }));
/** Resolves after this time of the test's clock. */
const after = (clock: FakeClock, ms: number, outcomes: CommitOutcome[]): Promise<CommitOutcome[]> =>
  new Promise((resolve) => clock.after(ms, () => resolve(outcomes)));
const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function setUp(store: Partial<Store> = {}, options: { maxDelayMs?: number } = {}) {
  const clock = createFakeClock();
  const groups: (readonly RunCommit[])[] = [];
  const published: RunEvent[] = [];
  const failures: unknown[] = [];
  const pump = new CommitPump({
    store: {
      commit(items) {
        groups.push(items);
        return (store.commit ?? stored)(items);
      },
    },
    clock,
    publish: (_ownerId, events) => published.push(...events),
    onFailure: (error) => failures.push(error),
    ...options,
  });
  const lost: RunLost[] = [];
  const writer = (id: string): RunWriter =>
    new RunWriter({
      run: { id, ownerId: 'anne', conversationId: 'c', fence: 1, lastSeq: 0, updatedAt: 0 },
      pump,
      clock,
      keepMedia: (value) => Promise.resolve(value),
      onLost: (why) => lost.push(why),
    });
  const writeDelta = (to: RunWriter, text: string): void =>
    to.event({ type: 'text_delta', messageId: 'm', text }, { step: 0, attempt: 1 }, 'soon');
  return { clock, groups, published, failures, lost, writer, writeDelta, pump };
}

const texts = (events: readonly RunEvent[]): string[] =>
  events.flatMap((e) => (e.type === 'text_delta' ? [e.text] : []));

describe('CommitPump', () => {
  test('writes the first delta after a pause at once, and the rest in groups with other runs', async () => {
    const { clock, groups, published, writer, writeDelta } = setUp();
    const [one, two] = [writer('r1'), writer('r2')];
    writeDelta(one, 'a');
    await turns();
    expect(texts(published)).toEqual(['a']);
    writeDelta(one, 'b');
    writeDelta(one, 'c');
    writeDelta(two, 'x');
    await turns();
    expect(groups).toHaveLength(1);
    await clock.advance(15);
    expect(groups).toHaveLength(2);
    expect(texts(published)).toEqual(['a', 'bc', 'x']);
    await clock.advance(1_000);
    expect(groups).toHaveLength(2);
    writeDelta(two, 'y');
    await turns();
    expect(groups).toHaveLength(3);
  });

  test('writes everything with an urgent item, and publishes nothing before it is stored', async () => {
    let finish: (outcomes: CommitOutcome[]) => void = () => {};
    const { groups, published, writer, writeDelta } = setUp({
      commit: () => new Promise((resolve) => (finish = resolve)),
    });
    const run = writer('r1');
    writeDelta(run, 'a');
    const saved = run.save({ state: { step: 1 } });
    await turns();
    expect(groups.map((items) => items.map(({ events, state }) => [texts(events), state]))).toEqual([
      [[['a'], { step: 1 }]],
    ]);
    // Arrives while the first group is being stored: the next group contains it.
    writeDelta(run, 'b');
    const second = run.flushed();
    await turns();
    expect(groups).toHaveLength(1);
    expect(published).toEqual([]);
    finish([{ outcome: 'committed', lastSeq: 1, inboxWaits: true }]);
    expect(await saved).toEqual({ inboxWaits: true });
    expect(texts(published)).toEqual(['a']);
    await turns();
    expect(groups[1]).toMatchObject([{ baseSeq: 1, events: [{ seq: 2 }] }]);
    finish([{ outcome: 'committed', lastSeq: 2 }]);
    await second;
    expect(texts(published)).toEqual(['a', 'b']);
  });

  test('waits longer between groups of a slow store', async () => {
    const quick = setUp();
    const slow = setUp({
      commit: (items) => after(slow.clock, 20, stored(items)),
    });
    for (const { writer, writeDelta, clock } of [quick, slow]) {
      const run = writer('r1');
      for (let word = 0; word < 200; word++) {
        writeDelta(run, 'x');
        await clock.advance(5);
      }
    }
    expect(slow.groups.length).toBeLessThan(quick.groups.length / 2);
  });

  test('limits the wait between groups of a slow store', async () => {
    const slow = (maxDelayMs: number) => {
      const all = setUp({ commit: (items) => after(all.clock, 20, stored(items)) }, { maxDelayMs });
      return all;
    };
    const [patient, eager] = [slow(60), slow(30)];
    for (const { writer, writeDelta, clock } of [patient, eager]) {
      const run = writer('r1');
      for (let word = 0; word < 400; word++) {
        writeDelta(run, 'x');
        await clock.advance(5);
      }
    }
    expect(eager.groups.length).toBeGreaterThan(1.2 * patient.groups.length);
  });

  test('commits each run of a busy process when its own delay has passed', async () => {
    const { clock, groups, published, writer, writeDelta } = setUp({
      commit: (items) => after(clock, 10, stored(items)),
    });
    const runs = Array.from({ length: 20 }, (_none, index) => writer(`r${String(index)}`));
    let written = '';
    const speak = async (run: RunWriter, letter: string): Promise<void> => {
      writeDelta(run, letter);
      written += letter;
      await clock.advance(1);
    };
    for (let round = 0; round < 20; round++) for (const run of runs) await speak(run, String(round % 10));
    const late = groups.slice(-10).map((items) => items.length);
    expect(Math.max(...late)).toBeLessThan(runs.length);
    // An urgent item is written at once and alone; the deltas of the others follow after their delay.
    const before = groups.length;
    const saved = runs[0]?.save({ state: {} });
    await clock.advance(20);
    await saved;
    expect(groups.slice(before).some((items) => items.some(({ state }) => state !== undefined))).toBe(true);
    await clock.advance(1_000);
    expect(texts(published).join('')).toHaveLength(written.length);
    // The process was idle.
    const quiet = groups.length;
    for (const run of runs) writeDelta(run, 'z');
    await turns();
    expect(groups.slice(quiet).map((items) => items.length)).toEqual([runs.length]);
  });

  test('drain stores everything, whatever its delay', async () => {
    const { clock, published, writer, writeDelta, pump } = setUp({
      commit: (items) => after(clock, 20, stored(items)),
    });
    const [one, two] = [writer('r1'), writer('r2')];
    for (let word = 0; word < 100; word++) {
      writeDelta(one, 'x');
      writeDelta(two, 'y');
      await clock.advance(5);
    }
    const drained = pump.drain();
    await clock.advance(100);
    await drained;
    const publishedText = texts(published).join('');
    expect([publishedText.replaceAll('y', '').length, publishedText.replaceAll('x', '').length]).toEqual([100, 100]);
  });

  test('loses only the stale run', async () => {
    const { writer, writeDelta, lost, published } = setUp({
      commit: (items) =>
        items.map((item) =>
          item.runId === 'r1'
            ? { outcome: 'stale', now: null }
            : (stored([item])[0] ?? { outcome: 'stale', now: null }),
        ),
    });
    const [one, two] = [writer('r1'), writer('r2')];
    writeDelta(one, 'a');
    writeDelta(two, 'b');
    const results = await Promise.allSettled([one.save({ state: {} }), two.save({ state: {} })]);
    expect(results).toMatchObject([{ status: 'rejected', reason: { reason: 'stale' } }, { status: 'fulfilled' }]);
    expect(lost.map(({ reason }) => reason)).toEqual(['stale']);
    expect(texts(published)).toEqual(['b']);
    await expect(one.flushed()).rejects.toBeInstanceOf(RunLost);
  });

  test('loses the runs of a failed commit, and only those', async () => {
    let broken = true;
    const { writer, writeDelta, lost, failures } = setUp({
      commit: (items) => {
        if (broken) throw new Error('disk full');
        return stored(items);
      },
    });
    const [one, two, idle] = [writer('r1'), writer('r2'), writer('r3')];
    writeDelta(one, 'a');
    writeDelta(two, 'b');
    await turns();
    expect(lost.map(({ reason }) => reason)).toEqual(['engine', 'engine']);
    expect(failures).toHaveLength(1);
    broken = false;
    await idle.save({ state: {} });
  });
});
