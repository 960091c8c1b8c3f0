import type { ScheduleFiring, ScheduleView } from '@toolyard/protocol';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import { afterEach, describe, expect, it, test } from 'vitest';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';
import type { CreateFlags } from './read-create-flags.ts';
import { readCreateFlags } from './read-create-flags.ts';

let served: Served | undefined;
afterEach(async () => {
  await served?.[Symbol.asyncDispose]();
  served = undefined;
});

it('creates, lists, shows, runs, pauses, resumes and deletes schedules', async () => {
  await using model = await startModelServer(() => reply.text('Done.'));
  served = await Served.start({ model: model.url });
  const at = ['--data-dir', served.dataDir];
  const schedules = (...args: string[]) => runCommand(['schedules', ...args, ...at]);
  expect((await schedules('list')).stderr).toBe('No schedules.\n');

  const create = ['create', 'Report', '--task', 'Write the report', '--time-zone', 'UTC'];
  const planned = await schedules(...create, '--cron', '0 9 1 1 *', '--dry-run');
  expect(planned.stdout).toMatch(/^At 09:00.*\n(\d{4}-01-01 09:00:00 UTC\n){5}$/);
  expect((await schedules('list')).stderr).toBe('No schedules.\n');
  const created = await schedules(...create, '--cron', '0 9 1 1 *', '--max-total', '9');
  expect(created.stdout).toMatch(/^\S+ {2}Report {2}next \d{4}-01-01 09:00:00 UTC\n$/);

  const ran = await schedules('run', 'report', '--json');
  expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'started', conversationId: expect.any(String) as string });
  const history = async (): Promise<ScheduleFiring[]> => {
    const lines = (await schedules('history', 'Report', '--json')).stdout;
    return JSON.parse(lines) as ScheduleFiring[];
  };
  await eventually(async () => (await history())[0]?.runStatus === 'done');
  expect((await schedules('history', 'Report')).stdout).toMatch(/ UTC {2}done {2}\S+$/m);
  expect((await schedules('list')).stdout).toMatch(/Report {2}At 09:00.* next \d{4}.* last done$/m);
  expect((await schedules('show', 'Report')).stdout).toMatch(
    /^Conversation +a new one each time$[^]*\n\nWrite the report\n$/m,
  );

  expect((await schedules('pause', 'Report')).stderr).toBe('toolyard: Report: paused.\n');
  expect((await schedules('resume', 'Report')).stderr).toMatch(/Report: next/);
  const view = JSON.parse((await schedules('show', 'Report', '--json')).stdout) as ScheduleView;
  expect(view).toMatchObject({ conditions: { maxTotal: 9 }, enabled: true, version: 3 });
  expect((await schedules(...create, '--at', '1999-01-01')).stderr).toMatch(/no future time/);
  expect((await schedules('delete', view.id)).stderr).toBe('toolyard: deleted Report.\n');
  expect((await schedules('show', 'Report')).stderr).toMatch(/There is no schedule "Report"/);
});

describe('the flags of a new schedule', () => {
  const read = (flags: Partial<CreateFlags>) =>
    readCreateFlags('Report', { task: 'x', allow: [], ...flags }, undefined);

  test('are times, conditions, agent and tools', () => {
    expect(
      read({ every: '15m', days: 'Mon,friday', hours: '22-6', conversation: 'c1', model: 'p/a/b', paused: true }),
    ).toEqual({
      title: 'Report',
      task: 'x',
      timing: { kind: 'interval', seconds: 900 },
      conditions: { days: [1, 5], hours: { from: 22, to: 6 } },
      target: { kind: 'conversation', conversationId: 'c1' },
      configuration: { model: { providerId: 'p', modelId: 'a/b' } },
      enabled: false,
    });
    expect(read({ at: '2027-01-15T09:00:00+01:00', allow: ['files/read'] })).toMatchObject({
      timing: { kind: 'once', at: Date.parse('2027-01-15T08:00:00Z') },
      allowedTools: [{ serverId: 'files', name: 'read' }],
    });
  });

  test.each<[RegExp, Partial<CreateFlags>]>([
    [/exactly one of/, {}],
    [/exactly one of/, { cron: '* * * * *', every: '1h' }],
    [/--at soon/, { at: 'soon' }],
    [/--every 5/, { every: '5' }],
    [/"someday" is not a day/, { every: '1h', days: 'someday' }],
    [/--hours 8/, { every: '1h', hours: '8' }],
    [/--model gpt/, { every: '1h', model: 'gpt' }],
    [/--allow read/, { every: '1h', allow: ['read'] }],
  ])('report: %s', (message, flags) => {
    expect(() => read(flags)).toThrow(message);
  });
});
