import { z } from 'zod';
import { agentConfiguration } from './configuration.ts';
import {
  clientId,
  namedObject,
  createPageSchema,
  timestamp,
  titleText,
  toolReference,
  textTemplates,
} from './common.ts';
import { runStatus } from './runs.ts';

const id = z.string().min(1).max(300);

export const scheduleTiming = z.discriminatedUnion('kind', [
  /** Five fields (minute, hour, day, month, weekday), or six that begin with the second. */
  z.strictObject({ kind: z.literal('cron'), expression: z.string().min(1).max(200) }),
  z.strictObject({ kind: z.literal('once'), at: timestamp }),
  /** From `start` on; default: the time of the request. */
  z.strictObject({
    kind: z.literal('interval'),
    seconds: z.int().min(1).max(31_536_000),
    start: timestamp.exactOptional(),
  }),
]);
/** When a schedule is due. */
export type ScheduleTiming = z.output<typeof scheduleTiming>;

export const scheduleConditions = z.strictObject({
  /** Weekdays, 0 is Sunday. */
  days: z.array(z.int().min(0).max(6)).min(1).max(7).exactOptional(),
  /** Hours of the day, `to` not included; `from` after `to` spans midnight. */
  hours: z.strictObject({ from: z.int().min(0).max(23), to: z.int().min(1).max(24) }).exactOptional(),
  maxPerDay: z.int().min(1).max(100_000).exactOptional(),
  maxTotal: z.int().min(1).max(10_000_000).exactOptional(),
});
/** Restrictions of the times. Days and hours are those of the schedule's time zone. */
export type ScheduleConditions = z.output<typeof scheduleConditions>;

export const missedPolicy = z.enum(['skip', 'once', 'all']);
/** What happens with times at which no Toolyard process was running. `all`: the oldest ones, up to `missedLimit`. */
export type MissedPolicy = z.output<typeof missedPolicy>;

export const overlapPolicy = z.enum(['skip', 'wait', 'parallel']);
/** What happens if the previous run of the schedule is still active. `wait`: at most one time waits. */
export type OverlapPolicy = z.output<typeof overlapPolicy>;

export const scheduleTarget = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('new') }),
  z.strictObject({ kind: z.literal('conversation'), conversationId: id }),
]);

const planFields = {
  timing: scheduleTiming,
  /** IANA name, such as `Europe/Berlin`. */
  timeZone: z.string().min(1).max(100),
  conditions: scheduleConditions,
  missed: missedPolicy,
  missedLimit: z.int().min(1).max(100),
};

/** When a schedule is due, and what happens with missed times. */
export const schedulePlan = z.strictObject(planFields);
export type SchedulePlan = z.output<typeof schedulePlan>;

const definitionFields = {
  ...planFields,
  /** The message that each run starts with. */
  task: z.string().min(1).max(20_000),
  /** Each run starts a new conversation, or continues one. */
  target: scheduleTarget,
  agentId: id.nullable(),
  configuration: agentConfiguration,
  overlap: overlapPolicy,
  /** Tools that runs in new conversations may call without approval, while their definitions do not change. */
  allowedTools: z.array(toolReference).max(200),
};

export const scheduleDefinition = z.strictObject(definitionFields);
/** Everything about a schedule that the user chooses, except its title. */
export type ScheduleDefinition = z.output<typeof scheduleDefinition>;

export const scheduleFiring = namedObject('ScheduleFiring', {
  plannedAt: timestamp,
  /** When the outcome was stored. */
  at: timestamp,
  outcome: z.enum(['due', 'waiting', 'started', 'skipped', 'failed']),
  /** Why it was skipped or failed, or what it waits for. */
  reason: z.string().nullable(),
  templates: textTemplates.exactOptional(),
  runId: z.string().nullable(),
  conversationId: z.string().nullable(),
  /** Null without a run, or if it was deleted. */
  runStatus: runStatus.nullable(),
});
/** One time of a schedule and what happened at it. */
export type ScheduleFiring = z.output<typeof scheduleFiring>;
export const scheduleFiringPage = createPageSchema('ScheduleFiringPage', scheduleFiring);

export const scheduleView = namedObject('ScheduleView', {
  id: z.string(),
  title: z.string(),
  ...definitionFields,
  /** False: paused. */
  enabled: z.boolean(),
  /** A schedule that a model created starts paused. */
  createdBy: z.enum(['user', 'model']),
  /** The conversation in which a model created it; without a title if it does not exist any more. */
  createdIn: z.strictObject({ conversationId: z.string(), title: z.string().nullable() }).nullable(),
  /** Null if it is paused, or has no more times. */
  nextAt: timestamp.nullable(),
  /** Number of times at which a run was to start. */
  fired: z.int(),
  /** A cron expression in words; null for other timings. */
  description: z.string().nullable(),
  /** Null before the first time. */
  lastFiring: scheduleFiring.nullable(),
  version: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** A task that runs at given times. */
export type ScheduleView = z.output<typeof scheduleView>;
export const schedulePage = createPageSchema('SchedulePage', scheduleView);

const chosenFields = {
  timeZone: planFields.timeZone.exactOptional(),
  conditions: scheduleConditions.exactOptional(),
  missed: missedPolicy.exactOptional(),
  missedLimit: planFields.missedLimit.exactOptional(),
};
const optionalFields = {
  ...chosenFields,
  target: scheduleTarget.exactOptional(),
  agentId: definitionFields.agentId.exactOptional(),
  configuration: agentConfiguration.exactOptional(),
  overlap: overlapPolicy.exactOptional(),
  allowedTools: definitionFields.allowedTools.exactOptional(),
  enabled: z.boolean().exactOptional(),
};

export const createScheduleBody = namedObject('CreateSchedule', {
  id: clientId.max(60).exactOptional(),
  title: titleText.min(1),
  task: definitionFields.task,
  timing: scheduleTiming,
  ...optionalFields,
});
/** Defaults: time zone of the server, `missed` once, `overlap` skip, a new conversation for each run. */
export type CreateSchedule = z.output<typeof createScheduleBody>;

export const changeScheduleBody = namedObject('ChangeSchedule', {
  version: z.int().positive().describe('The version that the client read; an older one is rejected'),
  title: titleText.min(1).exactOptional(),
  task: definitionFields.task.exactOptional(),
  timing: scheduleTiming.exactOptional(),
  ...optionalFields,
});
export type ChangeSchedule = z.output<typeof changeScheduleBody>;

/** Language of a description in words. */
export const descriptionLanguage = z.enum(['en', 'zh-Hant', 'zh-Hans']);
export type DescriptionLanguage = z.output<typeof descriptionLanguage>;

export const previewScheduleBody = namedObject('PreviewSchedule', {
  timing: scheduleTiming,
  ...chosenFields,
  count: z.int().min(1).max(20).exactOptional(),
  language: descriptionLanguage.exactOptional(),
});
/** Asks for the next times of a timing. */
export type PreviewSchedule = z.output<typeof previewScheduleBody>;

export const schedulePreview = namedObject('SchedulePreview', {
  /** A cron expression in words; null for other timings. */
  description: z.string().nullable(),
  times: z.array(timestamp),
});
export type SchedulePreview = z.output<typeof schedulePreview>;
