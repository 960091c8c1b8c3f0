import { expect, test } from 'vitest';
import type { SchedulePlan } from '@toolyard/protocol';
import { requireGaps } from './definition.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const plan = (timing: SchedulePlan['timing']): SchedulePlan => ({
  timing,
  timeZone: 'UTC',
  conditions: {},
  missed: 'once',
  missedLimit: 10,
});
const cron = (expression: string): SchedulePlan => plan({ kind: 'cron', expression });

test.each([
  ['an interval of a second', plan({ kind: 'interval', seconds: 1 }), '1 s'],
  ['an interval of 59 s', plan({ kind: 'interval', seconds: 59 }), '59 s'],
  ['every second', cron('* * * * * *'), '1 s'],
  ['two times of a minute', cron('0,30 * * * * *'), '30 s'],
  ['two times of a day', cron('0,1 0 12 * * *'), '1 s'],
])('rejects %s', (_of, timing, gap) => {
  expect(() => requireGaps(timing, NOW)).toThrow(
    `The schedule would run again after ${gap}; the shortest interval is 60 s.`,
  );
});

test.each([
  ['a minute', plan({ kind: 'interval', seconds: 60 })],
  ['every minute', cron('* * * * *')],
  ['a second of every minute', cron('30 * * * * *')],
  ['one time', plan({ kind: 'once', at: NOW + 1 })],
  ['one time a year', cron('0 0 1 1 *')],
])('accepts %s', (_of, timing) => {
  expect(() => requireGaps(timing, NOW)).not.toThrow();
});
