import { describe, expect, test } from 'vitest';
import type { NewRun, Owner } from '@toolyard/protocol';
import { ANNE, BERT, createCommit, newRun, userMessage, reply } from '../conversation.ts';
import type { ConformanceBench } from './setup.ts';

/** Run, message and leaf are created atomically, with one active run per conversation. */
export function describeStarting(bench: ConformanceBench): void {
  describe('starting a run', () => {
    test('stores run, message, placeholder and leaf atomically', async () => {
      const placeholder = reply('r1.0', { parentId: 'r1.question', runId: 'r1', text: '' });
      const run = newRun('r1', 'c1', {
        messages: [userMessage('r1.question'), placeholder],
        leaf: 'r1.0',
        configuration: { model: 'demo' },
        state: { step: 0 },
      });
      const created = await bench.store.createRun(ANNE, run);
      expect(created).toMatchObject({
        outcome: 'created',
        run: { status: 'running', fence: 1, lastSeq: 0, configuration: { model: 'demo' }, state: { step: 0 } },
      });
      expect(await bench.engine.messageIds(ANNE, 'c1')).toEqual(['r1.question', 'r1.0']);
      expect(await bench.engine.readLeaf(ANNE, 'c1')).toBe('r1.0');
      expect(await bench.store.getRun(ANNE, 'r1')).toMatchObject({ conversationId: 'c1', endedAt: null });
    });

    test('stores nothing of the run if a message is invalid', async () => {
      const run = newRun('r1', 'c1', { messages: [userMessage('m1', 'nowhere')], leaf: 'm1' });
      expect(await bench.store.createRun(ANNE, run)).toMatchObject({ outcome: 'invalid' });
      expect(await bench.store.getRun(ANNE, 'r1')).toBeNull();
      expect(await bench.engine.messageIds(ANNE, 'c1')).toEqual([]);
    });

    test('starts one run if two tabs send concurrently', async () => {
      const other = await bench.engine.handle();
      const outcomes = [
        await bench.store.createRun(ANNE, newRun('r1', 'c1')),
        await other.createRun(ANNE, newRun('r2', 'c1')),
      ];
      expect(outcomes).toMatchObject([{ outcome: 'created' }, { outcome: 'conversation_busy', runId: 'r1' }]);
      expect(await bench.engine.messageIds(ANNE, 'c1')).toEqual(['r1.question']);
    });

    test('is possible when the previous one has ended; child runs at any time', async () => {
      await bench.store.createRun(ANNE, newRun('r1', 'c1'));
      const child = { parentRunId: 'r1', messages: [userMessage('child.question', 'r1.question')] };
      expect(await bench.store.createRun(ANNE, newRun('child', 'c1', child))).toMatchObject({ outcome: 'created' });
      await bench.commit(createCommit('r1', { status: 'done' }));
      expect(await bench.store.createRun(ANNE, newRun('r2', 'c1'))).toMatchObject({ outcome: 'created' });
    });

    test('removes the queued message that it sends, or stores nothing', async () => {
      for (const id of ['q1', 'q2']) await bench.engine.addQueued(ANNE, 'c1', id);
      const sent = (id: string, queuedMessageId: string) =>
        newRun(id, 'c1', { messages: [userMessage(queuedMessageId)], leaf: queuedMessageId, queuedMessageId });
      expect(await bench.store.createRun(ANNE, sent('r1', 'q1'))).toMatchObject({ outcome: 'created' });
      expect(await bench.engine.queuedIds(ANNE, 'c1')).toEqual(['q2']);
      expect(await bench.store.createRun(ANNE, sent('r2', 'q2'))).toMatchObject({ outcome: 'conversation_busy' });
      await bench.commit(createCommit('r1', { status: 'done' }));
      // The message was withdrawn or sent in the meantime.
      expect(await bench.store.createRun(ANNE, sent('r2', 'gone'))).toMatchObject({ outcome: 'invalid' });
      expect(await bench.store.getRun(ANNE, 'r2')).toBeNull();
      expect(await bench.engine.messageIds(ANNE, 'c1')).toEqual(['q1']);
      expect(await bench.engine.queuedIds(ANNE, 'c1')).toEqual(['q2']);
    });

    test('rejects a queued message of another conversation or owner', async () => {
      await bench.engine.createConversation(ANNE, 'c2');
      await bench.engine.createConversation(BERT, 'c3');
      await bench.engine.addQueued(ANNE, 'c2', 'q2');
      await bench.engine.addQueued(BERT, 'c3', 'q3');
      for (const queuedMessageId of ['q2', 'q3']) {
        const run = newRun('r1', 'c1', { queuedMessageId });
        expect(await bench.store.createRun(ANNE, run)).toMatchObject({ outcome: 'invalid' });
      }
      expect(await bench.engine.queuedIds(ANNE, 'c2')).toEqual(['q2']);
      expect(await bench.engine.queuedIds(BERT, 'c3')).toEqual(['q3']);
    });

    test("keeps the order of an owner's runs even if the clock is set back", async () => {
      await bench.engine.createConversation(ANNE, 'c2');
      await bench.engine.createConversation(BERT, 'c3');
      await bench.store.createRun(ANNE, newRun('r1', 'c1', { at: 5_000 }));
      const startRun = async (principal: Owner, run: NewRun) => {
        const created = await bench.store.createRun(principal, run);
        return created.outcome === 'created' ? created.run.createdAt : created;
      };
      expect(await startRun(ANNE, newRun('r2', 'c2', { at: 1_000 }))).toBe(5_000);
      expect(await startRun(BERT, newRun('r3', 'c3', { at: 1_000 }))).toBe(1_000);
      await bench.commit(createCommit('r1', { status: 'done' }));
      expect(await startRun(ANNE, newRun('r4', 'c1', { at: 6_000 }))).toBe(6_000);
    });

    test('finds the existing run for a repeated request', async () => {
      await bench.store.createRun(ANNE, newRun('r1', 'c1'));
      expect(await bench.store.createRun(ANNE, newRun('r1', 'c1'))).toMatchObject({
        outcome: 'exists',
        run: { id: 'r1' },
      });
    });
  });
}
