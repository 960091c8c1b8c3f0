import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { ANNE, createCommit, deltas, LEASE_MS, newRun, userMessage, reply } from '../conversation.ts';
import type { ConformanceBench } from './setup.ts';
import { P1, P2 } from './setup.ts';

/** The hot path: atomic, gapless and fenced. */
export function describeCommitting(bench: ConformanceBench): void {
  describe('commit', () => {
    test('returns events complete and in order, from any cursor', async () => {
      await bench.startRun('r1');
      const events = deltas('r1', 0, 5);
      expect(await bench.commit(createCommit('r1', { events }))).toEqual({ outcome: 'committed', lastSeq: 5 });
      expect(await bench.store.readEvents(ANNE, 'r1', 0, 10)).toEqual(events);
      expect(await bench.seqs('r1', 2, 2)).toEqual([3, 4]);
      expect(await bench.seqs('r1', 5)).toEqual([]);
    });

    test('rejects only the stale item, and reports the position of its run', async () => {
      await bench.startRun('r1');
      await bench.startRun('r2');
      const outcomes = await bench.store.commit([
        createCommit('r1', { baseSeq: 7, events: deltas('r1', 7, 1) }),
        createCommit('r2', { events: deltas('r2', 0, 1) }),
        createCommit('r1', { fence: 0, events: deltas('r1', 0, 1) }),
        createCommit('gone', { events: deltas('gone', 0, 1) }),
      ]);
      const now = { fence: 1, lastSeq: 0, status: 'running' };
      expect(outcomes).toEqual([
        { outcome: 'stale', now },
        { outcome: 'committed', lastSeq: 1 },
        { outcome: 'stale', now },
        { outcome: 'stale', now: null },
      ]);
      expect(await bench.seqs('r1')).toEqual([]);
      expect(await bench.seqs('r2')).toEqual([1]);
    });

    test('rejects the tokens of a run that was taken over, and stores those of the others', async () => {
      const runIds = ['r1', 'r2', 'r3', 'r4'];
      for (const runId of runIds) await bench.startRun(runId);
      await bench.commit(createCommit('r2', { release: true }));
      expect(await (await bench.engine.handle()).acquireLease('r2', P2)).toMatchObject({ fence: 2 });
      await bench.commit(createCommit('r4', { release: true }));
      const tokenCommit = (runId: string) => createCommit(runId, { events: deltas(runId, 0, 2), state: { of: runId } });
      expect(await bench.store.commit(runIds.map(tokenCommit))).toEqual([
        { outcome: 'committed', lastSeq: 2 },
        { outcome: 'stale', now: { fence: 2, lastSeq: 0, status: 'running' } },
        { outcome: 'committed', lastSeq: 2 },
        { outcome: 'stale', now: { fence: 1, lastSeq: 0, status: 'running' } },
      ]);
      expect(await Promise.all(runIds.map((runId) => bench.seqs(runId)))).toEqual([[1, 2], [], [1, 2], []]);
      // The state of the first run was not written either, that of the others was.
      const readState = async (runId: string): Promise<unknown> => (await bench.store.acquireLease(runId, P1))?.state;
      expect(await readState('r4')).toBeNull();
      await bench.commit(createCommit('r3', { baseSeq: 2, release: true }));
      expect(await readState('r3')).toEqual({ of: 'r3' });
    });

    test('counts a commit sent twice once', async () => {
      await bench.startRun('r1');
      const item = createCommit('r1', { events: deltas('r1', 0, 2) });
      const outcomes = await bench.store.commit([item, item]);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(['committed', 'stale']);
      expect(await bench.seqs('r1')).toEqual([1, 2]);
    });

    test('answers a repeated numbered commit equally and changes nothing, whatever its content', async () => {
      await bench.startRun('r1');
      await bench.store.putInbox(ANNE, 'r1', { id: 'said', kind: 'steer', body: null, at: 1 });
      const tool = { serverId: 'files', name: 'read' };
      const first = createCommit('r1', {
        usage: [{ kind: 'tool', at: 5, durationMs: 1, tool, failed: false }],
        ledger: [
          { change: 'plan', callId: 'call', tool, arguments: {} },
          { change: 'move', callId: 'call', from: 'planned', to: 'sent' },
        ],
        taken: ['said'],
        numbered: { number: 1, digest: 'a' },
      });
      expect(await bench.commit(first)).toEqual({ outcome: 'committed', lastSeq: 0 });
      const again = { outcome: 'committed', lastSeq: 0, again: true };
      const other = await bench.engine.handle();
      expect(await Promise.all([bench.commit(first), bench.commit(first, other)])).toEqual([again, again]);

      const second = createCommit('r1', { events: deltas('r1', 0, 1), numbered: { number: 2, digest: 'b' } });
      expect(await bench.commit(second)).toEqual({ outcome: 'committed', lastSeq: 1 });
      expect(await bench.commit(second)).toEqual({ outcome: 'committed', lastSeq: 1, again: true });
    });

    test('counts a numbered commit sent twice concurrently once', async () => {
      await bench.startRun('r1');
      const other = await bench.engine.handle();
      const item = createCommit('r1', { state: { step: 1 }, numbered: { number: 1, digest: 'a' } });
      const outcomes = await Promise.all([bench.commit(item), bench.commit(item, other), bench.commit(item)]);
      expect(outcomes.filter((outcome) => !('again' in outcome))).toEqual([{ outcome: 'committed', lastSeq: 0 }]);
    });

    test('rejects a numbered commit out of order or with different content, and changes nothing', async () => {
      await bench.startRun('r1');
      const early = createCommit('r1', { events: deltas('r1', 0, 1), numbered: { number: 2, digest: 'a' } });
      expect(await bench.commit(early)).toEqual({ outcome: 'invalid', problem: 'commit 2 instead of 1' });
      expect(await bench.commit(createCommit('r1', { numbered: { number: 1, digest: 'a' } }))).toMatchObject({
        lastSeq: 0,
      });
      const another = createCommit('r1', { events: deltas('r1', 0, 1), numbered: { number: 1, digest: 'b' } });
      expect(await bench.commit(another)).toEqual({ outcome: 'invalid', problem: 'commit 1 instead of 2' });
      expect(await bench.seqs('r1')).toEqual([]);
      // The next holder starts with number 1.
      await bench.clock.advance(LEASE_MS);
      await bench.store.acquireLease('r1', P2);
      const next = createCommit('r1', { fence: 2, events: deltas('r1', 0, 1), numbered: { number: 1, digest: 'c' } });
      expect(await bench.commit(next)).toEqual({ outcome: 'committed', lastSeq: 1 });
      expect(await bench.commit(another)).toMatchObject({ outcome: 'stale' });
    });

    test('rejects a gap, an event of another run and invalid JSON without affecting other items', async () => {
      await bench.startRun('r1');
      await bench.startRun('r2');
      const gap = deltas('r1', 0, 3).filter(({ seq }) => seq !== 2);
      const fraction = deltas('r1', 0, 1).map((event) => ({ ...event, at: 0.5 }));
      const endless: { self?: object } = {};
      endless.self = endless;
      const outcomes = await bench.store.commit([
        createCommit('r1', { events: gap }),
        createCommit('r1', { events: deltas('r2', 0, 1) }),
        createCommit('r1', { events: fraction }),
        createCommit('r1', { state: endless }),
        createCommit('r2', { events: deltas('r2', 0, 1) }),
      ]);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual([
        ...['invalid', 'invalid', 'invalid', 'invalid'],
        'committed',
      ]);
      expect(await bench.seqs('r1')).toEqual([]);
    });

    test('rolls back an item that is rejected late', async () => {
      await bench.startRun('r1');
      const message = reply('r1.0', { parentId: 'r1.question', runId: 'r1', text: 'no' });
      const item = createCommit('r1', {
        events: deltas('r1', 0, 2),
        state: { step: 9 },
        status: 'done',
        messages: [{ conversationId: 'c-r1', message }],
        leaf: { from: 'r1.question', to: 'r1.0' },
        taken: ['never put'],
      });
      expect(await bench.commit(item)).toMatchObject({ outcome: 'invalid' });
      expect(await bench.store.getRun(ANNE, 'r1')).toMatchObject({ status: 'running', lastSeq: 0 });
      expect(await bench.engine.messageIds(ANNE, 'c-r1')).toEqual(['r1.question']);
      expect(await bench.commit(createCommit('r1', { events: deltas('r1', 0, 1) }))).toMatchObject({
        outcome: 'committed',
      });
    });

    test('replaces the placeholder by the answer; another run cannot overwrite the user message', async () => {
      await bench.startRun('r1', {
        messages: [userMessage('q'), reply('r1.0', { parentId: 'q', runId: 'r1', text: '' })],
        leaf: 'r1.0',
      });
      const message = reply('r1.0', { parentId: 'q', runId: 'r1', text: 'Nine.' });
      const messages = [{ conversationId: 'c-r1', message }];
      expect(await bench.commit(createCommit('r1', { messages, status: 'done' }))).toMatchObject({
        outcome: 'committed',
      });
      await bench.store.createRun(ANNE, newRun('r2', 'c-r1', { messages: [userMessage('q2', 'r1.0')], leaf: 'q2' }));
      expect(await bench.commit(createCommit('r2', { messages }))).toMatchObject({ outcome: 'invalid' });
    });

    test('does not move a user back who switched to another branch', async () => {
      await bench.startRun('r1');
      const answer = (id: string) => ({
        conversationId: 'c-r1',
        message: reply(id, { parentId: 'r1.question', runId: 'r1', text: id }),
      });
      await bench.commit(createCommit('r1', { messages: [answer('a')], leaf: { from: 'r1.question', to: 'a' } }));
      expect(await bench.engine.readLeaf(ANNE, 'c-r1')).toBe('a');
      await bench.engine.setLeaf(ANNE, 'c-r1', 'r1.question');
      await bench.commit(createCommit('r1', { messages: [answer('b')], leaf: { from: 'a', to: 'b' } }));
      expect(await bench.engine.readLeaf(ANNE, 'c-r1')).toBe('r1.question');
    });

    test('stores text that engines cannot represent with replacement characters', async () => {
      await bench.startRun('r1');
      const events = deltas('r1', 0, 1).map((event) => ({ ...event, text: 'a\0\ud800' }));
      await bench.commit(createCommit('r1', { events }));
      expect(await bench.store.readEvents(ANNE, 'r1', 0, 1)).toMatchObject([{ text: 'a\uFFFD\uFFFD' }]);
    });

    test('rejects commits to a run that has ended or was released', async () => {
      await bench.startRun('r1');
      await bench.startRun('r2');
      await bench.commit(createCommit('r1', { status: 'failed' }));
      await bench.commit(createCommit('r2', { status: 'parked', release: true }));
      expect(await bench.commit(createCommit('r1', { events: deltas('r1', 0, 1) }))).toMatchObject({
        outcome: 'stale',
      });
      expect(await bench.commit(createCommit('r2', { events: deltas('r2', 0, 1) }))).toMatchObject({
        outcome: 'stale',
      });
      expect(await bench.store.acquireLease('r1', P1)).toBeNull();
    });

    test('deletes the run with its conversation', async () => {
      await bench.startRun('r1');
      await bench.commit(createCommit('r1', { events: deltas('r1', 0, 2), state: { step: 1 } }));
      await bench.engine.purgeConversation(ANNE, 'c-r1');
      expect(await bench.commit(createCommit('r1', { baseSeq: 2 }))).toEqual({ outcome: 'stale', now: null });
      expect(await bench.store.readEvents(ANNE, 'r1', 0, 10)).toBeNull();
    });

    test('gives the result of a simple model for interleaved commits of two processes', async () => {
      // New runs in each round, also during shrinking.
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(interleavedStep, { maxLength: 40 }), async (steps) => {
          await followModel(String(round++), steps);
        }),
        cases(25),
      );
    });

    /** Both processes assume a state of each run; the model has the actual one. */
    async function followModel(round: string, steps: readonly InterleavedStep[]): Promise<void> {
      const handles = [bench.store, await bench.engine.handle()] as const;
      const runIds = [`${round}-a`, `${round}-b`];
      const model = new Map<string, { fence: number; lastSeq: number; leased: boolean }>();
      for (const runId of runIds) {
        await bench.startRun(runId);
        model.set(runId, { fence: 1, lastSeq: 0, leased: true });
      }
      for (const step of steps) {
        const runId = runIds[step.run] ?? '';
        const handle = handles[step.handle] ?? bench.store;
        const actual = model.get(runId);
        if (!actual) throw new Error('no such run in the model');
        switch (step.do) {
          case 'commit': {
            const fence = actual.fence - step.behind;
            const baseSeq = Math.max(0, actual.lastSeq + step.offset);
            const fits = actual.leased && fence === actual.fence && baseSeq === actual.lastSeq;
            const outcome = await bench.commit(
              createCommit(runId, { fence, baseSeq, events: deltas(runId, baseSeq, step.count) }),
              handle,
            );
            expect(outcome.outcome).toBe(fits ? 'committed' : 'stale');
            if (fits) actual.lastSeq += step.count;
            break;
          }
          case 'acquire': {
            const leased = await handle.acquireLease(runId, P2);
            expect(leased?.fence ?? null).toBe(actual.leased ? null : actual.fence + 1);
            if (leased) Object.assign(actual, { fence: leased.fence, leased: true });
            break;
          }
          case 'release': {
            expect(await handle.releaseLease(runId, actual.fence)).toBe(actual.leased);
            actual.leased = false;
            break;
          }
        }
      }
      for (const [runId, { lastSeq }] of model) {
        expect(await bench.seqs(runId)).toEqual(Array.from({ length: lastSeq }, (_none, index) => index + 1));
        expect(await bench.store.getRun(ANNE, runId)).toMatchObject({ lastSeq });
      }
    }
  });
}

type InterleavedStep =
  | { do: 'commit'; run: number; handle: number; behind: number; offset: number; count: number }
  | { do: 'acquire' | 'release'; run: number; handle: number };

const where = { run: fc.nat(1), handle: fc.nat(1) };
const interleavedStep: fc.Arbitrary<InterleavedStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('commit' as const),
      ...where,
      behind: fc.constantFrom(0, 0, 0, 1),
      offset: fc.constantFrom(0, 0, 0, -1, 1),
      count: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('acquire' as const, 'release' as const), ...where }) },
);
