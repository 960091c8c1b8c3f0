import { describe, expect, test } from 'vitest';
import { ANNE, BERT, LEASE_MS, createCommit, deltas } from '../conversation.ts';
import type { ConformanceBench } from './setup.ts';
import { P2 } from './setup.ts';

/** Inbox items are taken exactly once. */
export function describeInbox(bench: ConformanceBench): void {
  describe('inbox', () => {
    const steer = { id: 'x1', kind: 'steer', body: { text: 'in German' }, at: 5 } as const;

    test('takes an item exactly once, together with its effects', async () => {
      await bench.startRun('r1');
      expect(await bench.store.putInbox(ANNE, 'r1', steer)).toEqual({
        outcome: 'put',
        leaseOwner: 'process-1',
        status: 'running',
      });
      expect(await bench.store.putInbox(ANNE, 'r1', steer)).toEqual({ outcome: 'exists' });
      expect(await bench.store.readInbox('r1', 1)).toEqual([steer]);
      // A process that crashes here has taken nothing.
      expect(await bench.store.readInbox('r1', 1)).toEqual([steer]);
      const item = createCommit('r1', { events: deltas('r1', 0, 1), taken: ['x1'] });
      expect(await bench.commit(item)).toMatchObject({ outcome: 'committed' });
      expect(await bench.store.readInbox('r1', 1)).toEqual([]);
      expect(await bench.commit(createCommit('r1', { baseSeq: 1, taken: ['x1'] }))).toMatchObject({
        outcome: 'invalid',
      });
    });

    test('is read by the lease holder only, in order', async () => {
      await bench.startRun('r1');
      for (const id of ['b', 'a', 'c']) await bench.store.putInbox(ANNE, 'r1', { ...steer, id });
      expect((await bench.store.readInbox('r1', 1))?.map(({ id }) => id)).toEqual(['b', 'a', 'c']);
      await bench.clock.advance(LEASE_MS);
      await bench.store.acquireLease('r1', P2);
      expect(await bench.store.readInbox('r1', 1)).toBeNull();
      expect(await bench.store.readInbox('r1', 2)).toHaveLength(3);
    });

    test('lets the owner withdraw an item that was not taken', async () => {
      await bench.startRun('r1');
      await bench.store.putInbox(ANNE, 'r1', steer);
      expect(await bench.store.withdrawInbox(BERT, 'r1', 'x1')).toBe(false);
      expect(await bench.store.withdrawInbox(ANNE, 'r1', 'x1')).toBe(true);
      expect(await bench.store.withdrawInbox(ANNE, 'r1', 'x1')).toBe(false);
      expect(await bench.store.readInbox('r1', 1)).toEqual([]);
    });

    test('reports waiting items to a run that parks at the same moment', async () => {
      await bench.startRun('r1');
      await bench.store.putInbox(ANNE, 'r1', steer);
      const parked = createCommit('r1', { status: 'parked', release: true });
      expect(await bench.commit(parked)).toEqual({ outcome: 'committed', lastSeq: 0, inboxWaits: true });
      expect(await bench.store.claimExpired(P2, 10)).toMatchObject([{ id: 'r1', status: 'parked', fence: 2 }]);
    });

    test('accepts nothing for a run that has ended', async () => {
      await bench.startRun('r1');
      await bench.commit(createCommit('r1', { status: 'done' }));
      expect(await bench.store.putInbox(ANNE, 'r1', steer)).toEqual({ outcome: 'run_over' });
    });
  });
}
