import { describe, expect, test } from 'vitest';
import type { SchedulePlan, ScheduleTiming } from '@toolyard/protocol';
import { dueTimes, nextWithin } from './due-times.ts';
import { nextTime } from './timing.ts';

const at = (iso: string): number => Date.parse(iso);

function plan(timing: ScheduleTiming | string, more: Partial<SchedulePlan> = {}): SchedulePlan {
  return {
    timing: typeof timing === 'string' ? { kind: 'cron', expression: timing } : timing,
    timeZone: 'UTC',
    conditions: {},
    missed: 'once',
    missedLimit: 10,
    ...more,
  };
}

/** The next `count` times after `start`, as ISO strings. */
function times(of: SchedulePlan, start: string, count: number): string[] {
  const found: string[] = [];
  let after: number | null = at(start);
  for (let index = 0; index < count; index += 1) {
    after = nextTime(of, after, at(start));
    if (after === null) break;
    found.push(new Date(after).toISOString());
  }
  return found;
}

describe('times of cron expressions', () => {
  test('reads five and six fields', () => {
    expect(times(plan('30 9 * * 1-5'), '2026-11-27T10:00:00Z', 2)).toEqual([
      '2026-11-30T09:30:00.000Z',
      '2026-12-01T09:30:00.000Z',
    ]);
    expect(times(plan('*/20 * * * * *'), '2026-11-27T10:00:01Z', 2)).toEqual([
      '2026-11-27T10:00:20.000Z',
      '2026-11-27T10:00:40.000Z',
    ]);
  });

  test('a daily time that the clock skips in spring happens once, and one that it repeats in autumn too', () => {
    const spring = times(plan('30 2 * * *', { timeZone: 'Europe/Berlin' }), '2026-03-28T12:00:00Z', 2);
    expect(spring.map((time) => time.slice(0, 10))).toEqual(['2026-03-29', '2026-03-30']);
    const autumn = times(plan('30 2 * * *', { timeZone: 'Europe/Berlin' }), '2026-10-24T12:00:00Z', 2);
    expect(autumn.map((time) => time.slice(0, 10))).toEqual(['2026-10-25', '2026-10-26']);
  });

  test('finds a leap day', () => {
    expect(times(plan('0 0 29 2 *'), '2026-11-27T00:00:00Z', 1)).toEqual(['2028-02-29T00:00:00.000Z']);
  });

  test.each([
    ['* * *', /has 3 fields; it must have 5/],
    ['0 0 0 1 1 * 2027', /has 7 fields/],
    ['61 * * * *', /is invalid: .*61/],
    ['monday', /has 1 fields/],
  ])('rejects %j', (expression, message) => {
    expect(() => nextTime(plan(expression), 0, 0)).toThrow(message);
  });

  test('rejects an unknown time zone', () => {
    expect(() => nextTime(plan('* * * * *', { timeZone: 'Mars/Olympus' }), 0, 0)).toThrow(
      'There is no time zone "Mars/Olympus".',
    );
  });

  test('has no time for a day that never comes', () => {
    expect(times(plan('0 0 30 2 *'), '2026-01-01T00:00:00Z', 1)).toEqual([]);
  });
});

describe('other timings and conditions', () => {
  test('an interval counts from its start, also long before', () => {
    const every = plan({ kind: 'interval', seconds: 3_600, start: at('2020-01-01T00:10:00Z') });
    expect(times(every, '2026-11-27T10:00:00Z', 2)).toEqual(['2026-11-27T10:10:00.000Z', '2026-11-27T11:10:00.000Z']);
    expect(times(every, '2019-01-01T00:00:00Z', 1)).toEqual(['2020-01-01T00:10:00.000Z']);
  });

  test('once is over after its time', () => {
    const once = plan({ kind: 'once', at: at('2026-11-27T12:00:00Z') });
    expect(times(once, '2026-11-27T10:00:00Z', 3)).toEqual(['2026-11-27T12:00:00.000Z']);
  });

  test('days and hours are local, and hours may span midnight', () => {
    const nights = plan('0 * * * *', {
      timeZone: 'Asia/Taipei',
      conditions: { days: [6], hours: { from: 22, to: 1 } },
    });
    // Saturday 28 November 2026 begins at 16:00 UTC on Friday.
    expect(times(nights, '2026-11-27T15:30:00Z', 4)).toEqual([
      '2026-11-27T16:00:00.000Z',
      '2026-11-28T14:00:00.000Z',
      '2026-11-28T15:00:00.000Z',
      '2026-12-04T16:00:00.000Z',
    ]);
  });

  test('hours without any time of the expression have no time, soon', () => {
    expect(times(plan('0 12 * * *', { conditions: { hours: { from: 1, to: 2 } } }), '2026-01-01T00:00:00Z', 1)).toEqual(
      [],
    );
  });

  test('the maximum per day moves to the next local day, the maximum in total ends', () => {
    const limited = plan('0 * * * *', { timeZone: 'America/New_York', conditions: { maxPerDay: 2, maxTotal: 3 } });
    const after = at('2026-11-27T15:30:00Z');
    const used = { fired: 2, day: '2026-11-27', onDay: 2 };
    expect(new Date(nextWithin(limited, after, used, 0) ?? 0).toISOString()).toBe('2026-11-28T05:00:00.000Z');
    expect(nextWithin(limited, after, { ...used, fired: 3 }, 0)).toBeNull();
  });
});

describe('due times', () => {
  const hourly = '0 * * * *';
  const state = { nextAt: at('2026-11-27T10:00:00Z'), used: { fired: 0, day: null, onDay: 0 }, anchor: 0 };
  const iso = (list: readonly number[]): string[] => list.map((time) => new Date(time).toISOString().slice(11, 16));

  test('a time on time fires, and the next one follows', () => {
    const due = dueTimes(plan(hourly), state, state.nextAt + 900);
    expect(due).toMatchObject({ fire: [state.nextAt], skipped: null, nextAt: at('2026-11-27T11:00:00Z') });
    expect(due.used).toEqual({ fired: 1, day: '2026-11-27', onDay: 1 });
  });

  test.each([
    ['skip', [], '10:00'],
    ['once', ['10:00'], '11:00'],
    ['all', ['10:00', '11:00'], '12:00'],
  ] as const)('missed times with the policy %s', (missed, fired, skipped) => {
    const due = dueTimes(plan(hourly, { missed, missedLimit: 2 }), state, at('2026-11-27T14:30:00Z'));
    expect(iso(due.fire)).toEqual(fired);
    expect(iso([due.skipped?.plannedAt ?? 0])).toEqual([skipped]);
    expect(iso([due.nextAt ?? 0])).toEqual(['15:00']);
  });

  test('after missed times, the one that is due now still fires', () => {
    const due = dueTimes(plan(hourly, { missed: 'skip' }), state, at('2026-11-27T14:00:05Z'));
    expect(iso(due.fire)).toEqual(['14:00']);
  });

  test('a clock that was set back fires nothing again', () => {
    const due = dueTimes(plan(hourly), state, at('2026-11-27T09:00:00Z'));
    expect(due).toMatchObject({ fire: [], skipped: null, nextAt: state.nextAt });
  });

  test('thousands of missed times cost little', () => {
    const everySecond = plan('* * * * * *', { missed: 'all', missedLimit: 5 });
    const due = dueTimes(everySecond, state, state.nextAt + 30 * 86_400_000);
    expect(due.fire).toHaveLength(36);
    expect(due.nextAt).toBe(state.nextAt + 30 * 86_400_000 + 1_000);
  });
});
