import type { RunStore, StoredInterrupt } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import { ANNE, approval, createCommit } from '../conversation.ts';
import type { ConformanceBench } from './setup.ts';
import { P1, P2 } from './setup.ts';

/** Interrupts stay open until answered, once. */
export function describeInterrupts(bench: ConformanceBench): void {
  describe('interrupts', () => {
    const yes = { decision: 'approve', scope: 'once' } as const;
    const no = { decision: 'refuse', reason: 'not today' } as const;
    const opened = [{ interrupt: approval('i1'), mode: 'parked' as const }];

    beforeEach(async () => {
      await bench.startRun('r1');
      await bench.commit(createCommit('r1', { interrupts: { opened }, status: 'parked', release: true }));
    });

    test('are listed until answered, once; the answer wakes the parked run', async () => {
      expect(await bench.store.claimExpired(P2, 10)).toEqual([]);
      expect(await bench.store.listInterrupts(ANNE, { status: 'open', limit: 10 })).toMatchObject([
        { id: 'i1', runId: 'r1', conversationId: 'c-r1', mode: 'parked', interrupt: approval('i1'), answer: null },
      ]);
      expect(await bench.store.answerInterrupt(ANNE, 'i1', yes, 7)).toEqual({
        outcome: 'answered',
        runId: 'r1',
        leaseOwner: null,
      });
      const other = await bench.engine.handle();
      expect(await other.answerInterrupt(ANNE, 'i1', no, 8)).toEqual({ outcome: 'closed', answer: yes });
      expect(await bench.store.listInterrupts(ANNE, { status: 'open', limit: 10 })).toEqual([]);
      const [run] = await bench.store.claimExpired(P2, 10);
      expect(await bench.store.readInbox('r1', run?.fence ?? 0)).toMatchObject([
        { kind: 'answer', body: { interruptId: 'i1', answer: yes } },
      ]);
    });

    test('are listed page by page, also those opened at the same time', async () => {
      await bench.store.acquireLease('r1', P1);
      const more = ['i0', 'i2', 'i3'].map((id) => ({ interrupt: approval(id), mode: 'parked' as const }));
      await bench.commit(createCommit('r1', { fence: 2, interrupts: { opened: more } }));
      const seen: string[] = [];
      for (let after: StoredInterrupt | undefined; ;) {
        const query = { status: 'open', limit: 2, ...defined({ after }) } as const;
        const page = await bench.store.listInterrupts(ANNE, query);
        seen.push(...page.map(({ id }) => id));
        after = page.at(-1);
        if (!after) break;
      }
      const all = await bench.store.listInterrupts(ANNE, { runId: 'r1', limit: 9 });
      expect(seen).toEqual(all.map(({ id }) => id));
      expect(seen.toSorted()).toEqual(['i0', 'i1', 'i2', 'i3']);
    });

    test('are found by id, for their owner', async () => {
      const [listed] = await bench.store.listInterrupts(ANNE, { limit: 1 });
      expect(listed).toMatchObject({ id: 'i1' });
      expect(await bench.store.getInterrupt(ANNE, 'i1')).toEqual(listed);
      expect(await bench.store.getInterrupt({ ownerId: 'bert' }, 'i1')).toBeNull();
      expect(await bench.store.getInterrupt(ANNE, 'gone')).toBeNull();
    });

    test('stay answered if a repeated step opens them again', async () => {
      await bench.store.answerInterrupt(ANNE, 'i1', no, 7);
      const [run] = await bench.store.claimExpired(P2, 10);
      const again = createCommit('r1', { fence: run?.fence ?? 0, interrupts: { opened } });
      expect(await bench.commit(again)).toMatchObject({ outcome: 'committed' });
      expect(await bench.store.listInterrupts(ANNE, { runId: 'r1', limit: 10 })).toMatchObject([
        { status: 'answered', answer: no },
      ]);
    });

    test('answered by the run cannot be answered by the user, nor twice', async () => {
      await bench.store.acquireLease('r1', P1);
      const answered = [{ id: 'i1', answer: yes }];
      expect(await bench.commit(createCommit('r1', { fence: 2, interrupts: { answered } }))).toMatchObject({
        outcome: 'committed',
      });
      expect(await bench.commit(createCommit('r1', { fence: 2, interrupts: { answered } }))).toMatchObject({
        outcome: 'invalid',
      });
      expect(await bench.store.answerInterrupt(ANNE, 'i1', no, 7)).toEqual({ outcome: 'closed', answer: yes });
    });

    test("answered by the user concurrently keep the user's answer, and the run is notified", async () => {
      await bench.store.acquireLease('r1', P1);
      await bench.store.answerInterrupt(ANNE, 'i1', no, 7);
      const answered = [{ id: 'i1', answer: yes }];
      const late = createCommit('r1', { fence: 2, interrupts: { answered }, status: 'running' });
      expect(await bench.commit(late)).toEqual({ outcome: 'overtaken' });
      expect(await bench.store.getRun(ANNE, 'r1')).toMatchObject({ status: 'parked' });
      expect(await bench.store.readInbox('r1', 2)).toMatchObject([{ body: { interruptId: 'i1', answer: no } }]);
    });

    test('store a permission with the answer that counts, and only with that', async () => {
      const tool = { serverId: 'desk', name: 'act' };
      const allow = { tool, conversationId: 'c-r1', decision: 'allow', at: 7 } as const;
      await bench.store.answerInterrupt(ANNE, 'i1', yes, 7, { permission: allow });
      expect(await bench.engine.permissions(ANNE)).toEqual([allow]);
      const never = { tool, conversationId: null, decision: 'never', at: 8 } as const;
      expect(await bench.store.answerInterrupt(ANNE, 'i1', no, 8, { permission: never })).toMatchObject({
        outcome: 'closed',
      });
      expect(await bench.engine.permissions(ANNE)).toEqual([allow]);
    });

    test('apply the changes of an answer once, on top of concurrent ones', async () => {
      await bench.store.acquireLease('r1', P1);
      const second = [{ interrupt: approval('i2'), mode: 'parked' as const }];
      await bench.commit(createCommit('r1', { fence: 2, interrupts: { opened: second } }));
      const seen: unknown[] = [];
      const counting = (id: string) => ({
        what: 'conversations' as const,
        id,
        change: (stored: unknown) => (seen.push(stored), { answers: seen.length }),
      });
      const other = await bench.engine.handle();
      const answer = (store: RunStore, id: string, sideEffect = counting('c-r1')) =>
        store.answerInterrupt(ANNE, id, yes, 7, { sideEffect });
      expect(await answer(bench.store, 'i1', counting('gone'))).toEqual({ outcome: 'no_place' });
      const both = await Promise.all([answer(bench.store, 'i1'), answer(other, 'i1')]);
      expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['answered', 'closed']);
      expect(await answer(other, 'i2')).toMatchObject({ outcome: 'answered' });
      expect(seen.slice(1)).toEqual([{ answers: 1 }]);
    });

    test('are withdrawn when their run ends', async () => {
      await bench.store.acquireLease('r1', P1);
      await bench.commit(createCommit('r1', { fence: 2, status: 'cancelled' }));
      expect(await bench.store.listInterrupts(ANNE, { status: 'open', limit: 10 })).toEqual([]);
      expect(await bench.store.answerInterrupt(ANNE, 'i1', yes, 7)).toEqual({ outcome: 'closed', answer: null });
    });
  });
}
