import { describe, expect, test } from 'vitest';
import type { NewRun } from '@toolyard/protocol';
import { ANNE, BERT, createCommit, newRun } from '../conversation.ts';
import type { ConformanceBench } from './setup.ts';
import { P2 } from './setup.ts';

const child = (id: string, more: Partial<NewRun> = {}): NewRun =>
  newRun(id, id, {
    parentRunId: 'r1',
    newConversation: {
      title: `Task ${id}`,
      configuration: { servers: { files: false } },
      parent: { conversationId: 'c1', runId: 'r1', callId: 'r1.0.0' },
    },
    ...more,
  });

/** A run and its child runs: the end of one is stored together with the notifications of the others. */
export function describeRelatives(bench: ConformanceBench): void {
  describe('child runs', () => {
    test('are created with a conversation of their own, once', async () => {
      await bench.store.createRun(ANNE, newRun('r1', 'c1'));
      expect(await bench.store.createRun(ANNE, child('k1'))).toMatchObject({ outcome: 'created' });
      expect(await bench.store.createRun(ANNE, child('k1'))).toMatchObject({ outcome: 'exists', run: { id: 'k1' } });
      expect(await bench.engine.messageIds(ANNE, 'k1')).toEqual(['k1.question']);
      expect(await bench.store.listRuns(ANNE, { parentRunId: 'r1', limit: 9 })).toMatchObject([{ id: 'k1' }]);
      expect(await bench.store.listRuns(BERT, { parentRunId: 'r1', limit: 9 })).toEqual([]);
    });

    test('are the active run of their conversation', async () => {
      await bench.store.createRun(ANNE, newRun('r1', 'c1'));
      await bench.store.createRun(ANNE, child('k1'));
      const sent = newRun('r2', 'k1');
      expect(await bench.store.createRun(ANNE, sent)).toMatchObject({ outcome: 'conversation_busy', runId: 'k1' });
      await bench.commit(createCommit('k1', { status: 'done' }));
      expect(await bench.store.createRun(ANNE, sent)).toMatchObject({ outcome: 'created' });
    });

    test('put an item into the inbox of the parked parent with the commit that ends them', async () => {
      await bench.store.createRun(ANNE, newRun('r1', 'c1'));
      for (const id of ['k1', 'k2']) await bench.store.createRun(ANNE, child(id));
      await bench.commit(createCommit('r1', { status: 'parked', release: true }));
      expect(await bench.store.claimExpired(P2, 9)).toEqual([]);
      await bench.commit(createCommit('k1', { status: 'failed' }));
      await bench.commit(createCommit('k2', { status: 'running' }));
      expect(await bench.store.claimExpired(P2, 9)).toMatchObject([{ id: 'r1', fence: 2 }]);
      expect(await bench.store.readInbox('r1', 2)).toMatchObject([
        { id: 'child:k1', kind: 'child', body: { runId: 'k1' } },
      ]);
    });

    test('are cancelled by the commit that ends their parent, and not again', async () => {
      await bench.store.createRun(ANNE, newRun('r1', 'c1'));
      for (const id of ['k1', 'k2']) await bench.store.createRun(ANNE, child(id));
      await bench.commit(createCommit('k1', { status: 'done' }));
      await bench.commit(createCommit('r1', { status: 'cancelled' }));
      expect(await bench.store.readInbox('k2', 1)).toMatchObject([{ id: 'cancel', kind: 'cancel' }]);
      expect(await bench.store.putInbox(ANNE, 'k1', { id: 'x', kind: 'cancel', body: {}, at: 1 })).toEqual({
        outcome: 'run_over',
      });
      // The parent has ended: nothing is put into its inbox, and it starts no further child.
      await bench.commit(createCommit('k2', { status: 'cancelled' }));
      expect(await bench.store.createRun(ANNE, child('k3'))).toEqual({ outcome: 'not_found' });
      expect(await bench.store.claimExpired(P2, 9)).toEqual([]);
    });
  });
}
