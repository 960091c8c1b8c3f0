import { expect, it } from 'vitest';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { allStarted, answersAt, describeKilledSchedule, schedule } from './faults/killed-schedule.ts';
import { EXPIRE_LEASES, LONG_LEASES } from './support/server-instances.ts';

// The other points: `schedules.long.test.ts`.
describeKilledSchedule(['schedule:claimed', 'run:created']);

describeOnPostgres('a schedule of several processes', (cluster) => {
  it('runs each time exactly once, although a process is killed between its claim and its run', async () => {
    const database = { url: await cluster().createDatabase() };
    await using lives = await answersAt({ ...LONG_LEASES, database });
    const { pair, killed } = await lives.startWithFault({ place: 'schedule:claimed', hit: 2 });
    await schedule(pair[0].url, 4);
    const { alive } = await killed();
    await cluster().query(database.url, EXPIRE_LEASES);
    await cluster().query(database.url, 'UPDATE schedule_firings SET retry_at = 0 WHERE retry_at IS NOT NULL');
    const firings = await allStarted(alive.url, 4);
    const planned = firings.map(({ plannedAt }) => plannedAt).toReversed();
    expect(planned.map((at) => at - (planned[0] ?? 0))).toEqual([0, 1_000, 2_000, 3_000]);
  });
});
