import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Budget, UsageBy, UsageEntry } from '@toolyard/protocol';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT, createCommit, deltas, newRun } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

const DAY = 24 * 60 * 60 * 1_000;
const NOON = Date.UTC(2026, 10, 21, 12);
const TODAY = '2026-11-21';
const TOOL = { serverId: 'files', name: 'read' };

/** Numbers without rounding errors in sums. */
function modelUsage(more: Partial<Extract<UsageEntry, { kind: 'model' }>> = {}): UsageEntry {
  const usage = { inputTokens: 10, outputTokens: 4, cachedInputTokens: 2 };
  return { kind: 'model', at: NOON, durationMs: 100, providerId: 'p', modelId: 'm', usage, cost: 0.25, ...more };
}
function called(failed = false): UsageEntry {
  return { kind: 'tool', at: NOON, durationMs: 5, tool: TOOL, failed };
}

/** Usage of models and tools. */
export function describeUsage(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
    for (const id of ['c1', 'c2']) await storage.conversations.create(ANNE, { id, title: `Chat ${id}`, at: 1 });
    await storage.agents.create(ANNE, { id: 'a1', title: 'Clerk', configuration: {}, profile: {}, at: 1 });
    await storage.runs.createRun(ANNE, newRun('r1', 'c1', { agentId: 'a1' }));
    await storage.runs.createRun(ANNE, newRun('r2', 'c2'));
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  const used = async (runId: string, ...usage: UsageEntry[]): Promise<string | undefined> =>
    (await storage.runs.commit([createCommit(runId, { usage })]))[0]?.outcome;
  const report = (by: UsageBy, principal = ANNE, from = TODAY, to = TODAY) =>
    storage.usage.report(principal, { by, from, to });
  const spent = (budget: Budget, of: { conversationId?: string; runId?: string; agentId?: string } = {}) =>
    storage.usage.spent(ANNE, budget, { conversationId: null, agentId: null, at: NOON, ...of });

  test('sums exactly by model, tool, agent, conversation and day', async () => {
    await used('r1', modelUsage(), modelUsage({ cost: 0.5 }), called(), called(true));
    await used('r2', modelUsage({ modelId: 'other', at: NOON - DAY, tool: TOOL }));
    await storage.usage.add(ANNE, modelUsage({ providerId: 'q' }));

    const both = await report('model', ANNE, '2026-11-20');
    expect(both.rows.map(({ key, modelCalls, cost, durationMs }) => [key, modelCalls, cost, durationMs])).toEqual([
      ['p/m', 2, 0.75, 200],
      ['p/other', 1, 0.25, 100],
      ['q/m', 1, 0.25, 100],
    ]);
    expect(both.rows[0]).toMatchObject({
      usage: { inputTokens: 20, outputTokens: 8, cachedInputTokens: 4 },
      unpriced: 0,
      uncounted: 0,
    });
    expect(both.total).toMatchObject({ modelCalls: 4, cost: 1.25, usage: { inputTokens: 40, outputTokens: 16 } });

    expect((await report('day', ANNE, '2026-11-20')).rows).toMatchObject([
      { key: '2026-11-20', modelCalls: 1, toolCalls: 0, cost: 0.25 },
      { key: TODAY, modelCalls: 3, toolCalls: 2, failures: 1, cost: 1, durationMs: 310 },
    ]);
    expect((await report('tool', ANNE, '2026-11-20')).rows).toMatchObject([
      { key: 'files/read', toolCalls: 2, failures: 1, modelCalls: 1, cost: 0.25, usage: { inputTokens: 10 } },
    ]);
    expect((await report('agent')).rows.map(({ key, label, cost }) => [key, label, cost])).toEqual([
      ['a1', 'Clerk', 0.75],
      ['', '', 0.25],
    ]);
    expect((await report('conversation')).rows.map(({ key, label }) => [key, label])).toEqual([
      ['c1', 'Chat c1'],
      ['', ''],
    ]);
    // Only the requested days.
    expect((await report('day')).total).toMatchObject({ modelCalls: 3 });
  });

  test('keeps unknown values unknown instead of zero', async () => {
    await used('r1', modelUsage({ usage: null, cost: null }));
    expect((await report('model')).rows).toMatchObject([{ cost: null, usage: {}, unpriced: 1, uncounted: 1 }]);
    await used('r1', modelUsage({ cost: null }), modelUsage());
    const [row] = (await report('model')).rows;
    expect(row).toMatchObject({ cost: 0.25, unpriced: 2, uncounted: 1, modelCalls: 3 });
    expect(row?.usage).toEqual({ inputTokens: 20, outputTokens: 8, cachedInputTokens: 4 });
    // Invalid numbers of a server count as unknown.
    await used('r2', modelUsage({ modelId: 'odd', usage: { inputTokens: -5, outputTokens: Number.NaN } }));
    expect((await report('model')).rows.find(({ key }) => key === 'p/odd')?.usage).toEqual({});
  });

  test('is stored atomically with its step', async () => {
    const stale = createCommit('r1', { baseSeq: 7, events: deltas('r1', 7, 1), usage: [modelUsage()] });
    const old = createCommit('r1', { fence: 0, usage: [modelUsage()] });
    const broken = createCommit('r1', { usage: [modelUsage()], taken: ['never put'] });
    const outcomes = await storage.runs.commit([stale, old, broken]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['stale', 'stale', 'invalid']);
    expect((await report('day')).rows).toEqual([]);
    const events = deltas('r1', 0, 1);
    const twice = createCommit('r1', { events, usage: [modelUsage()] });
    expect((await storage.runs.commit([twice, twice])).map(({ outcome }) => outcome)).toEqual(['committed', 'stale']);
    expect((await report('day')).total).toMatchObject({ modelCalls: 1, cost: 0.25 });
  });

  test('counts towards each matching budget', async () => {
    await used('r1', modelUsage(), modelUsage({ cost: null, tool: TOOL }), called());
    await used('r2', modelUsage({ at: NOON - DAY }), modelUsage());
    const one = { dollars: 0.25, tokens: 14, calls: 1, unpriced: 0 };
    const two = { dollars: 0.25, tokens: 28, calls: 2, unpriced: 1 };
    const three = { dollars: 0.5, tokens: 42, calls: 3, unpriced: 1 };
    expect(await spent({ of: 'day', dollars: 1 })).toEqual(three);
    expect(await spent({ of: 'conversation', dollars: 1 }, { conversationId: 'c1' })).toEqual(two);
    expect(await spent({ of: 'conversation', dollars: 1 }, { conversationId: 'c2' })).toMatchObject({ calls: 2 });
    expect(await spent({ of: 'run', calls: 1 }, { conversationId: 'c1', runId: 'r1' })).toEqual(two);
    expect(await spent({ of: 'agent', tokens: 1 }, { agentId: 'a1' })).toEqual(two);
    expect(await spent({ of: 'model', model: 'p/m', tokens: 1 })).toEqual(three);
    expect(await spent({ of: 'model', model: 'p/x', tokens: 1 })).toMatchObject({ calls: 0 });
    // The calls are those of the tool, the tokens those of sampling by its server.
    expect(await spent({ of: 'tool', tool: 'files/read', calls: 1 })).toEqual({ ...one, dollars: 0, unpriced: 1 });
    for (const budget of [
      { of: 'turn', calls: 1 },
      { of: 'agent', calls: 1 },
    ] as const) {
      expect(await spent(budget)).toMatchObject({ calls: 0, tokens: 0 });
    }
  });

  test('is separate per owner', async () => {
    await used('r1', modelUsage());
    for (const by of ['day', 'model', 'agent', 'tool', 'conversation'] as const) {
      expect((await report(by, BERT)).rows).toEqual([]);
    }
    const of = { conversationId: 'c1', runId: 'r1', agentId: 'a1', at: NOON };
    for (const budget of ['day', 'conversation', 'agent', 'run'] as const) {
      expect(await storage.usage.spent(BERT, { of: budget, calls: 1 }, of)).toMatchObject({ calls: 0, dollars: 0 });
    }
  });

  test('stays when its run is compacted and its conversation and agent are deleted', async () => {
    await used('r1', modelUsage(), called());
    await storage.runs.commit([createCommit('r1', { status: 'done' })]);
    await storage.runs.compact(Number.MAX_SAFE_INTEGER, 10);
    await storage.conversations.purge(ANNE, 'c1');
    await storage.agents.remove(ANNE, 'a1');
    expect((await report('day')).total).toMatchObject({ modelCalls: 1, toolCalls: 1, cost: 0.25 });
    expect((await report('conversation')).rows).toMatchObject([{ key: 'c1', label: '' }]);
    await storage.close();
    storage = await home.open();
    expect((await report('agent')).rows).toMatchObject([{ key: 'a1', label: '', modelCalls: 1 }]);
  });
}
