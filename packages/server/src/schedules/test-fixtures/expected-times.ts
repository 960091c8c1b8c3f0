import type { ScheduleConditions } from '@toolyard/protocol';

// Times of cron expressions, computed in another way than by the library: every minute of the period is compared with
// the fields.

const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 30 * MINUTE_MS;
const DAY_MS = 86_400_000;

/** What a clock shows, as milliseconds of a clock in UTC that shows the same. */
type ShownTime = number;
export type Zone = (at: number) => ShownTime;

/** What the clocks of a zone show, from its offsets at each half hour: they change at no other times. */
export function createZone(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const offsets = new Map<number, number>();
  return (at) => {
    const slot = Math.floor(at / HALF_HOUR_MS);
    let offset = offsets.get(slot);
    if (offset === undefined) {
      const name = format.formatToParts(slot * HALF_HOUR_MS).find(({ type }) => type === 'timeZoneName')?.value ?? '';
      const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
      offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
      offsets.set(slot, offset);
    }
    return at + offset;
  };
}

/**
 * The times of each expression of five fields in a period. An expression with one hour and one minute happens once a
 * day: the first time if the clock repeats it, and when the clock has been set forward if it skips it. Others happen
 * whenever the clock shows a time that matches.
 */
export function expectedTimes(
  expressions: readonly string[],
  zone: Zone,
  { from, to }: { from: number; to: number },
): number[][] {
  const matchers = expressions.map((expression) => ({
    matches: createMatcher(expression),
    isOneTime: /^\d+ \d+ /.test(expression),
    times: [] as number[],
  }));
  /** The latest time that the clock has shown: what it shows again is not later. */
  let latest = zone(from - MINUTE_MS);
  for (let at = from; at < to; at += MINUTE_MS) {
    const shown = zone(at);
    const date = new Date(shown);
    const isRepeated = shown <= latest;
    for (const { matches, isOneTime, times } of matchers) {
      if (matches(date) && !(isOneTime && isRepeated)) times.push(at);
      else if (isOneTime && shown > latest + MINUTE_MS && skips(matches, latest, shown)) times.push(at);
    }
    latest = Math.max(latest, shown);
  }
  return matchers.map(({ times }) => times);
}

/** The times that days and hours allow, at most this many per day and in total. */
export function withConditions(
  times: readonly number[],
  { days, hours, maxPerDay = Infinity, maxTotal = Infinity }: ScheduleConditions,
  zone: Zone,
): number[] {
  const onDay = new Map<number, number>();
  const allowed: number[] = [];
  for (const at of times) {
    const shown = new Date(zone(at));
    const [day, hour] = [Math.floor(shown.getTime() / DAY_MS), shown.getUTCHours()];
    if (days !== undefined && !days.includes(shown.getUTCDay())) continue;
    const { from = 0, to = 24 } = hours ?? {};
    if (from < to ? hour < from || hour >= to : hour < from && hour >= to) continue;
    const count = onDay.get(day) ?? 0;
    if (count >= maxPerDay || allowed.length >= maxTotal) continue;
    onDay.set(day, count + 1);
    allowed.push(at);
  }
  return allowed;
}

type Matches = (shown: Date) => boolean;

function createMatcher(expression: string): Matches {
  const ranges: readonly [number, number][] = [
    [0, 59],
    [0, 23],
    [1, 31],
    [1, 12],
    [0, 6],
  ];
  const fields = expression.split(' ').map((field, at) => readValues(field, ranges[at] ?? [0, 0]));
  const allows = (at: number, value: number): boolean => fields[at]?.has(value) === true;
  return (shown) =>
    allows(0, shown.getUTCMinutes()) &&
    allows(1, shown.getUTCHours()) &&
    allows(2, shown.getUTCDate()) &&
    allows(3, shown.getUTCMonth() + 1) &&
    allows(4, shown.getUTCDay());
}

function readValues(field: string, [low, high]: readonly [number, number]): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '*', step = '1'] = part.split('/');
    const [first = low, last = first] = range === '*' ? [low, high] : range.split('-').map(Number);
    for (let value = first; value <= last; value += Number(step)) values.add(value);
  }
  return values;
}

/** True if the clock skips a time of the expression between these two. */
function skips(matches: Matches, before: ShownTime, after: ShownTime): boolean {
  for (let shown = before + MINUTE_MS; shown < after; shown += MINUTE_MS) {
    if (matches(new Date(shown))) return true;
  }
  return false;
}
