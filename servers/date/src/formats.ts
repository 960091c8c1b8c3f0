import { utcOffsetSeconds, wallClock } from './time-zone.ts';

/** The output formats, with an example of each. */
export const FORMATS = {
  iso: '2026-11-05T14:03:07+09:00',
  date: '2026-11-05',
  time: '14:03:07',
  datetime: '2026-11-05 14:03:07',
  locale: 'Thursday, November 5, 2026 at 2:03:07 PM Japan Standard Time',
  unix: '1793854987',
  rfc2822: 'Thu, 05 Nov 2026 14:03:07 +0900',
} as const;

export type DateFormat = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as [DateFormat, ...DateFormat[]];

/** An instant (milliseconds since 1970) in a time zone and locale, both validated. */
export type Moment = { instant: number; timeZone: string; locale: string };

/** Writes a moment in one of the formats. */
export function formatDate(moment: Moment, format: DateFormat): string {
  switch (format) {
    case 'iso':
      return isoText(moment);
    case 'date':
      return localClock(moment).date;
    case 'time':
      return localClock(moment).time;
    case 'datetime':
      return `${localClock(moment).date} ${localClock(moment).time}`;
    case 'locale':
      return humanText(moment);
    case 'unix':
      return String(unixSeconds(moment.instant));
    case 'rfc2822':
      return mailText(moment);
  }
}

/** Whole seconds since 1970. */
export function unixSeconds(instant: number): number {
  return Math.floor(instant / 1000);
}

/** The zone's offset in ISO 8601: `+09:00`, and `+00:00` for UTC. */
export function offsetText({ instant, timeZone }: Moment): string {
  const minutes = wholeMinutes(utcOffsetSeconds(instant, timeZone));
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
}

function isoText(moment: Moment): string {
  const { date, time } = minuteClock(moment);
  return `${date}T${time}${offsetText(moment)}`;
}

/** RFC 2822, section 3.3: English names in every locale. */
function mailText(moment: Moment): string {
  const { date, time } = minuteClock(moment);
  return new Date(`${date}T${time}Z`).toUTCString().replace('GMT', offsetText(moment).replace(':', ''));
}

function humanText({ instant, timeZone, locale }: Moment): string {
  return new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'full', timeStyle: 'full' }).format(instant);
}

function localClock({ instant, timeZone }: Moment) {
  return wallClock(instant, utcOffsetSeconds(instant, timeZone));
}

/**
 * Before standard time, zones had offsets with seconds, which ISO 8601 and RFC 2822 cannot express. Clock and offset
 * are rounded together, so that the text still denotes the same instant.
 */
function minuteClock({ instant, timeZone }: Moment) {
  return wallClock(instant, wholeMinutes(utcOffsetSeconds(instant, timeZone)) * 60);
}

function wholeMinutes(seconds: number): number {
  return Math.round(seconds / 60);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
