import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UserPart } from '@toolyard/protocol';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT, newRun } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** The queue of messages. */
export function describeQueue(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  const text = (value: string): UserPart[] => [{ type: 'text', text: value }];
  const order = async (): Promise<string[]> => (await storage.queue.list(ANNE, 'c1')).map(({ id }) => id);
  const large: UserPart[] = [{ type: 'image', mimeType: 'image/png', source: { data: 'A'.repeat(100_000) } }];

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
    await storage.conversations.create(ANNE, { id: 'c1', title: '', at: 1 });
    for (const id of ['a', 'b', 'c']) {
      await storage.queue.add(ANNE, { id, conversationId: 'c1', parts: text(id), at: 2 });
    }
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  describe('queue', () => {
    test('keeps its order, also after reopening the folder', async () => {
      await storage.close();
      storage = await home.open();
      expect(await order()).toEqual(['a', 'b', 'c']);
      expect(await storage.queue.get(ANNE, 'c1', 'b')).toEqual({
        id: 'b',
        conversationId: 'c1',
        parts: text('b'),
        createdAt: 2,
      });
    });

    test('stores a message sent twice once, unchanged', async () => {
      const again = await storage.queue.add(ANNE, { id: 'a', conversationId: 'c1', parts: text('other'), at: 9 });
      expect(again).toMatchObject({ id: 'a', parts: text('a'), createdAt: 2 });
      expect(await order()).toEqual(['a', 'b', 'c']);
    });

    test('rejects a message that the conversation already contains, whose run is known', async () => {
      await storage.runs.createRun(ANNE, { ...newRun('a', 'c1'), queuedMessageId: 'a' });
      const [stored] = await storage.messages.all(ANNE, 'c1');
      const id = stored?.id ?? '';
      expect(await storage.queue.add(ANNE, { id, conversationId: 'c1', parts: text('a'), at: 9 })).toBeNull();
      expect(await order()).toEqual(['b', 'c']);
      expect(await storage.messages.findRunId(ANNE, 'c1', id)).toBe('a');
      expect(await storage.messages.findRunId(BERT, 'c1', id)).toBeNull();
    });

    test('can be reordered', async () => {
      await storage.queue.change(ANNE, 'c1', 'c', { before: 'a' });
      expect(await order()).toEqual(['c', 'a', 'b']);
      await storage.queue.change(ANNE, 'c1', 'c', { before: null });
      expect(await order()).toEqual(['a', 'b', 'c']);
      await storage.queue.change(ANNE, 'c1', 'a', { before: 'c' });
      expect(await order()).toEqual(['b', 'a', 'c']);
      await storage.queue.change(ANNE, 'c1', 'a', { before: 'a' });
      expect(await order()).toEqual(['b', 'a', 'c']);
      await storage.queue.add(ANNE, { id: 'd', conversationId: 'c1', parts: text('d'), at: 3 });
      expect(await order()).toEqual(['b', 'a', 'c', 'd']);
    });

    test('applies a change completely or not at all', async () => {
      const change = { parts: text('new'), before: 'gone' };
      await expect(storage.queue.change(ANNE, 'c1', 'a', change)).rejects.toMatchObject({ code: 'bad_request' });
      expect(await storage.queue.get(ANNE, 'c1', 'a')).toMatchObject({ parts: text('a') });
      expect(await storage.queue.change(ANNE, 'c1', 'gone', { parts: text('new') })).toBeNull();
    });

    test('rejects large media', async () => {
      const message = { id: 'd', conversationId: 'c1', parts: large, at: 3 };
      await expect(storage.queue.add(ANNE, message)).rejects.toMatchObject({ code: 'bad_request' });
      await expect(storage.queue.change(ANNE, 'c1', 'a', { parts: large })).rejects.toThrow(/stored as a blob/);
      expect(await order()).toEqual(['a', 'b', 'c']);
    });

    test('removes a message only with the run that sends it', async () => {
      await storage.runs.createRun(ANNE, newRun('r1', 'c1'));
      expect(await storage.runs.createRun(ANNE, newRun('r2', 'c1', { queuedMessageId: 'a' }))).toMatchObject({
        outcome: 'conversation_busy',
      });
      expect(await order()).toEqual(['a', 'b', 'c']);
      await storage.runs.commit([
        { runId: 'r1', fence: 1, baseSeq: 0, events: [], status: 'done', durability: 'normal' },
      ]);
      expect(await storage.runs.createRun(ANNE, newRun('r2', 'c1', { queuedMessageId: 'a' }))).toMatchObject({
        outcome: 'created',
      });
      expect(await order()).toEqual(['b', 'c']);
    });

    test('lists messages due without an active run: after a completed run, or one stopped for them', async () => {
      const due = async (): Promise<string[]> => (await storage.queue.due()).map(({ id }) => id);
      const end = { runId: 'r1', fence: 1, baseSeq: 0, events: [], durability: 'normal' } as const;
      await storage.runs.createRun(ANNE, newRun('r1', 'c1'));
      expect(await due()).toEqual([]);
      await storage.runs.putInbox(ANNE, 'r1', { id: 'x', kind: 'message', body: { queuedMessageId: 'b' }, at: 3 });
      await storage.runs.commit([{ ...end, status: 'cancelled' }]);
      expect(await due()).toEqual(['b']);
      await storage.runs.createRun(ANNE, newRun('r2', 'c1', { queuedMessageId: 'b' }));
      await storage.runs.commit([{ ...end, runId: 'r2', status: 'done' }]);
      expect(await due()).toEqual(['a']);
      await storage.conversations.remove(ANNE, 'c1', 4);
      expect(await due()).toEqual([]);
    });

    test('lists the messages that steer the current run, until it ends', async () => {
      const steering = async (): Promise<string[]> =>
        (await storage.queue.list(ANNE, 'c1')).flatMap(({ id, steers }) => (steers === true ? [id] : []));
      await storage.runs.createRun(ANNE, newRun('r1', 'c1'));
      expect(await steering()).toEqual([]);
      await storage.runs.putInbox(ANNE, 'r1', { id: 'x', kind: 'steer', body: { queuedMessageId: 'b' }, at: 3 });
      expect(await steering()).toEqual(['b']);
      const end = { runId: 'r1', fence: 1, baseSeq: 0, events: [], durability: 'normal' } as const;
      await storage.runs.commit([{ ...end, status: 'cancelled' }]);
      expect(await steering()).toEqual([]);
    });

    test('is deleted with its conversation, and accepts nothing for a deleted one', async () => {
      await storage.conversations.remove(ANNE, 'c1', 3);
      const message = { id: 'd', conversationId: 'c1', parts: text('d'), at: 4 };
      await expect(storage.queue.add(ANNE, message)).rejects.toMatchObject({ code: 'not_found' });
      await storage.conversations.purge(ANNE, 'c1');
      expect(await order()).toEqual([]);
      expect(await storage.check()).toEqual({ ok: true });
    });

    test('is not accessible to another owner', async () => {
      expect(await storage.queue.list(BERT, 'c1')).toEqual([]);
      expect(await storage.queue.get(BERT, 'c1', 'a')).toBeNull();
      expect(await storage.queue.change(BERT, 'c1', 'a', { parts: text('mine') })).toBeNull();
      expect(await storage.queue.remove(BERT, 'c1', 'a')).toBe(false);
      const message = { id: 'd', conversationId: 'c1', parts: text('d'), at: 4 };
      await expect(storage.queue.add(BERT, message)).rejects.toMatchObject({ code: 'not_found' });
      expect(await storage.queue.remove(ANNE, 'c1', 'a')).toBe(true);
      expect(await order()).toEqual(['b', 'c']);
    });
  });
}
