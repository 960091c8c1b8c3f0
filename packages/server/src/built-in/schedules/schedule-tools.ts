import { createHash } from 'node:crypto';
import type { FunctionTool, FunctionToolGroup, ToolContext } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import type { CreateSchedule, Owner, ScheduleTiming, ScheduleView, AnyText } from '@toolyard/protocol';
import { defined, ToolyardError, say } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { getOwner } from '../owner-of.ts';
import { readStoredConfiguration } from '../../config/agent-configuration.ts';
import type { Schedules } from '../../schedules/schedules.ts';

export type ScheduleToolsOptions = {
  /** Called when a tool is called: schedules are created after the tools. */
  schedules: () => Pick<Schedules, 'create' | 'get' | 'list'>;
  storage: Pick<SharedStorage, 'conversations'>;
  owner: Owner;
};

/** A model cannot fill the list of the user with schedules that the user never resumed. */
const MAX_PAUSED = 20;
const MAX_TASK = 20_000;

/** Tasks that a model wants to run later. They start paused: only the user can resume them. */
export function createScheduleTools(options: ScheduleToolsOptions): FunctionToolGroup {
  return {
    id: 'schedules',
    title: say`Schedules`.text,
    enabled: false,
    tools: [createCreateSchedule(options), createListSchedules(options)],
  };
}

function createCreateSchedule({ schedules, storage, owner }: ScheduleToolsOptions): FunctionTool {
  return tool({
    name: 'create_schedule',
    title: say`Create schedule`.text,
    description:
      say`Creates a task that runs at given times, each time in a new conversation. It starts paused: the user checks and resumes it under Settings, Schedules. Set exactly one of cron, at and every_seconds. Describe the task completely: its runs do not know this conversation.`
        .text,
    inputSchema: {
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 200 },
        task: {
          type: 'string',
          minLength: 1,
          maxLength: MAX_TASK,
          description: 'The message that each run starts with.',
        },
        cron: {
          type: 'string',
          maxLength: 200,
          description: 'Minute, hour, day of month, month and weekday, such as "0 9 * * 1-5".',
        },
        at: {
          type: 'string',
          maxLength: 40,
          description: 'One time, with its offset, such as 2027-01-15T09:00:00+01:00.',
        },
        every_seconds: { type: 'integer', minimum: 60, maximum: 31_536_000 },
        time_zone: { type: 'string', maxLength: 100, description: 'IANA name, such as Europe/Berlin, for cron.' },
      },
      required: ['title', 'task'],
    },
    // A repeated call creates nothing, and the schedule has no effect until the user resumes it.
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    async execute({ title, task, cron, at, every_seconds: seconds, time_zone: timeZone }, ctx) {
      const principal = getOwner(ctx, owner);
      const id = findId(ctx);
      const all = await schedules().list(principal);
      const made = all.find((known) => known.id === id);
      if (made) return createdText(made);
      const waiting = all.filter(({ createdBy, enabled, fired }) => createdBy === 'model' && !enabled && fired === 0);
      if (waiting.length >= MAX_PAUSED) {
        throw new ToolyardError({
          code: 'tool_failed',
          message: say`The user has not yet resumed or deleted ${MAX_PAUSED} schedules of models.`,
          hint: say`The user can do so under Settings, Schedules.`,
        });
      }
      const schedule: CreateSchedule = {
        ...defined({ id }),
        title,
        task,
        timing: readTiming({ cron, at, seconds }),
        ...defined({ timeZone }),
        ...(await asIn(ctx, principal, storage)),
      };
      return createdText(await schedules().create(principal, schedule, defined({ conversationId: ctx.conversation })));
    },
  });
}

function createListSchedules({ schedules, owner }: ScheduleToolsOptions): FunctionTool {
  return tool({
    name: 'list_schedules',
    title: say`List schedules`.text,
    description: say`Lists the schedules of the user with their times and tasks.`.text,
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnly: true, openWorld: false },
    async execute(_args, ctx) {
      const all = await schedules().list(getOwner(ctx, owner));
      if (all.length === 0) return 'There are no schedules.';
      return JSON.stringify(
        all.map(({ title, task, timing, timeZone, enabled, nextAt }) => ({
          title,
          task,
          timing,
          timeZone,
          paused: !enabled,
          next: nextAt === null ? null : new Date(nextAt).toISOString(),
        })),
      );
    },
  });
}

function readTiming({
  cron,
  at,
  seconds,
}: {
  cron: string | undefined;
  at: string | undefined;
  seconds: number | undefined;
}): ScheduleTiming {
  const given = [cron, at, seconds].filter((value) => value !== undefined);
  if (given.length !== 1) throw createInvalidArgumentsError(say`Set exactly one of cron, at and every_seconds.`);
  if (cron !== undefined) return { kind: 'cron', expression: cron };
  if (seconds !== undefined) return { kind: 'interval', seconds };
  const time = Date.parse(at ?? '');
  // Without an offset it would be a time of the server's zone.
  if (Number.isNaN(time) || !/(Z|[+-]\d\d:?\d\d)$/i.test(at ?? '')) {
    throw createInvalidArgumentsError(
      say`"at" must be a time with its offset, such as 2027-01-15T09:00:00+01:00 (got "${at ?? ''}").`,
    );
  }
  return { kind: 'once', at: time };
}

/** The agent and the model of the conversation in which it is created. */
async function asIn(
  { conversation }: ToolContext,
  principal: Owner,
  { conversations }: Pick<SharedStorage, 'conversations'>,
): Promise<Pick<CreateSchedule, 'agentId' | 'configuration'>> {
  const found = conversation === undefined ? null : await conversations.get(principal, conversation);
  if (found === null) return {};
  const { model } = readStoredConfiguration(found.configuration);
  return { agentId: found.agentId, ...(model === undefined ? {} : { configuration: { model } }) };
}

function createdText({ title, description, nextAt, enabled }: ScheduleView): string {
  const times = description === null ? '' : ` (${description})`;
  const state = enabled
    ? `It is on; its next time is ${nextAt === null ? 'none' : new Date(nextAt).toISOString()}.`
    : 'It is paused and does nothing until the user resumes it under Settings, Schedules. Tell the user.';
  return `The schedule "${title}"${times} exists. ${state}`;
}

/** The same for a call that is made again after a crash. */
function findId({ callId }: ToolContext): string | undefined {
  if (callId === undefined) return undefined;
  return `model-${createHash('sha256').update(callId).digest('hex').slice(0, 32)}`;
}

function createInvalidArgumentsError(message: AnyText): ToolyardError {
  return new ToolyardError({ code: 'invalid_arguments', message });
}
