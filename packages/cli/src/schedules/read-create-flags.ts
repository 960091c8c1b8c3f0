import type {
  CreateSchedule,
  ModelReference,
  ScheduleConditions,
  ScheduleTiming,
  ToolReference,
} from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { createRequestError } from '../errors.ts';

/** The flags of `toolyard schedules create`. */
export type CreateFlags = {
  task: string;
  cron?: string;
  at?: string;
  every?: string;
  timeZone?: string;
  agent?: string;
  model?: string;
  conversation?: string;
  days?: string;
  hours?: string;
  maxPerDay?: number;
  maxTotal?: number;
  missed?: CreateSchedule['missed'];
  missedLimit?: number;
  overlap?: CreateSchedule['overlap'];
  allow: string[];
  paused?: boolean;
  dryRun?: boolean;
};

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * The schedule that the flags describe.
 *
 * @throws ToolyardError `bad_request` for a flag that cannot be read
 */
export function readCreateFlags(title: string, flags: CreateFlags, agentId: string | undefined): CreateSchedule {
  const { task, timeZone, missed, missedLimit, overlap, conversation, allow } = flags;
  return {
    title,
    task,
    timing: readTiming(flags),
    conditions: toConditions(flags),
    ...defined({ timeZone, missed, missedLimit, overlap, agentId }),
    ...(conversation === undefined ? {} : { target: { kind: 'conversation', conversationId: conversation } }),
    ...(flags.model === undefined ? {} : { configuration: { model: readModel(flags.model) } }),
    ...(allow.length === 0 ? {} : { allowedTools: allow.map(readTool) }),
    ...(flags.paused === true ? { enabled: false } : {}),
  };
}

function readTiming({ cron, at, every }: CreateFlags): ScheduleTiming {
  if ([cron, at, every].filter((flag) => flag !== undefined).length !== 1) {
    throw createRequestError('A schedule needs exactly one of --cron, --at and --every.');
  }
  if (cron !== undefined) return { kind: 'cron', expression: cron };
  if (at !== undefined) {
    const time = Date.parse(at);
    if (Number.isNaN(time))
      throw createRequestError(`--at ${at}: not a time.`, 'Use a form such as 2027-01-15T09:00:00+01:00.');
    return { kind: 'once', at: time };
  }
  const [, count = '', unit = ''] = /^([1-9]\d{0,8})([smhd])$/.exec(every ?? '') ?? [];
  if (count === '')
    throw createRequestError(`--every ${every}: not an interval.`, 'Use a form such as 30s, 15m, 2h or 1d.');
  return { kind: 'interval', seconds: Number(count) * (SECONDS[unit] ?? 1) };
}

function toConditions({ days, hours, maxPerDay, maxTotal }: CreateFlags): ScheduleConditions {
  return {
    ...(days === undefined ? {} : { days: readDays(days) }),
    ...(hours === undefined ? {} : { hours: readHours(hours) }),
    ...defined({ maxPerDay, maxTotal }),
  };
}

function readDays(text: string): number[] {
  return text.split(',').map((name) => {
    const day = DAYS.indexOf(name.trim().toLowerCase().slice(0, 3));
    if (day === -1) throw createRequestError(`--days ${text}: "${name}" is not a day.`, `Days: ${DAYS.join(', ')}.`);
    return day;
  });
}

function readHours(text: string): { from: number; to: number } {
  const [, from = '', to = ''] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  if (from === '' || Number(from) > 23 || Number(to) < 1 || Number(to) > 24) {
    throw createRequestError(`--hours ${text}: not two hours.`, 'Use a form such as 8-18, or 22-6 across midnight.');
  }
  return { from: Number(from), to: Number(to) };
}

function readModel(text: string): ModelReference {
  const at = text.indexOf('/');
  if (at < 1 || at === text.length - 1)
    throw createRequestError(`--model ${text}: not a model.`, 'Use the form provider/model.');
  return { providerId: text.slice(0, at), modelId: text.slice(at + 1) };
}

function readTool(text: string): ToolReference {
  const at = text.indexOf('/');
  if (at < 1 || at === text.length - 1)
    throw createRequestError(`--allow ${text}: not a tool.`, 'Use the form server/tool.');
  return { serverId: text.slice(0, at), name: text.slice(at + 1) };
}
