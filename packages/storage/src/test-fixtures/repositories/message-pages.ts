import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AssistantMessage } from '@toolyard/protocol';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT, newRun, userMessage, reply } from '../conversation.ts';
import type { PageQuery } from '../../repositories/message-pages.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** Reading a branch in pages. */
export function describeMessagePages(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
    await storage.conversations.create(ANNE, { id: 'c1', title: '', at: 1 });
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  const answer = (id: string, parentId: string, more: Partial<AssistantMessage> = {}): AssistantMessage => ({
    ...reply(id, { parentId, runId: 'r', text: id }),
    ...more,
  });
  const add = (message: Parameters<SharedStorage['messages']['add']>[2]): Promise<void> =>
    storage.messages.add(ANNE, 'c1', message, { leaf: true });
  const ids = async (query: PageQuery): Promise<string[]> =>
    (await storage.messages.page(ANNE, 'c1', query)).messages.map(({ id }) => id);

  /** q0 a0 q1 a1 ... */
  async function talk(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      await add(userMessage(`q${turn}`, turn === 0 ? null : `a${turn - 1}`));
      await add(answer(`a${turn}`, `q${turn}`));
    }
  }

  describe('a page of messages', () => {
    test('ends at the leaf; earlier ones are read page by page to the first message', async () => {
      await talk(3);
      expect(await storage.messages.page(ANNE, 'c1', { limit: 4 })).toMatchObject({ earlier: true });
      expect(await ids({ limit: 4 })).toEqual(['q1', 'a1', 'q2', 'a2']);
      expect(await ids({ limit: 4, before: 'q1' })).toEqual(['q0', 'a0']);
      expect(await storage.messages.page(ANNE, 'c1', { limit: 4, before: 'q1' })).toMatchObject({ earlier: false });
      expect(await ids({ limit: 4, before: 'q0' })).toEqual([]);
      expect(await ids({ limit: 2, leafId: 'q1' })).toEqual(['a0', 'q1']);
      expect(await ids({ limit: 2, before: 'nowhere' })).toEqual([]);
      expect(await ids({ limit: 0 })).toEqual([]);
    });

    test('lists the other branches at each message that has some, including the first', async () => {
      await talk(2);
      await add(answer('a0b', 'q0', { createdAt: 9 }));
      await add({ ...userMessage('q0b', null), createdAt: 9 });
      const first = await storage.messages.page(ANNE, 'c1', { limit: 9, leafId: 'a1' });
      expect(first.alternatives).toEqual({ q0: ['q0', 'q0b'], a0: ['a0', 'a0b'] });
      expect(first.abandoned).toEqual([]);
      const last = await storage.messages.page(ANNE, 'c1', { limit: 9, leafId: 'q0b' });
      expect(last.messages.map(({ id }) => id)).toEqual(['q0b']);
      expect(last.alternatives).toEqual({ q0b: ['q0', 'q0b'] });
      expect(await storage.messages.page(ANNE, 'c1', { limit: 1, leafId: 'a1' })).toMatchObject({ alternatives: {} });
    });

    test('shows abandoned answers beside their successor, which does not list them as alternatives', async () => {
      await talk(1);
      await add(userMessage('q1', 'a0'));
      await add(answer('lost', 'q1', { finishReason: 'abandoned' }));
      // Until the answer starts again, the abandoned one is below the leaf.
      await storage.conversations.setLeaf(ANNE, 'c1', 'q1');
      const before = await storage.messages.page(ANNE, 'c1', { limit: 9 });
      expect(before.messages.map(({ id }) => id)).toEqual(['q0', 'a0', 'q1']);
      expect(before.abandoned).toMatchObject([{ id: 'lost', parentId: 'q1' }]);
      await add(answer('a1', 'q1'));
      const after = await storage.messages.page(ANNE, 'c1', { limit: 9 });
      expect(after.messages.map(({ id }) => id)).toEqual(['q0', 'a0', 'q1', 'a1']);
      expect(after.abandoned).toMatchObject([{ id: 'lost', finishReason: 'abandoned' }]);
      expect(after.alternatives).toEqual({});
      const older = await storage.messages.page(ANNE, 'c1', { limit: 9, before: 'a1' });
      expect(older.abandoned).toEqual([]);
    });

    test('treats an answer that its run gives up later as abandoned', async () => {
      const message = answer('a0', 'r1.question', { runId: 'r1', finishReason: 'pending' });
      await storage.runs.createRun(
        ANNE,
        newRun('r1', 'c1', { messages: [userMessage('r1.question'), message], leaf: 'a0' }),
      );
      expect(await storage.messages.newestLeafBelow(ANNE, 'c1', 'r1.question')).toBe('a0');
      const row = { conversationId: 'c1', message: { ...message, finishReason: 'abandoned' as const } };
      const regenerated = { conversationId: 'c1', message: answer('a1', 'r1.question', { runId: 'r1' }) };
      await storage.runs.commit([
        { runId: 'r1', fence: 1, baseSeq: 0, events: [], messages: [row, regenerated], durability: 'normal' },
      ]);
      expect(await storage.messages.newestLeafBelow(ANNE, 'c1', 'r1.question')).toBe('a1');
      const page = await storage.messages.page(ANNE, 'c1', { limit: 9, leafId: 'a1' });
      expect(page.abandoned).toMatchObject([{ id: 'a0' }]);
    });

    test('is empty for another owner and in an empty conversation', async () => {
      const empty = { messages: [], alternatives: {}, abandoned: [], earlier: false };
      expect(await storage.messages.page(ANNE, 'c1', { limit: 9 })).toEqual(empty);
      await talk(1);
      expect(await storage.messages.page(BERT, 'c1', { limit: 9 })).toEqual(empty);
      expect(await storage.messages.page(BERT, 'c1', { limit: 9, before: 'a0' })).toEqual(empty);
      expect(await storage.messages.newestLeafBelow(BERT, 'c1', 'q0')).toBeNull();
    });
  });

  test('finds the newest leaf below a message without abandoned answers', async () => {
    await talk(2);
    await add(answer('a0b', 'q0', { createdAt: 9 }));
    await add(answer('a0c', 'q0', { createdAt: 10, finishReason: 'abandoned' }));
    await add(userMessage('q1b', 'a0b'));
    const leafBelow = (id: string): Promise<string | null> => storage.messages.newestLeafBelow(ANNE, 'c1', id);
    expect(await leafBelow('q0')).toBe('q1b');
    expect(await leafBelow('a0')).toBe('a1');
    expect(await leafBelow('a1')).toBe('a1');
    expect(await leafBelow('nowhere')).toBeNull();
  });
}
