import type { ScheduleConditions } from '@toolyard/protocol';

// Times of cron expressions, computed in another way than by the library: every minute of the period is compared with
// the fields.

const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 30 * MINUTE_MS;

type Local = { day: string; month: number; date: number; weekday: number; hour: number; minute: number; text: string };

/** Local times of a zone, from its offsets at each half hour: clocks change at no other times. */
export function createZone(timeZone: string): (at: number) => Local {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const offsets = new Map<number, number>();
  const offsetAt = (at: number): number => {
    const slot = Math.floor(at / HALF_HOUR_MS);
    let offset = offsets.get(slot);
    if (offset === undefined) {
      const name = format.formatToParts(slot * HALF_HOUR_MS).find(({ type }) => type === 'timeZoneName')?.value ?? '';
      const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
      offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
      offsets.set(slot, offset);
    }
    return offset;
  };
  return (at) => {
    const local = new Date(at + offsetAt(at));
    return {
      day: local.toISOString().slice(0, 10),
      month: local.getUTCMonth() + 1,
      date: local.getUTCDate(),
      weekday: local.getUTCDay(),
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
      text: local.toISOString().slice(0, 16),
    };
  };
}

/**
 * The times of an expression of five fields in a period. An hour that is named (not `*`) happens once a day: the first
 * time if the clock repeats it, and when the clock has been set forward if it skips it.
 */
export function expectedTimes(
  expression: string,
  localAt: (at: number) => Local,
  { from, to }: { from: number; to: number },
): number[] {
  const [minutes, hours, dates, months, weekdays] = expression
    .split(' ')
    .map((field, at) => valuesOf(field, RANGES[at] ?? [0, 0]));
  const isNamed = !expression.split(' ')[1]?.startsWith('*');
  const matches = (local: Omit<Local, 'day' | 'text'>): boolean =>
    minutes?.has(local.minute) === true &&
    hours?.has(local.hour) === true &&
    dates?.has(local.date) === true &&
    months?.has(local.month) === true &&
    weekdays?.has(local.weekday) === true;
  const times: number[] = [];
  const seen = new Set<string>();
  let before = localAt(from - MINUTE_MS);
  for (let at = from; at < to; at += MINUTE_MS) {
    const local = localAt(at);
    const isRepeated = seen.has(local.text);
    if (isNamed) seen.add(local.text);
    const skipsOne = isNamed && skippedBetween(before.text, local.text).some((text) => matches(partsOf(text)));
    if ((matches(local) && !isRepeated) || skipsOne) times.push(at);
    before = local;
  }
  return times;
}

/** The times that days and hours allow, at most this many per day and in total. */
export function withConditions(
  times: readonly number[],
  { days, hours, maxPerDay = Infinity, maxTotal = Infinity }: ScheduleConditions,
  localAt: (at: number) => Local,
): number[] {
  const onDay = new Map<string, number>();
  const allowed: number[] = [];
  for (const at of times) {
    const { day, weekday, hour } = localAt(at);
    if (days !== undefined && !days.includes(weekday)) continue;
    const { from = 0, to = 24 } = hours ?? {};
    if (from < to ? hour < from || hour >= to : hour < from && hour >= to) continue;
    const count = onDay.get(day) ?? 0;
    if (count >= maxPerDay || allowed.length >= maxTotal) continue;
    onDay.set(day, count + 1);
    allowed.push(at);
  }
  return allowed;
}

const RANGES: readonly [number, number][] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
];

function valuesOf(field: string, [low, high]: readonly [number, number]): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '*', step = '1'] = part.split('/');
    const [first = low, last = first] = range === '*' ? [low, high] : range.split('-').map(Number);
    for (let value = first; value <= last; value += Number(step)) values.add(value);
  }
  return values;
}

/** The local minutes between two that follow each other: those that the clock skips. */
function skippedBetween(before: string, after: string): string[] {
  const skipped: string[] = [];
  const end = Date.parse(`${after}Z`);
  for (let at = Date.parse(`${before}Z`) + MINUTE_MS; at < end; at += MINUTE_MS) {
    skipped.push(new Date(at).toISOString().slice(0, 16));
  }
  return skipped;
}

function partsOf(text: string): Omit<Local, 'day' | 'text'> {
  const local = new Date(`${text}Z`);
  return {
    month: local.getUTCMonth() + 1,
    date: local.getUTCDate(),
    weekday: local.getUTCDay(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
  };
}
