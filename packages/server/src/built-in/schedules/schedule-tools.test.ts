import type { FunctionTool } from '@toolyard/agent-host';
import type { JsonObject } from '@toolyard/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLiveHub } from '../../live/hub.ts';
import type { Schedules } from '../../schedules/schedules.ts';
import { createSchedules } from '../../schedules/schedules.ts';
import type { StorageOfTools } from '../test-fixtures/storage-of-tools.ts';
import { callContext, openStorageOfTools, getOutcome, OWNER } from '../test-fixtures/storage-of-tools.ts';
import { createScheduleTools } from './schedule-tools.ts';

let home: StorageOfTools;
let schedules: Schedules;
let create: FunctionTool | undefined;
let list: FunctionTool | undefined;

beforeEach(async () => {
  home = await openStorageOfTools();
  schedules = createSchedules({
    ...home,
    runs: { send: () => Promise.reject(new Error('nothing is sent')) },
    servers: { approve: () => undefined },
    hub: createLiveHub(),
    log: () => undefined,
    timeZone: 'UTC',
  });
  const group = createScheduleTools({ ...home, owner: OWNER, schedules: () => schedules });
  expect(group.enabled).toBe(false);
  [create, list] = group.tools;
});
afterEach(() => home[Symbol.asyncDispose]());

const report: JsonObject = { title: 'Report', task: 'Write the report', cron: '0 9 * * 1-5' };
const call = (args: JsonObject, callId = 'r1.1.0') => getOutcome(create, args, callContext(callId));

test('a schedule of a model starts paused, with the agent of its conversation, once per call', async () => {
  await home.storage.agents.create(OWNER, { id: 'a1', title: 'Writer', configuration: {}, profile: {}, at: 1 });
  await home.storage.conversations.create(OWNER, { id: 'c3', title: 'Plans', agentId: 'a1', at: 1 });
  const inPlans = (callId: string) => getOutcome(create, report, callContext(callId, 'c3'));
  expect((await inPlans('r1.1.0')).text).toMatch(
    /At 09:00, Monday through Friday.* exists\. It is paused .* resumes it/,
  );
  expect((await inPlans('r1.1.0')).text).toMatch(/It is paused/);
  expect(await schedules.list(OWNER)).toMatchObject([
    {
      title: 'Report',
      agentId: 'a1',
      enabled: false,
      nextAt: null,
      createdBy: 'model',
      createdIn: { conversationId: 'c3', title: 'Plans' },
      allowedTools: [],
    },
  ]);
  expect((await getOutcome(list, {}, callContext('r1.2.0'))).text).toContain('"paused":true');
  expect(create?.annotations?.readOnly).toBe(false);
});

test.each<[RegExp, JsonObject]>([
  [/exactly one of cron, at and every_seconds/, { title: 'x', task: 'x' }],
  [/exactly one of cron, at and every_seconds/, { ...report, every_seconds: 60 }],
  [/with its offset/, { title: 'x', task: 'x', at: '2099-01-15T09:00:00' }],
  [/no future time/, { title: 'x', task: 'x', at: '1999-01-15T09:00:00Z' }],
  [/There is no time zone "Mars\/Olympus"/, { ...report, time_zone: 'Mars/Olympus' }],
])('reports to the model: %s', async (message, args) => {
  expect((await call(args)).text).toMatch(message);
  expect(await schedules.list(OWNER)).toEqual([]);
});

test('stops at twenty schedules that the user has not resumed', async () => {
  for (let at = 0; at < 20; at += 1) await call(report, `r1.${at}.0`);
  expect(await call(report, 'r2.1.0')).toMatchObject({ error: 'tool_failed' });
  expect(await schedules.list(OWNER)).toHaveLength(20);
});
