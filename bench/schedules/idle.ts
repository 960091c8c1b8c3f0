import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@toolyard/protocol';
import { createLiveHub } from '../../packages/server/src/live/hub.ts';
import { createSchedules } from '../../packages/server/src/schedules/schedules.ts';
import { openStorage } from '@toolyard/storage';
import type { Figure } from '../harness/figure.ts';
import { figure } from '../harness/figure.ts';
import { makeDataFolder } from '../support/server.ts';

const OWNER = { ownerId: 'owner' };
const HOUR_MS = 3_600_000;

/** CPU time of the scheduler while no schedule is due, as a share of the time that passes. */
export async function measureIdleSchedules({ schedules, ms }: { schedules: number; ms: number }): Promise<Figure[]> {
  using folder = makeDataFolder();
  const storage = await openStorage({ folder: folder.path, clock: systemClock });
  const service = createSchedules({
    storage,
    runs: { send: () => Promise.reject(new Error('no schedule is due')) },
    servers: { approve: () => undefined },
    hub: createLiveHub(),
    clock: systemClock,
    ids: { next: () => crypto.randomUUID() },
    log: (line) => console.error(line),
    timeZone: 'UTC',
  });
  try {
    const now = Date.now();
    for (let at = 0; at < schedules; at += 1) {
      await service.create(OWNER, {
        id: `s${at}`,
        title: `Schedule ${at}`,
        task: 'Write the report',
        timing: { kind: 'interval', seconds: 86_400, start: now + HOUR_MS + at },
      });
    }
    checkPlans(join(folder.path, 'toolyard.db'));
    const before = await cpuPercent(ms);
    service.start();
    const during = await cpuPercent(ms);
    return [
      figure('processor time of the scheduler', Math.max(0, during - before), '%', {
        atMost: 1,
        of: { 'without it': before, 'with it': during },
      }),
    ];
  } finally {
    await service.close();
    storage.close();
  }
}

async function cpuPercent(ms: number): Promise<number> {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  await sleep(ms);
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 10 / (performance.now() - wall);
}

/** The figure is for a look that uses the index of due times, not for a small table. */
function checkPlans(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const plan = database
      .prepare(
        'EXPLAIN QUERY PLAN SELECT id FROM schedules WHERE enabled = 1 AND next_at IS NOT NULL AND next_at <= 1 ORDER BY next_at LIMIT 100',
      )
      .all()
      .map((row) => String(row['detail']));
    if (!plan.some((step) => step.includes('schedules_due'))) {
      throw new Error(`The index of due times is not used: ${plan.join('; ')}`);
    }
  } finally {
    database.close();
  }
}
