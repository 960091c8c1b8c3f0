import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT, newRun } from '../conversation.ts';
import type { CreateTestStore, TestStore } from './test-store.ts';

const MINUTE = { span: 'minute', startedAt: 60_000, limit: 2 };
const DAY = { span: 'day', startedAt: 0, limit: 3 };

/** Incoming webhooks, idempotency keys, rate counters, and what belongs to the runs of an API key. */
export function describeTriggers(createStore: CreateTestStore): void {
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

  test('stores incoming webhooks of one owner; a delivery is accepted once', async () => {
    const { triggers } = storage;
    const made = { id: 't', title: 'Issues', definition: { agentId: 'a' }, enabled: true, createdAt: 1 };
    const trigger = await triggers.create(ANNE, made);
    await expect(triggers.create(BERT, made)).rejects.toMatchObject({ code: 'bad_request' });
    expect(await triggers.get(BERT, 't')).toBeNull();
    expect(await triggers.find('t')).toEqual(trigger);
    expect(await triggers.update(ANNE, 't', { ...trigger, version: 2, at: 2 })).toBeNull();
    expect(await triggers.update(ANNE, 't', { ...trigger, title: 'Bugs', at: 2 })).toMatchObject({ version: 2 });
    const delivery = { triggerId: 't', id: 'd', at: 5, task: 'Do it', retryAt: 10 };
    expect(await triggers.accept(trigger, delivery)).toMatchObject({ outcome: 'due', task: 'Do it' });
    expect(await triggers.accept(trigger, delivery)).toBeNull();
    expect(await triggers.claimDue(9, 20, 5)).toEqual([]);
    expect(await triggers.claimDue(10, 20, 5)).toMatchObject([{ id: 'd' }]);
    expect(await triggers.claimDue(10, 20, 5)).toEqual([]);
    const failed = { outcome: 'failed', reason: 'no agent', runId: null, conversationId: null } as const;
    await triggers.settle(delivery, failed);
    expect(await triggers.accept(trigger, { ...delivery, at: 7 })).toMatchObject({ outcome: 'due', at: 7 });
    await triggers.settle(delivery, { outcome: 'started', reason: null, runId: 'r', conversationId: 'c' });
    expect(await triggers.accept(trigger, delivery)).toBeNull();
    await triggers.reject(trigger, { id: 'x', at: 8, outcome: 'rejected', reason: 'bad signature' });
    expect(await triggers.deliveries(ANNE, 't', 5)).toMatchObject([{ id: 'x' }, { id: 'd', runId: 'r', task: null }]);
    expect(await triggers.deliveries(BERT, 't', 5)).toEqual([]);
    expect(await triggers.remove(BERT, 't')).toBe(false);
    expect(await triggers.remove(ANNE, 't')).toBe(true);
    expect(await triggers.getDelivery(delivery)).toBeNull();
  });

  test('an idempotency key belongs to one run, per credential, until it expires', async () => {
    const { idempotencyKeys } = storage;
    const key = { credential: 'token', name: 'k' };
    const claim = { digest: 'one', runId: 'r1', at: 100, since: 0 };
    const claims = await Promise.all(
      ['r1', 'r2', 'r3'].map((runId) => idempotencyKeys.claim(ANNE, key, { ...claim, runId })),
    );
    expect(new Set(claims.map(({ runId }) => runId)).size).toBe(1);
    expect(claims.filter(({ isNew }) => isNew)).toHaveLength(1);
    const [{ runId } = { runId: '' }] = claims;
    expect(await idempotencyKeys.claim(BERT, key, { ...claim, runId: 'r9' })).toMatchObject({ isNew: true });
    expect(await idempotencyKeys.claim(ANNE, { ...key, credential: 'x' }, claim)).toMatchObject({ isNew: true });
    await idempotencyKeys.release(ANNE, key, 'another');
    expect(await idempotencyKeys.claim(ANNE, key, claim)).toMatchObject({ runId, isNew: false });
    await idempotencyKeys.release(ANNE, key, runId);
    expect(await idempotencyKeys.claim(ANNE, key, { ...claim, at: 200 })).toMatchObject({ isNew: true });
    expect(await idempotencyKeys.claim(ANNE, key, { ...claim, runId: 'r7', since: 201 })).toMatchObject({
      runId: 'r7',
      isNew: true,
    });
  });

  test('concurrent uses do not exceed a rate limit, and a refused one counts in no span', async () => {
    const { rateCounters } = storage;
    const taken = await Promise.all([1, 2, 3, 4].map(() => rateCounters.take('key:k', [MINUTE, DAY])));
    expect(taken.filter((each) => each === null)).toHaveLength(2);
    expect(taken.filter((each) => each?.span === 'minute')).toHaveLength(2);
    const next = { ...MINUTE, startedAt: 120_000 };
    expect(await rateCounters.take('key:k', [next, DAY])).toBeNull();
    expect(await rateCounters.take('key:k', [next, DAY])).toEqual(DAY);
    expect(await rateCounters.take('key:other', [next, DAY])).toBeNull();
    await rateCounters.sweep(120_001);
    expect(await rateCounters.take('key:k', [DAY])).toBeNull();
  });

  test('the runs of an API key are listed, and their usage is summed per day', async () => {
    await storage.conversations.create(ANNE, { id: 'c', title: '', at: 1 });
    const at = Date.parse('2026-11-27T10:00:00Z');
    const run = { ...newRun('r1', 'c'), at, startedBy: 'key:k' };
    expect(await storage.runs.createRun(ANNE, run)).toMatchObject({ run: { startedBy: 'key:k' } });
    expect(await storage.runs.listRuns(ANNE, { startedBy: 'key:k', limit: 5 })).toMatchObject([{ id: 'r1' }]);
    expect(await storage.runs.listRuns(ANNE, { startedBy: 'key:other', limit: 5 })).toEqual([]);
    const entry = {
      kind: 'model' as const,
      at,
      durationMs: 1,
      providerId: 'p',
      modelId: 'm',
      usage: { inputTokens: 7, outputTokens: 3 },
      cost: 0.5,
    };
    await storage.usage.add(ANNE, entry, { runId: 'r1', conversationId: 'c' });
    expect(await storage.usage.spentBy(ANNE, 'key:k', at)).toMatchObject({ calls: 1, tokens: 10, dollars: 0.5 });
    expect(await storage.usage.spentBy(ANNE, 'key:k', at + 86_400_000)).toMatchObject({ calls: 0 });
  });
}
