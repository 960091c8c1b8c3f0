import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ScheduleRepository, StoredSchedule } from '../../repositories/schedules.ts';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT, newRun } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** Schedules and their times. */
export function describeSchedules(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;
  let schedules: ScheduleRepository;

  const made = (more: Partial<Parameters<ScheduleRepository['create']>[1]> = {}) =>
    schedules.create(ANNE, {
      id: 's1',
      title: 'Report',
      definition: { task: 'Write the report' },
      enabled: true,
      createdBy: 'user',
      nextAt: 1_000,
      used: { fired: 0, day: null, onDay: 0 },
      createdAt: 1,
      ...more,
    });
  const claim = (schedule: StoredSchedule, fire: number[], nextAt: number | null) =>
    schedules.claim(ANNE, {
      schedule,
      fire,
      skipped: null,
      next: { nextAt, used: { fired: 1, day: '1970-01-01', onDay: 1 } },
      at: 1_001,
      retryAt: 5_000,
    });
  const outcome = { at: 2_000, reason: null, runId: null, conversationId: null, retryAt: null };

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
    ({ schedules } = storage);
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  test('stores, lists and changes schedules of one owner', async () => {
    const schedule = await made();
    expect(schedule).toMatchObject({ definition: { task: 'Write the report' }, version: 1, enabled: true });
    await expect(made()).rejects.toMatchObject({ code: 'bad_request' });
    expect(await schedules.list(BERT)).toEqual([]);
    expect(await schedules.get(BERT, 's1')).toBeNull();
    const changed = { ...schedule, title: 'Daily', enabled: false, nextAt: null, at: 9 };
    expect(await schedules.update(ANNE, 's1', { ...changed, version: 2 })).toBeNull();
    expect(await schedules.update(ANNE, 's1', changed)).toMatchObject({ title: 'Daily', enabled: false, version: 2 });
    expect(await schedules.remove(BERT, 's1')).toBe(false);
    expect(await schedules.remove(ANNE, 's1')).toBe(true);
  });

  test('each time is claimed once, and by no process after a change', async () => {
    const schedule = await made();
    await made({ id: 's2', title: 'Paused', enabled: false });
    expect((await schedules.due(999, 10)).length).toBe(0);
    expect(await schedules.nextAt()).toBe(1_000);
    expect(await schedules.due(1_000, 10)).toEqual([schedule]);
    const claims = await Promise.all([claim(schedule, [1_000], 2_000), claim(schedule, [1_000], 2_000)]);
    expect(claims.toSorted()).toEqual([false, true]);
    const [next] = await schedules.due(2_000, 10);
    await schedules.update(ANNE, 's1', { ...schedule, nextAt: 2_000, at: 9 });
    expect(next && (await claim(next, [2_000], 3_000))).toBe(false);
    expect(await schedules.firings(ANNE, 's1', 10)).toMatchObject([{ plannedAt: 1_000, outcome: 'due' }]);
  });

  test('a time that its process has not settled is handed out again, to one process', async () => {
    await claim(await made(), [1_000], null);
    expect(await schedules.claimFirings(4_999, 9_000, 10)).toEqual([]);
    const handed = await Promise.all([
      schedules.claimFirings(5_000, 9_000, 10),
      schedules.claimFirings(5_000, 9_000, 10),
    ]);
    const key = { scheduleId: 's1', plannedAt: 1_000 };
    expect(handed.flat()).toEqual([{ ...key, ownerId: 'anne', outcome: 'due' }]);
    await schedules.settle(key, { ...outcome, outcome: 'started', runId: 'r1', conversationId: 'c1' });
    await schedules.settle(key, { ...outcome, outcome: 'failed', reason: 'too late' });
    expect(await schedules.claimFirings(99_000, 100_000, 10)).toEqual([]);
    expect(await schedules.firings(ANNE, 's1', 10)).toMatchObject([{ outcome: 'started', runId: 'r1', reason: null }]);
    expect(await schedules.firings(BERT, 's1', 10)).toEqual([]);
    expect(await schedules.nextAt()).toBeNull();
  });

  test('knows whether a run of another time is active, and whether an earlier time waits', async () => {
    await claim(await made(), [1_000, 2_000, 3_000], null);
    await storage.conversations.create(ANNE, { id: 'c1', title: '', at: 1 });
    await storage.runs.createRun(ANNE, newRun('r1', 'c1'));
    const key = (plannedAt: number) => ({ scheduleId: 's1', plannedAt });
    expect(await schedules.hasActiveRun(key(2_000))).toBe(false);
    await schedules.settle(key(1_000), { ...outcome, outcome: 'started', runId: 'r1' });
    expect(await schedules.hasActiveRun(key(2_000))).toBe(true);
    expect(await schedules.hasActiveRun(key(1_000))).toBe(false);
    await schedules.settle(key(2_000), { ...outcome, outcome: 'waiting', retryAt: 6_000 });
    expect(await schedules.hasEarlierWaiting(key(3_000))).toBe(true);
    expect(await schedules.hasEarlierWaiting(key(2_000))).toBe(false);
    expect(await schedules.nextAt()).toBe(5_000);
  });

  test('knows the last time of each schedule, the state of its run, and the chat in which a model created it', async () => {
    await storage.conversations.create(ANNE, { id: 'c1', title: 'Plans', at: 1 });
    await storage.runs.createRun(ANNE, newRun('r1', 'c1'));
    const schedule = await made({ createdBy: 'model', createdIn: 'c1' });
    expect(schedule.createdIn).toEqual({ conversationId: 'c1', title: 'Plans' });
    expect((await schedules.lastFirings(ANNE)).size).toBe(0);
    await claim(schedule, [1_000, 2_000], null);
    await schedules.settle({ scheduleId: 's1', plannedAt: 2_000 }, { ...outcome, outcome: 'started', runId: 'r1' });
    const last = await schedules.lastFirings(ANNE);
    expect([...last.keys()]).toEqual(['s1']);
    expect(last.get('s1')).toMatchObject({ plannedAt: 2_000, outcome: 'started', runStatus: 'running' });
    expect((await schedules.lastFirings(BERT)).size).toBe(0);
    expect(await schedules.hasFiring(ANNE, { scheduleId: 's1', plannedAt: 1_000 })).toBe(true);
    expect(await schedules.hasFiring(BERT, { scheduleId: 's1', plannedAt: 1_000 })).toBe(false);
    await storage.conversations.remove(ANNE, 'c1', 5);
    expect((await schedules.get(ANNE, 's1'))?.createdIn).toEqual({ conversationId: 'c1', title: null });
  });

  test('a run that a user starts has a time of its own', async () => {
    await made();
    const key = { scheduleId: 's1', plannedAt: 700 };
    expect(await schedules.addFiring(BERT, key, 700, 800)).toBe(false);
    expect(await schedules.addFiring(ANNE, key, 700, 800)).toBe(true);
    expect(await schedules.addFiring(ANNE, key, 700, 800)).toBe(false);
  });
}
