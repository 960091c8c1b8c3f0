import { describe, expect, test } from 'vitest';
import { localText, readTime } from './zoned-time.ts';

describe('times in a time zone', () => {
  test.each([
    ['2027-01-15T09:00', 'Europe/Berlin', '2027-01-15T08:00:00.000Z'],
    ['2027-07-15T09:00', 'Europe/Berlin', '2027-07-15T07:00:00.000Z'],
    ['2027-07-15T00:30', 'Asia/Taipei', '2027-07-14T16:30:00.000Z'],
    ['2027-03-28T12:00', 'Europe/Berlin', '2027-03-28T10:00:00.000Z'],
    ['2027-10-31T01:30', 'Europe/Berlin', '2027-10-30T23:30:00.000Z'],
    ['2027-10-31T12:00', 'Europe/Berlin', '2027-10-31T11:00:00.000Z'],
    ['2027-11-07T23:59', 'America/New_York', '2027-11-08T04:59:00.000Z'],
  ])('%s in %s is %s', (text, zone, expected) => {
    const at = readTime(text, zone);
    expect(new Date(at ?? 0).toISOString()).toBe(expected);
    expect(localText(at ?? 0, zone)).toBe(text);
  });

  test('a time that the clock skips is after the change, and one that it repeats is the first', () => {
    expect(new Date(readTime('2027-03-28T02:30', 'Europe/Berlin') ?? 0).toISOString()).toBe('2027-03-28T01:30:00.000Z');
    expect(new Date(readTime('2027-10-31T02:30', 'Europe/Berlin') ?? 0).toISOString()).toBe('2027-10-31T00:30:00.000Z');
  });

  test('other text is no time', () => {
    expect(readTime('', 'UTC')).toBeNull();
    expect(readTime('tomorrow', 'UTC')).toBeNull();
  });
});
