import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CreateSchedule, ScheduleConditions } from '@toolyard/protocol';
import { createZone, expectedTimes, withConditions } from './test-fixtures/expected-times.ts';
import type { ScheduleStage } from './test-fixtures/schedule-stage.ts';
import { ANNE, openStage } from './test-fixtures/schedule-stage.ts';

const START = '2027-09-15T00:00:30Z';
const [FROM, TO] = [Date.parse(START), Date.parse('2028-09-15T00:00:30Z')];
const FIRST_MINUTE = Math.ceil(FROM / 60_000) * 60_000;

/** Their clocks change by an hour, by half an hour, in both halves of the world, or not at all. */
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Taipei', 'UTC'];
const EXPRESSIONS = [
  '30 2 * * *',
  '15 2 * * 0,6',
  '45 1 * * 0',
  '0 9 * * 1-5',
  '0 0 29 2 *',
  '59 23 31 * *',
  '0 12 1 */3 *',
  '*/30 * 25-31 10 *',
  '10 * 24-31 3 *',
  '*/20 1-3 1-7 4,11 *',
  '0 * * 2 1',
  '5 4 28,29 2 *',
];
/** Of expressions that are due more often. */
const CONDITIONS: readonly [string, ScheduleConditions][] = [
  ['0 * * * *', { days: [6], hours: { from: 22, to: 3 } }],
  ['*/15 * * * *', { maxPerDay: 1, days: [0] }],
  ['0 * * * *', { maxTotal: 100 }],
];

let stage: ScheduleStage;
beforeEach(async () => {
  stage = await openStage(START);
});
afterEach(() => stage.close());

test(
  '100 schedules run at their times over a year with both changes of the clock and a leap day, and at no others',
  { timeout: 900_000 },
  async () => {
    const zones = new Map(ZONES.map((zone) => [zone, createZone(zone)]));
    const period = { from: FIRST_MINUTE, to: TO };
    const expected = new Map<string, number[]>();
    const sent = new Map<string, number[]>();
    const late: string[] = [];
    const schedules = stage.process({
      lookEveryMs: 7 * 86_400_000,
      runs: {
        send: (_principal, _conversation, { id = '' }) => {
          const [name = '', at = ''] = id.split('.');
          if (stage.clock.now() - Number(at) > 1_000) late.push(id);
          sent.set(name, [...(sent.get(name) ?? []), Number(at)]);
          return Promise.resolve({} as never);
        },
      },
    });
    await stage.storage.conversations.create(ANNE, { id: 'c1', title: '', at: 1 });
    const add = async (timing: CreateSchedule['timing'], timeZone: string, times: number[], more = {}) => {
      const id = `s${expected.size}`;
      expected.set(id, times);
      const target = { kind: 'conversation' as const, conversationId: 'c1' };
      await schedules.create(ANNE, {
        id,
        title: id,
        task: 'x',
        timing,
        timeZone,
        target,
        overlap: 'parallel',
        ...more,
      });
    };

    for (const [name, zone] of zones) {
      const all = expectedTimes([...EXPRESSIONS, ...CONDITIONS.map(([expression]) => expression)], zone, period);
      for (const [at, expression] of EXPRESSIONS.entries()) {
        await add({ kind: 'cron', expression }, name, all[at] ?? []);
      }
      for (const [at, [expression, conditions]] of CONDITIONS.entries()) {
        const times = withConditions(all[EXPRESSIONS.length + at] ?? [], conditions, zone);
        await add({ kind: 'cron', expression }, name, times, { conditions });
      }
    }
    for (let hours = 1; expected.size < 95; hours += 1) {
      const every = hours * 11 * 3_600_000 + 1_000;
      const times = Array.from({ length: Math.floor((TO - FROM) / every) }, (_, at) => FROM + (at + 1) * every);
      await add({ kind: 'interval', seconds: every / 1_000 }, 'UTC', times);
    }
    for (let month = 0; expected.size < 100; month += 1) {
      const at = Date.UTC(2028, month, 29, 1, 30);
      await add({ kind: 'once', at }, 'UTC', [at]);
    }

    schedules.start();
    await stage.clock.advance(TO - FROM);
    const iso = (times: readonly number[] = []): string[] => times.map((time) => new Date(time).toISOString());
    for (const [id, times] of expected) expect(iso(sent.get(id)), id).toEqual(iso(times));
    expect(late).toEqual([]);
    expect(stage.log).toEqual([]);
    expect(expected.size).toBe(100);
    const count = [...sent.values()].flat().length;
    expect(count).toBeGreaterThan(5_000);
  },
);
