import { expect, it } from 'vitest';
import type { ProviderView } from '@toolyard/protocol';
import { eventually, reply } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { describeKilledSchedule } from './faults/killed-schedule.ts';
import { call } from './support/api.ts';
import type { ServerInstance } from './support/server-instance.ts';
import { ServerInstances } from './support/server-instances.ts';

const SCHEDULES = 60;
const TIMES = 60;
const ALL = SCHEDULES * TIMES;
const EVERY_SECONDS = 8;
/** A process is killed and replaced each time this many runs have started. */
const KILL_EVERY = 600;

type Count = { count: number };

describeKilledSchedule(['schedule:claimed', 'create-run:written', 'run:created', 'schedule:started']);

describeOnPostgres('3,600 times of schedules over three processes', (cluster) => {
  it('each start exactly one run, although processes are killed meanwhile', { timeout: 1_800_000 }, async () => {
    const database = { url: await cluster().createDatabase() };
    await using lives = await ServerInstances.with(() => reply.text('Done.'), { database });
    const processes: ServerInstance[] = [await lives.start()];
    processes.push(await lives.start(), await lives.start());
    const count = async (query: string): Promise<number> => {
      const [row] = (await cluster().query(database.url, query)) as Count[];
      return Number(row?.count);
    };
    const url = processes[0]?.url ?? '';
    const { items } = await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers');
    const providerId = items.find(({ origin }) => origin === 'environment')?.id ?? '';
    for (let at = 0; at < SCHEDULES; at += 1) {
      await call(url, 'POST', '/api/schedules', {
        id: `tick${at}`,
        title: `Tick ${at}`,
        task: 'Say done',
        timing: { kind: 'interval', seconds: EVERY_SECONDS },
        conditions: { maxTotal: TIMES },
        missed: 'all',
        missedLimit: 100,
        overlap: 'parallel',
        configuration: { model: { providerId, modelId: 'scripted' } },
      });
    }

    const started = () => count(`SELECT count(*) AS count FROM schedule_firings WHERE outcome = 'started'`);
    let kills = 0;
    for (let next = KILL_EVERY; next < ALL; next += KILL_EVERY) {
      await eventually(async () => (await started()) >= next, { what: `${next} runs`, timeoutMs: 600_000 });
      const victim = processes.shift();
      victim?.kill();
      await victim?.exited();
      kills += 1;
      processes.push(await lives.start());
    }
    await eventually(async () => (await started()) === ALL, { what: 'all runs', timeoutMs: 600_000 });
    const active = () => count(`SELECT count(*) AS count FROM runs WHERE ended_at IS NULL`);
    await eventually(async () => (await active()) === 0, { what: 'the end of all runs', timeoutMs: 600_000 });

    expect(await count('SELECT count(*) AS count FROM schedule_firings')).toBe(ALL);
    expect(await count('SELECT count(DISTINCT run_id) AS count FROM schedule_firings')).toBe(ALL);
    expect(await count('SELECT count(*) AS count FROM runs')).toBe(ALL);
    expect(await count(`SELECT count(*) AS count FROM runs WHERE status <> 'done'`)).toBe(0);
    expect(await count(`SELECT count(*) AS count FROM messages WHERE role = 'user'`)).toBe(ALL);
    // The times of each schedule are those of its interval, without a gap.
    expect(
      await count(`SELECT count(*) AS count FROM (
          SELECT planned_at - lag(planned_at) OVER (PARTITION BY schedule_id ORDER BY planned_at) AS step
          FROM schedule_firings) AS steps WHERE step <> ${EVERY_SECONDS * 1_000}`),
    ).toBe(0);
    expect(kills).toBe(ALL / KILL_EVERY - 1);
  });
});
