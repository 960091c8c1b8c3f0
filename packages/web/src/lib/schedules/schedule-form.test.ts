import { expect, test } from 'vitest';
import type { ScheduleView } from '@toolyard/protocol';
import { ScheduleForm } from './schedule-form.svelte.ts';

const stored: ScheduleView = {
  id: 's1',
  title: 'Report',
  task: 'Write it',
  timing: { kind: 'interval', seconds: 7_200, start: 5 },
  timeZone: 'Asia/Taipei',
  conditions: { days: [1], hours: { from: 22, to: 6 }, maxPerDay: 3, maxTotal: 9 },
  missed: 'all',
  missedLimit: 4,
  overlap: 'wait',
  target: { kind: 'new' },
  agentId: 'a1',
  configuration: { instructions: 'Be brief.', model: { providerId: 'p', modelId: 'm' } },
  allowedTools: [{ serverId: 'files', name: 'read', origin: 'server' }],
  enabled: true,
  createdBy: 'user',
  createdIn: null,
  nextAt: 1,
  fired: 0,
  description: null,
  lastFiring: null,
  version: 1,
  createdAt: 1,
  updatedAt: 1,
};

test('saves what it was given, and allowed tools only if they changed', () => {
  const form = new ScheduleForm(stored);
  const { title, task, timing, timeZone, conditions, missed, missedLimit, overlap, target } = stored;
  const { agentId, configuration } = stored;
  const same = { title, task, timing, timeZone, conditions, missed, missedLimit, overlap, target };
  expect(form.content).toEqual({ ...same, agentId, configuration });
  expect(form.isDirty).toBe(false);
  form.fields.allowedTools = [];
  expect(form.isDirty).toBe(true);
  expect(form.content?.allowedTools).toEqual([]);
});

test('an existing conversation has its own agent and decisions about tools', () => {
  const form = new ScheduleForm(stored);
  form.fields.conversationId = 'c1';
  expect(form.content).toMatchObject({ target: { kind: 'conversation', conversationId: 'c1' }, agentId: null });
  expect(form.content?.allowedTools).toEqual([]);
});

test('a new one needs a title, a task and a valid time', () => {
  const form = new ScheduleForm(null, Date.UTC(2027, 0, 1));
  expect(form.content).toBeNull();
  [form.fields.title, form.fields.task] = [' Report ', 'Write it'];
  expect(form.content).toMatchObject({ title: 'Report', timing: { kind: 'cron', expression: '0 9 * * 1-5' } });
  form.fields.kind = 'once';
  expect(form.content?.timing).toEqual({ kind: 'once', at: Date.UTC(2027, 0, 1, 1) });
  form.fields.onceAt = '';
  expect(form.content).toBeNull();
  [form.fields.kind, form.fields.everyCount] = ['interval', '1.5'];
  expect(form.content).toBeNull();
  form.fields.everyCount = '2';
  expect(form.content?.timing).toEqual({ kind: 'interval', seconds: 7_200 });
});
