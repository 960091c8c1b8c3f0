import { beforeEach, describe, expect, test } from 'vitest';
import { ANNE, BERT, approval, createCommit, deltas, newRun, userMessage } from '../conversation.ts';
import type { ConformanceBench } from './setup.ts';

/** Data of other owners is inaccessible. */
export function describeOwners(bench: ConformanceBench): void {
  describe('another owner', () => {
    beforeEach(async () => {
      await bench.store.createRun(ANNE, newRun('r1', 'c1'));
      const opened = [{ interrupt: approval('i1'), mode: 'parked' as const }];
      await bench.commit(createCommit('r1', { events: deltas('r1', 0, 3), interrupts: { opened } }));
    });

    test('finds no run, event, call or interrupt', async () => {
      expect(await bench.store.getRun(BERT, 'r1')).toBeNull();
      expect(await bench.store.listRuns(BERT, { limit: 10 })).toEqual([]);
      expect(await bench.store.readEvents(BERT, 'r1', 0, 10)).toBeNull();
      expect(await bench.store.readLedger(BERT, 'r1')).toBeNull();
      expect(await bench.store.listInterrupts(BERT, { limit: 10 })).toEqual([]);
    });

    test('can neither cancel nor answer nor start anything', async () => {
      const cancel = { id: 'x', kind: 'cancel', body: null, at: 1 } as const;
      expect(await bench.store.putInbox(BERT, 'r1', cancel)).toEqual({ outcome: 'not_found' });
      const yes = { decision: 'approve', scope: 'once' } as const;
      expect(await bench.store.answerInterrupt(BERT, 'i1', yes, 1)).toEqual({ outcome: 'not_found' });
      await bench.commit(createCommit('r1', { baseSeq: 3, status: 'done' }));
      expect(await bench.store.createRun(BERT, newRun('r2', 'c1'))).toEqual({ outcome: 'not_found' });
      await bench.engine.createConversation(BERT, 'c2');
      const child = newRun('r2', 'c2', { parentRunId: 'r1' });
      expect(await bench.store.createRun(BERT, child)).toEqual({ outcome: 'not_found' });
      await expect(async () => bench.store.createRun(BERT, newRun('r1', 'c2'))).rejects.toThrow(/taken/);
    });

    test('cannot have runs of ours write to their conversation', async () => {
      await bench.engine.createConversation(BERT, 'c2');
      const message = userMessage('m1');
      const item = createCommit('r1', { baseSeq: 3, messages: [{ conversationId: 'c2', message }] });
      expect(await bench.commit(item)).toMatchObject({ outcome: 'invalid' });
      expect(await bench.engine.messageIds(BERT, 'c2')).toEqual([]);
    });

    test('can use the same message id without affecting ours', async () => {
      await bench.engine.createConversation(BERT, 'c2');
      const run = newRun('r2', 'c2', { messages: [userMessage('r1.question')], leaf: 'r1.question' });
      expect(await bench.store.createRun(BERT, run)).toMatchObject({ outcome: 'created' });
      expect(await bench.engine.messageIds(ANNE, 'c1')).toEqual(['r1.question']);
    });
  });
}
