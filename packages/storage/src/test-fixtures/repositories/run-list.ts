import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunListQuery } from '../../repositories/run-list.ts';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, approval, BERT, createCommit, newRun } from '../conversation.ts';
import type { CreateTestStore, TestStore } from './test-store.ts';

/** The list of all runs, and their trees. */
export function describeRunList(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  const list = async (query: Partial<RunListQuery>, principal = ANNE) =>
    (await storage.runList.list(principal, { limit: 50, ...query })).map(({ id }) => id);
  const usage = {
    kind: 'model' as const,
    at: 1,
    durationMs: 5,
    providerId: 'p',
    modelId: 'm',
    usage: { inputTokens: 10, outputTokens: 4 },
    cost: 0.25,
  };

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
    for (const [index, id] of ['c1', 'c2', 'c3', 'gone'].entries())
      await storage.conversations.create(ANNE, { id, title: `Chat ${id}`, at: index });
    const { runs } = storage;
    await runs.createRun(ANNE, newRun('r1', 'c1', { at: 10 }));
    await runs.commit([createCommit('r1', { status: 'done', usage: [usage, usage] })]);
    await runs.createRun(ANNE, newRun('r2', 'c2', { at: 20, agentId: 'a1', origin: 'schedule' }));
    await runs.commit([createCommit('r2', { status: 'failed' })]);
    await runs.createRun(ANNE, newRun('r3', 'c1', { at: 30, origin: 'api', agentId: 'a1' }));
    const of = { runId: 'r3', callId: 'call', conversationId: 'c1' };
    for (const number of [1, 2]) {
      const id = `r3.${number}`;
      await runs.createRun(ANNE, {
        ...newRun(id, id, { at: 40, parentRunId: 'r3' }),
        newConversation: { title: `Task ${number}`, configuration: {}, parent: of },
      });
    }
    const opened = [{ interrupt: approval('q'), mode: 'parked' as const }];
    await runs.commit([createCommit('r3.1', { status: 'parked', interrupts: { opened }, usage: [usage] })]);
    await runs.createRun(ANNE, newRun('r4', 'gone', { at: 50 }));
    await runs.commit([createCommit('r4', { status: 'done' })]);
    await storage.conversations.remove(ANNE, 'gone', 60);
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  test('has every run with its origin, open interrupts and usage, newest first, without deleted ones', async () => {
    const runs = await storage.runList.list(ANNE, { limit: 50 });
    expect(runs.map(({ id, origin, title, asks }) => [id, origin, title, asks])).toEqual([
      ['r3.2', 'sub_agent', 'Task 2', 0],
      ['r3.1', 'sub_agent', 'Task 1', 1],
      ['r3', 'api', 'Chat c1', 0],
      ['r2', 'schedule', 'Chat c2', 0],
      ['r1', 'chat', 'Chat c1', 0],
    ]);
    expect(runs[1]?.spent).toEqual({ dollars: 0.25, tokens: 14, calls: 1, unpriced: 0 });
    expect(runs[4]).toMatchObject({ status: 'done', spent: { dollars: 0.5, tokens: 28, calls: 2 } });
    expect(await list({}, BERT)).toEqual([]);
  });

  test('is filtered by each of its filters, and by several', async () => {
    expect(await list({ statuses: ['done'] })).toEqual(['r1']);
    expect(await list({ statuses: ['failed', 'done'] })).toEqual(['r2', 'r1']);
    expect(await list({ asks: true })).toEqual(['r3.1']);
    expect(await list({ asks: false, statuses: ['running', 'parked'] })).toEqual(['r3.2', 'r3']);
    expect(await list({ agentId: 'a1' })).toEqual(['r3', 'r2']);
    expect(await list({ agentId: 'a1', statuses: ['failed'] })).toEqual(['r2']);
    expect(await list({ origin: 'sub_agent' })).toEqual(['r3.2', 'r3.1']);
    expect(await list({ conversationIds: ['c1', 'c2'] })).toEqual(['r3', 'r2', 'r1']);
    expect(await list({ conversationIds: [] })).toEqual([]);
    expect(await list({ parentRunId: 'r3' })).toEqual(['r3.2', 'r3.1']);
    expect(await list({ from: 20, until: 40 })).toEqual(['r3', 'r2']);
  });

  test('continues after the last run of a page, also if that run was deleted', async () => {
    expect(await list({ limit: 2 })).toEqual(['r3.2', 'r3.1']);
    expect(await list({ limit: 2, before: { createdAt: 40, id: 'r3.1' } })).toEqual(['r3', 'r2']);
    expect(await list({ before: { createdAt: 40, id: 'r3.15' } })).toEqual(['r3.1', 'r3', 'r2', 'r1']);
    expect(await list({ statuses: ['failed', 'done'], limit: 1, before: { createdAt: 20, id: 'r2' } })).toEqual(['r1']);
  });

  test('has the tree of a run, whichever of its runs is named', async () => {
    const tree = async (id: string, principal = ANNE) =>
      (await storage.runList.tree(principal, id, 9)).map((r) => r.id);
    expect(await tree('r3')).toEqual(['r3', 'r3.1', 'r3.2']);
    expect(await tree('r3.2')).toEqual(['r3', 'r3.1', 'r3.2']);
    expect(await tree('r1')).toEqual(['r1']);
    expect(await tree('r3', BERT)).toEqual([]);
    expect(await storage.runList.tree(ANNE, 'r3', 2)).toHaveLength(2);
  });
}
