import { describe, expect, test } from 'vitest';
import { ANNE, LEASE_MS, createCommit, deltas, newRun } from '../conversation.ts';
import type { ConformanceBench } from './setup.ts';
import { P1, P2 } from './setup.ts';

/** One holder at a time, and how runs move between processes. */
export function describeLeases(bench: ConformanceBench): void {
  describe('leases', () => {
    test('hold a run for one process until they expire, then fence it', async () => {
      await bench.startRun('r1', { state: { step: 3 } });
      const other = await bench.engine.handle();
      expect(await other.claimExpired(P2, 10)).toEqual([]);
      expect(await other.acquireLease('r1', P2)).toBeNull();
      await bench.clock.advance(LEASE_MS);
      const [taken, ...more] = await other.claimExpired(P2, 10);
      expect(taken).toMatchObject({ id: 'r1', ownerId: 'anne', fence: 2, lastSeq: 0, state: { step: 3 } });
      expect(more).toEqual([]);
      expect(await bench.commit(createCommit('r1', { events: deltas('r1', 0, 1) }))).toMatchObject({
        outcome: 'stale',
        now: { fence: 2 },
      });
      expect(await bench.store.releaseLease('r1', 1)).toBe(false);
      const mine = createCommit('r1', { fence: 2, events: deltas('r1', 0, 1) });
      expect(await bench.commit(mine, other)).toMatchObject({ outcome: 'committed' });
    });

    test('taking over a run returns its state and the later events', async () => {
      await bench.startRun('r1');
      const state = { state: { messages: [], turn: 1 }, context: { phase: 'call_llm' }, seq: 2 };
      await bench.commit(createCommit('r1', { events: deltas('r1', 0, 2), state }));
      await bench.commit(createCommit('r1', { baseSeq: 2, events: deltas('r1', 2, 3) }));
      await bench.clock.advance(LEASE_MS);
      const [taken] = await bench.store.claimExpired(P2, 10);
      if (!taken) throw new Error('nothing to take over');
      expect(taken).toMatchObject({ state, lastSeq: 5 });
      const after = await bench.store.readEvents({ ownerId: taken.ownerId }, taken.id, state.seq, 100);
      expect(after).toEqual(deltas('r1', 2, 3));
    });

    test('two processes never take over the same run', async () => {
      for (const id of ['r1', 'r2', 'r3']) await bench.startRun(id);
      await bench.clock.advance(LEASE_MS);
      const other = await bench.engine.handle();
      const first = await bench.store.claimExpired(P1, 2);
      const second = await other.claimExpired(P2, 10);
      expect([...first, ...second].map(({ id }) => id).sort()).toEqual(['r1', 'r2', 'r3']);
      expect(first).toHaveLength(2);
    });

    test('one renewal extends all leases of a process, and reports waiting items and lost runs', async () => {
      for (const id of ['r1', 'r2', 'r3']) await bench.startRun(id);
      await bench.clock.advance(LEASE_MS - 1);
      await bench.store.putInbox(ANNE, 'r2', { id: 'x', kind: 'cancel', body: null, at: 1 });
      await bench.store.putInbox(ANNE, 'r3', { id: 'y', kind: 'steer', body: 'shorter', at: 1 });
      await bench.store.renewLeases(P1);
      await bench.clock.advance(LEASE_MS - 1);
      expect(await bench.store.claimExpired(P2, 10)).toEqual([]);
      await bench.clock.advance(1);
      await bench.store.acquireLease('r1', P2);
      const renewed = [...(await bench.store.renewLeases(P1))].sort((a, b) => a.runId.localeCompare(b.runId));
      expect(renewed).toEqual([
        { runId: 'r2', fence: 1, cancelRequested: true, inboxWaits: true },
        { runId: 'r3', fence: 1, cancelRequested: false, inboxWaits: true },
      ]);
    });

    test('a single run is renewed by its holder under its fence', async () => {
      await bench.startRun('r1');
      await bench.startRun('r2');
      await bench.clock.advance(LEASE_MS - 1);
      await bench.store.putInbox(ANNE, 'r1', { id: 'x', kind: 'cancel', body: null, at: 1 });
      expect(await bench.store.renewLease('r1', 1, P2)).toBeNull();
      expect(await bench.store.renewLease('r1', 2, P1)).toBeNull();
      expect(await bench.store.renewLease('r1', 1, P1)).toEqual({
        runId: 'r1',
        fence: 1,
        cancelRequested: true,
        inboxWaits: true,
      });
      await bench.clock.advance(1);
      expect(await bench.store.claimExpired(P2, 10)).toMatchObject([{ id: 'r2' }]);
    });

    test('runs of a tab or a terminal are not taken over automatically', async () => {
      await bench.startRun('r1', { place: 'browser' });
      await bench.clock.advance(LEASE_MS);
      expect(await bench.store.claimExpired(P2, 10)).toEqual([]);
      expect(await bench.store.acquireLease('r1', P2)).toMatchObject({ fence: 2 });
    });

    test('any process can take a queued run', async () => {
      await bench.engine.createConversation(ANNE, 'c9');
      const { lease: _lease, ...run } = newRun('r1', 'c9');
      expect(await bench.store.createRun(ANNE, run)).toMatchObject({ run: { status: 'queued', fence: 0 } });
      expect(await bench.store.claimExpired(P1, 10)).toMatchObject([{ id: 'r1', fence: 1 }]);
    });
  });
}
