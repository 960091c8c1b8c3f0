import { dateFormat } from '../i18n/formats.ts';

/** The time zone of the browser. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A time in a time zone, as the value of `<input type="datetime-local">`: `2027-01-15T09:00`. */
export function localText(at: number, timeZone: string): string {
  const format = dateFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

/**
 * The time that a clock in this time zone shows as `2027-01-15T09:00`; null for other text. A time that the clock skips
 * is the one as long after the change.
 */
export function readTime(text: string, timeZone: string): number | null {
  const wanted = Date.parse(`${text}Z`);
  if (Number.isNaN(wanted)) return null;
  const offsetAt = (at: number): number => Date.parse(`${localText(at, timeZone)}Z`) - at;
  // The offset before the change decides at a time that does not exist or occurs twice.
  const first = wanted - offsetAt(wanted - 86_400_000);
  if (localText(first, timeZone) === text) return first;
  const second = wanted - offsetAt(wanted + 86_400_000);
  return localText(second, timeZone) === text ? second : first;
}
