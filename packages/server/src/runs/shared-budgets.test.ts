import { afterEach, expect, test } from 'vitest';
import type { Budget, UsageEntry } from '@toolyard/protocol';
import { DEFAULT_LIMITS, systemClock } from '@toolyard/protocol';
import { BudgetChecker, initialState } from '@toolyard/agent-runtime';
import type { DatabaseStorage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { createRunBudgets } from './worker/run-budgets.ts';

const ANNE = { ownerId: 'anne' };
/** Fixed, so that no midnight passes during the test. */
const NOON = Date.UTC(2026, 10, 22, 12);
const clock = { ...systemClock, now: () => NOON };
const model = { providerId: 'p', modelId: 'm' };
const state = initialState({ runId: 'r', conversationId: 'c', startedAt: 0, limits: DEFAULT_LIMITS });

describeOnDatabases('a budget of the day', (cluster) => {
  const open: DatabaseStorage[] = [];
  afterEach(async () => {
    for (const storage of open.splice(0)) await storage.close();
  });

  test('counts the usage of all processes with a database', async () => {
    const url = await cluster().createDatabase();
    for (let at = 0; at < 2; at++) open.push(await openStorage({ url, clock }));
    const [one, two] = open;
    if (!one || !two) throw new Error('two processes');
    const budgets: Budget[] = [{ of: 'day', calls: 20 }];
    const of = { conversationId: 'c', agentId: null, budgets, clock };
    const here = createRunBudgets(one.usage, ANNE, of);
    const createChecker = ({ spent }: ReturnType<typeof createRunBudgets>): BudgetChecker =>
      new BudgetChecker({ budgets, model: 'p/m', spent });
    const checker = createChecker(here);
    const entry: UsageEntry = { kind: 'model', at: NOON, durationMs: 1, ...model, usage: null, cost: null };

    // Both write the same row concurrently.
    await Promise.all(Array.from({ length: 19 }, (_none, at) => (at % 2 === 0 ? one : two).usage.add(ANNE, entry)));
    await here.refresh();
    expect(checker.check(state, 'model')).toBeNull();
    await two.usage.add(ANNE, entry);
    expect(checker.check(state, 'model')).toBeNull();
    await here.refresh();
    expect(checker.check(state, 'model')).toMatchObject({ measure: 'calls', spent: { calls: 20, unpriced: 20 } });
    const stranger = createRunBudgets(two.usage, { ownerId: 'bert' }, of);
    await stranger.refresh();
    expect(createChecker(stranger).check(state, 'model')).toBeNull();
  });
});
