import type { ScheduleConditions, SchedulePlan } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import { Cron } from 'croner';
import { createInvalidError } from '../errors.ts';
import { isTimeZone, localTime, nextLocalHour } from './local-time.ts';

/** The part of a plan that determines its times. */
export type Times = Pick<SchedulePlan, 'timing' | 'timeZone' | 'conditions'>;

/** Hours of a week, with reserve: a permitted hour is found within that many steps, or no hour is permitted. */
const HOURS_OF_A_WEEK = 24 * 8;
/** Times of a cron expression may miss every permitted hour for long, or for ever. */
const MAX_JUMPS = 400;

/**
 * The first time after `after` that the timing and its days and hours allow; null if no such time exists. `anchor`: where an
 * interval without a start begins.
 *
 * @throws ToolyardError `bad_request` for an invalid cron expression or time zone
 */
export function nextTime({ timing, timeZone, conditions }: Times, after: number, anchor: number): number | null {
  requireTimeZone(timeZone);
  let from = after;
  const following = createFollowing({ timing, timeZone, conditions }, anchor);
  for (let jump = 0; jump < MAX_JUMPS; jump += 1) {
    const at = following(from);
    if (at === null || isPermitted(conditions, at, timeZone)) return at;
    const permitted = nextPermittedHour(conditions, at, timeZone);
    if (permitted === null) return null;
    from = permitted - 1;
  }
  return null;
}

function createFollowing({ timing, timeZone }: Times, anchor: number): (after: number) => number | null {
  switch (timing.kind) {
    case 'once':
      return (after) => (timing.at > after ? timing.at : null);
    case 'interval': {
      const { seconds, start = anchor } = timing;
      const every = seconds * 1_000;
      return (after) => (after < start ? start : start + (Math.floor((after - start) / every) + 1) * every);
    }
    case 'cron': {
      const cron = parseCron(timing.expression, timeZone);
      return (after) => cron.nextRun(new Date(after))?.getTime() ?? null;
    }
  }
}

/** Parsing takes longer than finding the next time, and few expressions are in use. */
const parsed = new Map<string, Cron>();
const MAX_PARSED = 1_000;

function parseCron(expression: string, timeZone: string): Cron {
  const key = `${timeZone} ${expression}`;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const fields = expression.trim().split(/\s+/);
  if (!expression.trim().startsWith('@') && fields.length !== 5 && fields.length !== 6) {
    throw createInvalidError(
      say`The cron expression "${expression}" has ${fields.length} fields; it must have 5 (minute hour day month weekday), or 6 with the second first.`,
    );
  }
  try {
    const cron = new Cron(expression.trim(), { timezone: timeZone, paused: true, mode: '5-or-6-parts' });
    if (parsed.size >= MAX_PARSED) parsed.clear();
    parsed.set(key, cron);
    return cron;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.replace(/^Cron\w*: /, '') : String(thrown);
    throw createInvalidError(say`The cron expression "${expression}" is invalid: ${why}`);
  }
}

function isPermitted({ days, hours }: ScheduleConditions, at: number, timeZone: string): boolean {
  if (days === undefined && hours === undefined) return true;
  const { weekday, hour } = localTime(at, timeZone);
  if (days !== undefined && !days.includes(weekday)) return false;
  if (hours === undefined) return true;
  const { from, to } = hours;
  return from < to ? hour >= from && hour < to : hour >= from || hour < to;
}

function nextPermittedHour(conditions: ScheduleConditions, at: number, timeZone: string): number | null {
  let hour = at;
  for (let step = 0; step < HOURS_OF_A_WEEK; step += 1) {
    hour = nextLocalHour(hour, timeZone);
    if (isPermitted(conditions, hour, timeZone)) return hour;
  }
  return null;
}

function requireTimeZone(timeZone: string): void {
  if (isTimeZone(timeZone)) return;
  throw createInvalidError(
    say`There is no time zone "${timeZone}".`,
    say`Use an IANA name, such as Europe/Berlin or Asia/Taipei.`,
  );
}
