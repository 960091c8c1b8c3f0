import type { JsonObject, ScheduleDefinition, SchedulePlan, ScheduleView } from '@toolyard/protocol';
import { canonicalJson, say } from '@toolyard/protocol';
import { scheduleDefinition } from '@toolyard/protocol/schemas';
import type { StoredSchedule } from '@toolyard/storage';
import { createInvalidError } from '../errors.ts';
import type { UsedTimes } from './due-times.ts';
import { nextWithin } from './due-times.ts';
import { nextTime } from './timing.ts';

type Chosen<T, Required extends keyof T> = Pick<T, Required> & Partial<Omit<T, Required>>;

/** Adds the defaults. */
export function completePlan(chosen: Chosen<SchedulePlan, 'timing'>, timeZone: string): SchedulePlan {
  const { timing, conditions = {}, missed = 'once', missedLimit = 10 } = chosen;
  return { timing, timeZone: chosen.timeZone ?? timeZone, conditions, missed, missedLimit };
}

/** Adds the defaults. An interval without a start begins when the schedule is created. */
export function completeDefinition(
  chosen: Chosen<ScheduleDefinition, 'timing' | 'task'>,
  timeZone: string,
): ScheduleDefinition {
  const { task, target = { kind: 'new' }, agentId = null, configuration = {}, overlap = 'skip' } = chosen;
  const { allowedTools = [] } = chosen;
  return { ...completePlan(chosen, timeZone), task, target, agentId, configuration, overlap, allowedTools };
}

/** Reads a stored definition; null if it cannot be read, such as one of a newer version. */
export function readDefinition(stored: JsonObject): ScheduleDefinition | null {
  const read = scheduleDefinition.safeParse(stored);
  return read.success ? read.data : null;
}

/** As a user sees it, with what is not stored with it. */
export function toView(
  schedule: StoredSchedule,
  definition: ScheduleDefinition,
  known: Pick<ScheduleView, 'description' | 'lastFiring'>,
): ScheduleView {
  const { id, title, enabled, createdBy, createdIn, nextAt, used, version, createdAt, updatedAt } = schedule;
  const { fired } = used;
  const stored = { enabled, createdBy, createdIn, nextAt, fired, version, createdAt, updatedAt };
  return { id, title, ...definition, ...stored, ...known };
}

export function samePlan(one: SchedulePlan, other: SchedulePlan): boolean {
  const getTimesKey = ({ timing, timeZone, conditions }: SchedulePlan): string =>
    canonicalJson({ timing, timeZone, conditions });
  return getTimesKey(one) === getTimesKey(other);
}

/** Shortest time between two runs of a schedule by an API key or a model, for every form of its times, in milliseconds. */
const SHORTEST_GAP_MS = 60_000;
/** Successive times that are compared: an expression may have short and long gaps. */
const TIMES_COMPARED = 60;

/** @throws ToolyardError `bad_request` if two of the next times are less than a minute apart */
export function requireGaps(plan: SchedulePlan, now: number): void {
  let last: number | null = null;
  for (let compared = 0; compared < TIMES_COMPARED; compared += 1) {
    const next = nextTime(plan, last ?? now, now);
    if (next === null) return;
    if (last !== null && next - last < SHORTEST_GAP_MS) {
      throw createInvalidError(
        say`The schedule would run again after ${(next - last) / 1_000} s; the shortest interval is ${SHORTEST_GAP_MS / 1_000} s.`,
        say`Choose a longer interval, or a cron expression with five fields.`,
      );
    }
    last = next;
  }
}

/**
 * The first time after now.
 *
 * @throws ToolyardError `bad_request` if no such time exists, or for an invalid cron expression or time zone
 */
export function firstTime(plan: SchedulePlan, now: number, used: UsedTimes, anchor: number): number {
  const at = nextWithin(plan, now, used, anchor);
  if (at !== null) return at;
  const { maxTotal } = plan.conditions;
  const isUsedUp = maxTotal !== undefined && used.fired >= maxTotal;
  throw createInvalidError(
    isUsedUp
      ? say`The schedule has already run ${used.fired} times, which is its maximum.`
      : say`The schedule has no future time.`,
    isUsedUp ? say`Raise the maximum, or create another schedule.` : say`Check the date, the days and the hours.`,
  );
}
