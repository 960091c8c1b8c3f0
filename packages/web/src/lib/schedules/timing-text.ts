import type { ScheduleView } from '@toolyard/protocol';
import { showHidden } from '@toolyard/protocol';
import { dateFormat } from '../i18n/formats.ts';
import { i18n, t } from '../i18n/i18n.svelte.ts';
import { OWN_ZONE } from './zoned-time.ts';

const UNITS = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
  ['seconds', 1],
] as const;
export type IntervalUnit = (typeof UNITS)[number][0];
/** The longest first. */
export const INTERVAL_UNITS = UNITS.map(([unit]) => unit);

/** The largest unit in which an interval is a whole number. */
export function toInterval(seconds: number): { unit: IntervalUnit; count: number } {
  const [unit, length] = UNITS.find(([, each]) => seconds % each === 0) ?? UNITS[3];
  return { unit, count: seconds / length };
}

export function toSeconds(unit: IntervalUnit, count: number): number {
  return count * (UNITS.find(([name]) => name === unit)?.[1] ?? 1);
}

/** When a schedule runs, in words. */
export function timingText({ timing, timeZone, description }: ScheduleView): string {
  switch (timing.kind) {
    case 'cron':
      return withZone(description ?? showHidden(timing.expression), timeZone);
    case 'once':
      return withZone(t('schedules.onceAt', { time: timeIn(timing.at, timeZone) }), timeZone);
    case 'interval': {
      const { unit, count } = toInterval(timing.seconds);
      return t(`schedules.every_${unit}`, { count });
    }
  }
}

/** When a schedule runs next, or that it does not. */
export function nextText({ enabled, nextAt, timeZone }: ScheduleView): string {
  if (!enabled) return t('schedules.paused');
  return nextAt === null ? t('schedules.over') : t('schedules.next', { time: timeIn(nextAt, timeZone) });
}

/** Date and time in a time zone, with the weekday. */
export function timeIn(at: number, timeZone: string): string {
  const options: Intl.DateTimeFormatOptions = {
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  };
  try {
    return dateFormat(i18n.locale, { ...options, timeZone }).format(at);
  } catch {
    return dateFormat(i18n.locale, options).format(at);
  }
}

/** Names a time zone that is not the browser's. */
function withZone(text: string, timeZone: string): string {
  return timeZone === OWN_ZONE ? text : `${text} · ${timeZone}`;
}
