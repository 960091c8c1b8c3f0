import type { LeasedRun } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { expect, test } from 'vitest';
import type { RunWorkerPoolOptions } from './run-worker-pool.ts';
import { RunWorkerPool } from './run-worker-pool.ts';

test('releases a run that arrives during shutdown without executing it', async () => {
  const run = { id: 'run-1', fence: 7, place: 'server' } as LeasedRun;
  const log: string[] = [];
  let lease = (_run: LeasedRun): void => undefined;
  const runs = {
    acquireLease: () => new Promise<LeasedRun>((resolve) => (lease = resolve)),
    releaseLease: async (id: string, fence: number) => void log.push(`${id} is free (${fence})`),
  };
  const pool = new RunWorkerPool({
    storage: { runs },
    wakeElsewhere: (id: string) => void log.push(`${id} is told`),
  } as unknown as RunWorkerPoolOptions);

  const woken = pool.wakeHere(run.id);
  await pool.close();
  lease(run);
  await woken;
  await eventually(() => log.length === 2);
  expect(log).toEqual(['run-1 is free (7)', 'run-1 is told']);
  expect(pool.workers()).toEqual([]);
});
