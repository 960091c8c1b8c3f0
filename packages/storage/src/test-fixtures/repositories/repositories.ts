import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NewRun } from '@toolyard/protocol';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT, createCommit, deltas, newRun, userMessage, reply } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** Conversations, messages, agents, settings. */
export function describeConversationsAndMore(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  describe('conversations', () => {
    const titles = async (query: Parameters<SharedStorage['conversations']['list']>[1]): Promise<string[]> =>
      (await storage.conversations.list(ANNE, query)).map(({ title }) => title);

    beforeEach(async () => {
      for (const [index, title] of ['old', 'middle', 'new'].entries()) {
        await storage.conversations.create(ANNE, { id: title, title, at: index });
      }
    });

    test('are listed pinned first, then most recent, in pages without loss or repetition', async () => {
      await storage.conversations.update(ANNE, 'old', { pinned: true });
      expect(await titles({ limit: 9 })).toEqual(['old', 'new', 'middle']);
      const [first] = await storage.conversations.list(ANNE, { limit: 1 });
      if (!first) throw new Error('empty');
      expect(await titles({ limit: 9, after: first })).toEqual(['new', 'middle']);
    });

    test('are created once per id; the id of another owner or of a deleted one is taken', async () => {
      const again = { id: 'old', title: 'other', at: 9 };
      expect(await storage.conversations.create(ANNE, again)).toMatchObject({ title: 'old', createdAt: 0 });
      await expect(storage.conversations.create(BERT, again)).rejects.toThrow('The id old is taken.');
      await storage.conversations.remove(ANNE, 'old', 10);
      await expect(storage.conversations.create(ANNE, again)).rejects.toThrow('The id old is taken.');
    });

    test('keep all other fields and their position when renamed', async () => {
      const changed = await storage.conversations.update(ANNE, 'old', {
        title: 'a\0b',
        configuration: { model: 'demo' },
      });
      expect(changed).toMatchObject({
        title: 'a\uFFFDb',
        configuration: { model: 'demo' },
        pinned: false,
        updatedAt: 0,
      });
      expect(await storage.conversations.update(ANNE, 'old', {})).toEqual(changed);
    });

    test('move to the top with a new message', async () => {
      await storage.runs.createRun(ANNE, newRun('r1', 'old', { at: 10 }));
      expect(await titles({ limit: 9 })).toEqual(['old', 'new', 'middle']);
    });

    test('report their current run only', async () => {
      await storage.runs.createRun(ANNE, newRun('r1', 'new'));
      await storage.runs.createRun(
        ANNE,
        newRun('r2', 'new', { parentRunId: 'r1', messages: [userMessage('x')], leaf: 'x' }),
      );
      await storage.runs.createRun(ANNE, newRun('r3', 'old'));
      await storage.runs.commit([createCommit('r3', { status: 'failed' }), createCommit('r1', { status: 'parked' })]);
      const active = { id: 'r1', status: 'parked' };
      expect(await storage.conversations.get(ANNE, 'new')).toMatchObject({ activeRun: active });
      expect(await storage.conversations.update(ANNE, 'new', { pinned: true })).toMatchObject({ activeRun: active });
      const listed = await storage.conversations.list(ANNE, { limit: 9 });
      expect(listed.map(({ id, activeRun }) => [id, activeRun])).toEqual([
        ['new', active],
        ['old', null],
        ['middle', null],
      ]);
    });

    test('are hidden after deletion until restored', async () => {
      expect(await storage.conversations.remove(ANNE, 'new', 5)).toBe(true);
      expect(await storage.conversations.get(ANNE, 'new')).toBeNull();
      expect(await titles({ limit: 9 })).toEqual(['middle', 'old']);
      expect(await titles({ limit: 9, deleted: true })).toEqual(['new']);
      expect(await storage.runs.createRun(ANNE, newRun('r1', 'new'))).toEqual({ outcome: 'not_found' });
      expect(await storage.conversations.restore(ANNE, 'new')).toBe(true);
      expect(await storage.conversations.get(ANNE, 'new')).toMatchObject({ deletedAt: null });
    });

    test('of sub-agents are not listed, and are deleted and restored with the one that started them', async () => {
      const child = (id: string, above: { conversationId: string; runId: string }): NewRun => ({
        ...newRun(id, id, { parentRunId: above.runId }),
        newConversation: { title: id, configuration: {}, parent: { ...above, callId: 'call' } },
      });
      await storage.runs.createRun(ANNE, newRun('r1', 'new'));
      await storage.runs.createRun(ANNE, child('k1', { conversationId: 'new', runId: 'r1' }));
      await storage.runs.createRun(ANNE, child('k2', { conversationId: 'k1', runId: 'k1' }));
      const { conversations } = storage;
      expect(await titles({ limit: 9 })).toEqual(['new', 'middle', 'old']);
      expect(await conversations.get(ANNE, 'k2')).toMatchObject({
        activeRun: { id: 'k2', status: 'running' },
        parent: { conversationId: 'k1', runId: 'k1', callId: 'call' },
      });
      const usage = { inputTokens: 1, outputTokens: 2 };
      const entry = { kind: 'model', at: 1, durationMs: 1, providerId: 'p', modelId: 'm', usage, cost: 1 } as const;
      for (const [runId, conversationId] of [
        ['r1', 'new'],
        ['k1', 'k1'],
        ['k2', 'k2'],
      ] as const) {
        await storage.usage.add(ANNE, entry, { runId, conversationId });
      }
      const spent = async (of: 'run' | 'conversation', runId: string, conversationId: string): Promise<number> =>
        (await storage.usage.spent(ANNE, { of }, { runId, conversationId, agentId: null, at: 1 })).calls;
      expect(await spent('run', 'r1', 'new')).toBe(3);
      expect(await spent('conversation', 'r1', 'new')).toBe(3);
      expect(await spent('run', 'k1', 'k1')).toBe(2);
      expect(await spent('conversation', 'k2', 'k2')).toBe(1);
      expect(await conversations.remove(ANNE, 'new', 5)).toBe(true);
      expect(await conversations.get(ANNE, 'k2')).toBeNull();
      expect(await conversations.restore(ANNE, 'new')).toBe(true);
      expect(await conversations.get(ANNE, 'k2')).not.toBeNull();
      expect(await conversations.purge(BERT, 'new')).toBe(false);
      expect(await conversations.purge(ANNE, 'new')).toBe(true);
      expect(await conversations.get(ANNE, 'k2')).toBeNull();
      expect(await storage.runs.getRun(ANNE, 'k2')).toBeNull();
    });

    test('are purged some time after deletion, oldest deletion first', async () => {
      await storage.runs.createRun(ANNE, newRun('r1', 'old'));
      for (const [at, id] of ['old', 'middle', 'new'].entries()) await storage.conversations.remove(ANNE, id, at);
      expect(await storage.conversations.purgeDeleted(2, 1)).toBe(1);
      expect(await storage.runs.getRun(ANNE, 'r1')).toBeNull();
      expect(await storage.conversations.purgeDeleted(2, 9)).toBe(1);
      expect(await storage.conversations.purgeDeleted(2, 9)).toBe(0);
      expect(await titles({ limit: 9, deleted: true })).toEqual(['new']);
      expect(await storage.check()).toEqual({ ok: true });
    });

    test('are not accessible to another owner in any way', async () => {
      expect(await storage.conversations.get(BERT, 'new')).toBeNull();
      expect(await storage.conversations.list(BERT, { limit: 9 })).toEqual([]);
      expect(await storage.conversations.update(BERT, 'new', { title: 'mine' })).toBeNull();
      expect(await storage.conversations.remove(BERT, 'new', 1)).toBe(false);
      expect(await storage.conversations.purge(BERT, 'new')).toBe(false);
      await storage.messages.add(ANNE, 'new', userMessage('m1'), { leaf: true });
      expect(await storage.conversations.setLeaf(BERT, 'new', 'm1')).toBe(false);
      expect(await storage.messages.branch(BERT, 'new')).toEqual([]);
      expect(await storage.messages.all(BERT, 'new')).toEqual([]);
      expect(await storage.messages.get(BERT, 'new', 'm1')).toBeNull();
      await expect(storage.messages.add(BERT, 'new', userMessage('m2'))).rejects.toMatchObject({ code: 'bad_request' });
      await expect(storage.conversations.create(BERT, { id: 'new', title: 'x', at: 1 })).rejects.toThrow(/taken/);
      expect(await storage.conversations.get(ANNE, 'new')).toMatchObject({ title: 'new', leafId: 'm1' });
    });

    test('with very many messages can be read as a branch and purged', async () => {
      let parentId: string | null = null;
      const { leaf: _leaf, ...run } = newRun('r1', 'new', { messages: [] });
      await storage.runs.createRun(ANNE, run);
      const messages = Array.from({ length: 3_000 }, (_none, index) => {
        const message = userMessage(`m${index}`, parentId);
        parentId = message.id;
        return { conversationId: 'new', message };
      });
      const item = createCommit('r1', { events: deltas('r1', 0, 2), messages, leaf: { from: null, to: 'm2999' } });
      expect(await storage.runs.commit([item])).toMatchObject([{ outcome: 'committed' }]);
      const branch = await storage.messages.branch(ANNE, 'new');
      expect(branch.map(({ id }) => id)).toEqual(messages.map(({ message }) => message.id));
      expect(await storage.conversations.purge(ANNE, 'new')).toBe(true);
      expect(await storage.messages.all(ANNE, 'new')).toEqual([]);
      expect(await storage.check()).toEqual({ ok: true });
    });
  });

  describe('messages', () => {
    beforeEach(async () => {
      await storage.conversations.create(ANNE, { id: 'c1', title: '', at: 1 });
      await storage.messages.add(ANNE, 'c1', userMessage('q1'), { leaf: true });
    });

    test('keep both branches after editing and regenerating; the leaf selects one', async () => {
      await storage.messages.add(ANNE, 'c1', reply('a1', { parentId: 'q1', runId: 'r', text: 'one' }), { leaf: true });
      await storage.messages.add(ANNE, 'c1', reply('a2', { parentId: 'q1', runId: 'r', text: 'two' }), { leaf: true });
      const ids = async (leafId?: string): Promise<string[]> =>
        (await storage.messages.branch(ANNE, 'c1', leafId)).map(({ id }) => id);
      expect(await ids()).toEqual(['q1', 'a2']);
      expect(await ids('a1')).toEqual(['q1', 'a1']);
      expect(await storage.conversations.setLeaf(ANNE, 'c1', 'a1')).toBe(true);
      expect(await ids()).toEqual(['q1', 'a1']);
      expect(await storage.conversations.setLeaf(ANNE, 'c1', 'nowhere')).toBe(false);
      expect(await storage.messages.all(ANNE, 'c1')).toHaveLength(3);
    });

    test('are returned unchanged', async () => {
      const message = userMessage('q2', 'q1');
      await storage.messages.add(ANNE, 'c1', message);
      expect(await storage.messages.get(ANNE, 'c1', 'q2')).toEqual(message);
    });

    test('are rejected without their parent, or twice', async () => {
      await expect(storage.messages.add(ANNE, 'c1', userMessage('q2', 'gone'))).rejects.toMatchObject({
        code: 'bad_request',
      });
      await expect(storage.messages.add(ANNE, 'c1', userMessage('q1'))).rejects.toMatchObject({ code: 'bad_request' });
      await expect(storage.messages.add(ANNE, 'c1', userMessage('q2', 'q2'))).rejects.toMatchObject({
        code: 'bad_request',
      });
      expect(await storage.messages.all(ANNE, 'c1')).toHaveLength(1);
    });
  });

  describe('agents', () => {
    test('reject an update based on an old version', async () => {
      const configuration = { model: 'demo', order: { z: 1, a: 2 } };
      const agent = { id: 'a1', title: 'Clock', configuration, profile: {}, at: 1 };
      expect(await storage.agents.create(ANNE, agent)).toMatchObject({ version: 1 });
      const first = await storage.agents.update(ANNE, 'a1', { title: 'Watch', version: 1, at: 2 });
      expect(first).toMatchObject({ title: 'Watch', version: 2, configuration: agent.configuration });
      expect(await storage.agents.update(ANNE, 'a1', { title: 'Sundial', version: 1, at: 3 })).toBeNull();
      expect(await storage.agents.get(ANNE, 'a1')).toEqual(first);
      expect(JSON.stringify(first?.configuration)).toBe(JSON.stringify(agent.configuration));
    });

    test('are not accessible to another owner', async () => {
      await storage.agents.create(ANNE, { id: 'a1', title: 'Clock', configuration: {}, profile: {}, at: 1 });
      expect(await storage.agents.get(BERT, 'a1')).toBeNull();
      expect(await storage.agents.list(BERT)).toEqual([]);
      expect(await storage.agents.update(BERT, 'a1', { title: 'x', version: 1, at: 1 })).toBeNull();
      expect(await storage.agents.remove(BERT, 'a1')).toBe(false);
      await expect(
        storage.agents.create(BERT, { id: 'a1', title: 'x', configuration: {}, profile: {}, at: 1 }),
      ).rejects.toThrow(/taken/);
      expect(await storage.agents.list(ANNE)).toHaveLength(1);
      expect(await storage.agents.remove(ANNE, 'a1')).toBe(true);
    });
  });

  describe('settings', () => {
    test('store any JSON by name and owner; null is a value', async () => {
      await storage.settings.set(ANNE, 'theme', { dark: true }, 1);
      await storage.settings.set(ANNE, 'theme', ['{"not":"parsed twice"}'], 2);
      await storage.settings.set(ANNE, 'model', null, 2);
      expect(await storage.settings.get(ANNE, 'theme')).toEqual(['{"not":"parsed twice"}']);
      expect(await storage.settings.get(ANNE, 'model')).toBeNull();
      expect(await storage.settings.get(BERT, 'theme')).toBeUndefined();
      expect(await storage.settings.all(ANNE)).toEqual(
        new Map([
          ['model', null],
          ['theme', ['{"not":"parsed twice"}']],
        ]),
      );
      expect(await storage.settings.remove(BERT, 'theme')).toBe(false);
      expect(await storage.settings.remove(ANNE, 'theme')).toBe(true);
      expect(await storage.settings.get(ANNE, 'theme')).toBeUndefined();
    });
  });
}
