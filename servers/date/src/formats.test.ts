import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES, FORMATS, formatDate, type Moment } from './formats.ts';
import { allTimeZones } from './time-zone.ts';

const at = (iso: string, timeZone: string, locale = 'en-US'): Moment => ({
  instant: Date.parse(iso),
  timeZone,
  locale,
});

test.each(FORMAT_NAMES)('writes the documented example of %s', (name) => {
  const text = formatDate(at('2026-11-05T05:03:07Z', 'Asia/Tokyo'), name);
  // The texts come from the runtime's data, whose spaces differ between versions.
  expect(text.replace(/\s/g, ' ')).toBe(FORMATS[name]);
});

const changes: [zone: string, instant: string, iso: string, mail: string][] = [
  ['America/New_York', '2026-03-08T06:59:59Z', '2026-03-08T01:59:59-05:00', 'Sun, 08 Mar 2026 01:59:59 -0500'],
  ['America/New_York', '2026-03-08T07:00:00Z', '2026-03-08T03:00:00-04:00', 'Sun, 08 Mar 2026 03:00:00 -0400'],
  ['America/New_York', '2026-11-01T05:59:59Z', '2026-11-01T01:59:59-04:00', 'Sun, 01 Nov 2026 01:59:59 -0400'],
  ['America/New_York', '2026-11-01T06:00:00Z', '2026-11-01T01:00:00-05:00', 'Sun, 01 Nov 2026 01:00:00 -0500'],
  ['Europe/London', '2026-03-29T00:59:59Z', '2026-03-29T00:59:59+00:00', 'Sun, 29 Mar 2026 00:59:59 +0000'],
  ['Europe/London', '2026-03-29T01:00:00Z', '2026-03-29T02:00:00+01:00', 'Sun, 29 Mar 2026 02:00:00 +0100'],
  ['America/St_Johns', '2026-01-01T00:00:00Z', '2025-12-31T20:30:00-03:30', 'Wed, 31 Dec 2025 20:30:00 -0330'],
  ['America/St_Johns', '2026-07-01T00:00:00Z', '2026-06-30T21:30:00-02:30', 'Tue, 30 Jun 2026 21:30:00 -0230'],
  ['Australia/Lord_Howe', '2026-04-04T14:59:59Z', '2026-04-05T01:59:59+11:00', 'Sun, 05 Apr 2026 01:59:59 +1100'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', '2026-04-05T01:30:00+10:30', 'Sun, 05 Apr 2026 01:30:00 +1030'],
  ['Pacific/Chatham', '2026-01-01T00:00:00Z', '2026-01-01T13:45:00+13:45', 'Thu, 01 Jan 2026 13:45:00 +1345'],
  ['Pacific/Chatham', '2026-07-01T00:00:00Z', '2026-07-01T12:45:00+12:45', 'Wed, 01 Jul 2026 12:45:00 +1245'],
  ['Asia/Kolkata', '2026-11-05T18:30:00Z', '2026-11-06T00:00:00+05:30', 'Fri, 06 Nov 2026 00:00:00 +0530'],
  ['Asia/Kathmandu', '2026-11-05T00:00:00Z', '2026-11-05T05:45:00+05:45', 'Thu, 05 Nov 2026 05:45:00 +0545'],
  ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', '2027-01-01T00:00:00+14:00', 'Fri, 01 Jan 2027 00:00:00 +1400'],
  ['Pacific/Pago_Pago', '2026-01-01T10:59:59Z', '2025-12-31T23:59:59-11:00', 'Wed, 31 Dec 2025 23:59:59 -1100'],
  ['UTC', '2028-02-29T23:59:59Z', '2028-02-29T23:59:59+00:00', 'Tue, 29 Feb 2028 23:59:59 +0000'],
];

describe.each(changes)('writes %s at %s', (zone, instant, iso, mail) => {
  test('with the offset valid at that time in iso', () => expect(formatDate(at(instant, zone), 'iso')).toBe(iso));
  test('and in rfc2822', () => expect(formatDate(at(instant, zone), 'rfc2822')).toBe(mail));
});

const instants = ['1969-07-20T20:17:40Z', '2026-01-15T11:59:59Z', '2026-07-15T12:00:00Z', '2026-10-25T01:00:00Z'];

test("writes the exact instant as iso and rfc2822 in every zone, like the runtime's clock", () => {
  for (const timeZone of allTimeZones()) {
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    for (const instant of instants) {
      const moment = at(instant, timeZone);
      expect.soft(Date.parse(formatDate(moment, 'iso')), `${timeZone} iso`).toBe(moment.instant);
      expect.soft(Date.parse(formatDate(moment, 'rfc2822')), `${timeZone} rfc2822`).toBe(moment.instant);
      expect.soft(formatDate(moment, 'datetime'), timeZone).toBe(clock.format(moment.instant));
    }
  }
});

test('rounds an offset with seconds, as in Liberia until 1972, together with its clock', () => {
  const moment = at('1970-01-01T00:00:00Z', 'Africa/Monrovia');
  expect(formatDate(moment, 'iso')).toBe('1969-12-31T23:16:00-00:44');
  expect(formatDate(moment, 'time')).toBe('23:15:30');
});

test('truncates fractions of a second, also before 1970', () => {
  expect(formatDate({ instant: 1999, timeZone: 'UTC', locale: 'en' }, 'unix')).toBe('1');
  expect(formatDate({ instant: -1, timeZone: 'UTC', locale: 'en' }, 'unix')).toBe('-1');
  expect(formatDate({ instant: -1, timeZone: 'UTC', locale: 'en' }, 'iso')).toBe('1969-12-31T23:59:59+00:00');
});

test.each([
  ['en-US', ['Thursday', 'November 5', '2026', 'Japan Standard Time']],
  ['de-DE', ['Donnerstag', '5. November 2026', 'Japanische Normalzeit']],
  ['zh-TW', ['2026年11月5日', '星期四', '日本標準時間']],
  ['ja-JP', ['2026年11月5日木曜日', '日本標準時']],
])('writes weekday, date and zone name in the language of %s', (locale, words) => {
  const text = formatDate(at('2026-11-05T05:03:07Z', 'Asia/Tokyo', locale), 'locale');
  for (const word of words) expect(text).toContain(word);
});
