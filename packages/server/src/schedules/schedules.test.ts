import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CreateSchedule } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { createLiveHub } from '../live/hub.ts';
import { startFiring } from './start-firing.ts';
import type { ScheduleStage } from './test-fixtures/schedule-stage.ts';
import { ANNE, openStage } from './test-fixtures/schedule-stage.ts';

let stage: ScheduleStage;

beforeEach(async () => {
  stage = await openStage('2026-11-27T10:00:30Z');
});
afterEach(() => stage.close());

const hourly: CreateSchedule = {
  id: 'hourly',
  title: 'Report',
  task: 'Write the report',
  timing: { kind: 'cron', expression: '0 * * * *' },
};
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const time = (iso: string): number => Date.parse(`2026-11-27T${iso}Z`);

describe('the scheduler', () => {
  test('starts a run at each time, in a conversation of its own, exactly on time', async () => {
    const schedules = stage.process();
    await schedules.create(ANNE, { ...hourly, overlap: 'parallel' });
    schedules.start();
    await stage.clock.advance(2 * HOUR_MS);
    expect(stage.sent).toEqual([
      `hourly.${time('11:00:00')}: Write the report`,
      `hourly.${time('12:00:00')}: Write the report`,
    ]);
    const firings = await schedules.firings(ANNE, 'hourly');
    expect(firings).toMatchObject([{ at: time('12:00:00') }, { at: time('11:00:00') }]);
    const conversations = await stage.storage.conversations.list(ANNE, { limit: 10 });
    expect(conversations.map(({ title }) => title)).toEqual(['Report', 'Report']);
  });

  test('several processes start each run once', async () => {
    const processes = [stage.process(), stage.process(), stage.process()];
    await processes[0]?.create(ANNE, { ...hourly, timing: { kind: 'interval', seconds: 60 }, overlap: 'parallel' });
    for (const each of processes) each.start();
    await stage.clock.advance(30 * MINUTE_MS);
    expect(stage.sent).toHaveLength(30);
    expect(new Set(stage.sent).size).toBe(30);
  });

  test('an API key and a model cannot have it run more often than once a minute; the owner can', async () => {
    const schedules = stage.process();
    const often = { ...hourly, timing: { kind: 'interval', seconds: 1 } as const };
    const key = { ...ANNE, via: 'api_key' } as const;
    await expect(schedules.create(key, often)).rejects.toThrow('the shortest interval is 60 s');
    await expect(schedules.create(ANNE, often, {})).rejects.toThrow('the shortest interval is 60 s');
    const { id, version } = await schedules.create(key, hourly);
    const { timing } = often;
    await expect(schedules.change(key, id, { version, timing })).rejects.toThrow('the shortest interval is 60 s');
    expect(await schedules.change({ ...ANNE, via: 'session' } as typeof ANNE, id, { version, timing })).toMatchObject({
      timing,
    });
  });

  test('two processes that start the same time at once start one run', async () => {
    await stage.process().create(ANNE, hourly);
    const key = { scheduleId: 'hourly', plannedAt: time('11:00:00') };
    const schedule = await stage.storage.schedules.get(ANNE, 'hourly');
    const services = { storage: stage.storage, runs: stage.runs, hub: createLiveHub() };
    if (schedule === null) throw new Error('no schedule');
    const start = () => startFiring(schedule, key, time('11:00:00'), services);
    expect(await Promise.all([start(), start()])).toMatchObject([{ outcome: 'started' }, { outcome: 'started' }]);
    expect(stage.sent).toEqual([`hourly.${time('11:00:00')}: Write the report`]);
  });

  test.each(['schedule:claimed', 'schedule:started'])('a process that crashes at %s loses no time', async (place) => {
    const crash = new Promise<never>(() => undefined);
    const dying = stage.process({ failpoint: (name) => (name === place ? crash : undefined) });
    await dying.create(ANNE, hourly);
    dying.start();
    await stage.clock.advance(HOUR_MS);
    const other = stage.process();
    other.start();
    await stage.clock.advance(MINUTE_MS);
    expect(new Set(stage.sent)).toEqual(new Set([`hourly.${time('11:00:00')}: Write the report`]));
    expect(await other.firings(ANNE, 'hourly')).toMatchObject([{ plannedAt: time('11:00:00'), outcome: 'started' }]);
    stage.abandon(dying);
  });

  test('a run that cannot be started now is started later, another error is reported once', async () => {
    const schedules = stage.process();
    await schedules.create(ANNE, hourly);
    schedules.start();
    stage.failures.push(new ToolyardError({ code: 'conflict', message: 'Shutting down.', retryable: true }));
    await stage.clock.advance(HOUR_MS);
    expect(await schedules.firings(ANNE, 'hourly')).toMatchObject([{ outcome: 'started' }]);
    await stage.clock.advance(HOUR_MS);
    stage.finish(`hourly.${time('11:00:00')}`);
    stage.failures.push(new ToolyardError({ code: 'bad_request', message: 'There is no model.' }));
    await stage.clock.advance(HOUR_MS);
    const outcomes = (await schedules.firings(ANNE, 'hourly')).map(({ outcome, reason }) => [outcome, reason]);
    expect(outcomes).toEqual([
      ['failed', 'There is no model.'],
      ['skipped', 'The run of the previous time is still active.'],
      ['started', null],
    ]);
    expect(stage.log).toContainEqual(expect.stringContaining('postponed: Shutting down.'));
  });

  test('with "wait", one time waits for the active run, and later ones are skipped', async () => {
    const schedules = stage.process();
    await schedules.create(ANNE, { ...hourly, overlap: 'wait' });
    schedules.start();
    await stage.clock.advance(3 * HOUR_MS);
    const outcomes = async () => (await schedules.firings(ANNE, 'hourly')).map(({ outcome }) => outcome);
    expect(await outcomes()).toEqual(['skipped', 'waiting', 'started']);
    stage.finish(`hourly.${time('11:00:00')}`);
    await stage.clock.advance(5_000);
    expect(await outcomes()).toEqual(['skipped', 'started', 'started']);
  });

  test('an agent that was deleted fails the time with a reason, and the schedule continues', async () => {
    await stage.storage.agents.create(ANNE, { id: 'a1', title: 'Writer', configuration: {}, profile: {}, at: 1 });
    const schedules = stage.process();
    await schedules.create(ANNE, { ...hourly, agentId: 'a1' });
    await stage.storage.agents.remove(ANNE, 'a1');
    schedules.start();
    await stage.clock.advance(HOUR_MS);
    expect(await schedules.firings(ANNE, 'hourly')).toMatchObject([
      { outcome: 'failed', reason: 'The agent "a1" of the schedule does not exist any more.' },
    ]);
    expect((await schedules.get(ANNE, 'hourly')).nextAt).toBe(time('12:00:00'));
  });

  test('allows the chosen tools in the conversation of each run, and pins their definitions', async () => {
    const schedules = stage.process();
    const tool = { serverId: 'files', name: 'read', origin: 'server' as const };
    await schedules.create(ANNE, { ...hourly, allowedTools: [tool] });
    expect(stage.approved).toEqual([tool]);
    schedules.start();
    await stage.clock.advance(HOUR_MS);
    const conversationId = `hourly.${time('11:00:00')}`;
    expect(await stage.storage.permissions.list(ANNE, { conversationId })).toMatchObject([
      { tool: { serverId: 'files', name: 'read' }, conversationId, decision: 'allow' },
    ]);
    expect(await stage.storage.permissions.list(ANNE, { conversationId: 'other' })).toEqual([]);
    // The tool may have changed since: only a request that names it approves its definition again.
    await schedules.change(ANNE, 'hourly', { version: 1, enabled: false });
    expect(stage.approved).toEqual([tool]);
    await schedules.change(ANNE, 'hourly', { version: 2, allowedTools: [tool] });
    expect(stage.approved).toEqual([tool, tool]);
  });
});

describe('managing schedules', () => {
  test('a schedule of a model starts paused, without any allowed tool', async () => {
    const schedules = stage.process();
    const tool = { serverId: 'files', name: 'delete' };
    const made = await schedules.create(ANNE, { ...hourly, allowedTools: [tool] }, { conversationId: 'c1' });
    expect(made).toMatchObject({ enabled: false, createdBy: 'model', nextAt: null, allowedTools: [] });
    expect(made.createdIn).toEqual({ conversationId: 'c1', title: null });
    schedules.start();
    await stage.clock.advance(2 * HOUR_MS);
    expect(stage.sent).toEqual([]);
    expect(await schedules.change(ANNE, 'hourly', { version: 1, enabled: true })).toMatchObject({
      enabled: true,
      nextAt: time('13:00:00'),
    });
  });

  test('a change of the title keeps the next time, and one of the timing replaces it', async () => {
    const schedules = stage.process();
    await schedules.create(ANNE, hourly);
    expect(await schedules.change(ANNE, 'hourly', { version: 1, title: 'Daily' })).toMatchObject({
      title: 'Daily',
      task: 'Write the report',
      nextAt: time('11:00:00'),
    });
    const timing = { kind: 'cron' as const, expression: '30 14 * * *' };
    expect(await schedules.change(ANNE, 'hourly', { version: 2, timing })).toMatchObject({ nextAt: time('14:30:00') });
    await expect(schedules.change(ANNE, 'hourly', { version: 2, title: 'x' })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  test('lists the last outcome with the state of its run', async () => {
    const schedules = stage.process();
    await schedules.create(ANNE, hourly);
    expect(await schedules.list(ANNE, 'zh-Hant')).toMatchObject([{ lastFiring: null, description: '每小時' }]);
    await schedules.run(ANNE, 'hourly');
    expect(await schedules.list(ANNE)).toMatchObject([{ lastFiring: { outcome: 'started', runStatus: 'running' } }]);
    stage.finish(`hourly.${time('10:00:30')}`);
    expect(await schedules.get(ANNE, 'hourly')).toMatchObject({ lastFiring: { runStatus: 'done' } });
  });

  test.each<[string, Partial<CreateSchedule>]>([
    ['The schedule has no future time.', { timing: { kind: 'once', at: 1_000 } }],
    ['The schedule has no future time.', { timing: { kind: 'cron', expression: '0 0 30 2 *' } }],
    ['There is no agent "ghost".', { agentId: 'ghost' }],
    ['There is no conversation "ghost".', { target: { kind: 'conversation', conversationId: 'ghost' } }],
    [
      'tabbed/look is a tool of a browser tab and cannot be used by a schedule.',
      { allowedTools: [{ serverId: 'tabbed', name: 'look', origin: 'tab' }] },
    ],
  ])('rejects: %s', async (message, wrong) => {
    await expect(stage.process().create(ANNE, { ...hourly, ...wrong })).rejects.toMatchObject({
      code: 'bad_request',
      message,
    });
  });

  test('previews the next times, with the expression in words', async () => {
    const schedules = stage.process();
    const preview = await schedules.preview({
      timing: { kind: 'cron', expression: '0 9 * * 1-5' },
      timeZone: 'Asia/Taipei',
      conditions: { maxTotal: 2 },
    });
    expect(preview).toEqual({
      description: 'At 09:00, Monday through Friday',
      times: [Date.parse('2026-11-30T01:00:00Z'), Date.parse('2026-12-01T01:00:00Z')],
    });
    const { description } = await schedules.preview({
      timing: { kind: 'cron', expression: '0 9 * * 1' },
      language: 'zh-Hant',
    });
    expect(description).toContain('星期一');
  });

  test('runs the task now, whatever its times', async () => {
    const schedules = stage.process();
    await schedules.create(ANNE, { ...hourly, enabled: false });
    expect(await schedules.run(ANNE, 'hourly')).toMatchObject({
      outcome: 'started',
      plannedAt: time('10:00:30'),
      runId: `hourly.${time('10:00:30')}`,
    });
    expect(stage.sent).toHaveLength(1);
  });
});
