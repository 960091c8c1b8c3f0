import type { SchedulePlan, AnyText } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import { localTime, nextLocalDay } from './local-time.ts';
import { nextTime } from './timing.ts';

/** What a schedule has used of its limits. `day` is the local day that `onDay` counts. */
export type UsedTimes = { fired: number; day: string | null; onDay: number };

export type DueTimes = {
  /** Times at which a run is to start, in order. */
  fire: number[];
  /** The last of the missed times that are left out, and why; null without any. */
  skipped: { plannedAt: number; reason: AnyText } | null;
  /** The next time, which may be due as well; null if no such time exists. */
  nextAt: number | null;
  used: UsedTimes;
};

/** A time is missed if no process has started it within this time. */
const MISSED_AFTER_MS = 30_000;
/** More times are claimed in the next turn. */
const AT_ONCE = 100;

/**
 * The times that are due now, from `plan.nextAt` on. Pure: two processes with the same row get the same result.
 *
 * @param anchor where an interval without a start begins
 */
export function dueTimes(
  plan: SchedulePlan,
  { nextAt, used, anchor }: { nextAt: number; used: UsedTimes; anchor: number },
  now: number,
): DueTimes {
  const fire: number[] = [];
  let skipped: DueTimes['skipped'] = null;
  let counts = used;
  let at: number | null = nextAt;
  const onTimeFrom = now - MISSED_AFTER_MS;
  const catchUp = { skip: 0, once: 1, all: plan.missedLimit }[plan.missed];

  const take = (time: number): void => {
    fire.push(time);
    counts = counted(counts, time, plan.timeZone);
    at = nextWithin(plan, time, counts, anchor);
  };
  while (at !== null && at < onTimeFrom && fire.length < catchUp) take(at);
  if (at !== null && at < onTimeFrom) {
    skipped = { plannedAt: at, reason: MISSED_REASONS[plan.missed] };
    at = nextWithin(plan, onTimeFrom - 1, counts, anchor);
  }
  while (at !== null && at <= now && fire.length < AT_ONCE) take(at);
  return { fire, skipped, nextAt: at, used: counts };
}

/** The next time that also the maximum per day and in total allow. */
export function nextWithin(plan: SchedulePlan, after: number, used: UsedTimes, anchor: number): number | null {
  const { maxPerDay, maxTotal } = plan.conditions;
  if (maxTotal !== undefined && used.fired >= maxTotal) return null;
  const at = nextTime(plan, after, anchor);
  if (at === null || maxPerDay === undefined) return at;
  const { day } = localTime(at, plan.timeZone);
  if (used.day !== day || used.onDay < maxPerDay) return at;
  return nextTime(plan, nextLocalDay(at, plan.timeZone) - 1, anchor);
}

/** Counts one more time. */
export function counted({ fired, day, onDay }: UsedTimes, at: number, timeZone: string): UsedTimes {
  const today = localTime(at, timeZone).day;
  return { fired: fired + 1, day: today, onDay: today === day ? onDay + 1 : 1 };
}

const MISSED_REASONS = {
  skip: say`Toolyard was not running at this time and at any others before the next one.`,
  once: say`Toolyard was not running; one run makes up for all missed times.`,
  all: say`Toolyard was not running, and the limit of missed times was reached.`,
} as const;
