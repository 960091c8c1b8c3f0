import { expect, test } from 'vitest';
import type { LeasedRun } from '@toolyard/protocol';
import { StorageError } from '@toolyard/storage';
import { createFakeClock } from '@toolyard/testing';
import { LeaseKeeper } from './worker/leases.ts';

const AWAY = new StorageError('unreachable', { message: 'The database cannot be reached.' });
const FULL = new StorageError('disk_full', { message: 'There is no room left.' });

/** A keeper with a store that fails for a while, and the delay until it looks for runs again. */
async function idleAfter(error: StorageError, failingMs: number): Promise<number> {
  const clock = createFakeClock();
  let failing = false;
  let lookedAt: number | null = null;
  const keeper = new LeaseKeeper({
    store: {
      renewLeases: () => (failing ? Promise.reject(error) : []),
      releaseLease: () => true,
      claimExpired(): LeasedRun[] {
        if (!failing) lookedAt ??= clock.monotonic();
        return [];
      },
    },
    pool: { workers: () => [], find: () => undefined, recover: () => undefined },
    terms: { owner: 'this process', ms: 10_000 },
    clock,
    log: () => undefined,
    afterScan: () => Promise.resolve(),
  });
  await keeper.start();
  failing = true;
  for (let ms = 0; ms < failingMs; ms += 500) await clock.advance(500);
  failing = false;
  lookedAt = null;
  const backAt = clock.monotonic();
  for (let ms = 0; ms < 120_000 && lookedAt === null; ms += 500) await clock.advance(500);
  keeper.close();
  return (lookedAt ?? Infinity) - backAt;
}

test('after any database outage, runs are claimed within seconds', async () => {
  for (const awayMs of [1_000, 20_000, 300_000]) expect(await idleAfter(AWAY, awayMs)).toBeLessThanOrEqual(3_000);
});

test('after other storage errors the pause grows, because needless model requests cost money', async () => {
  expect(await idleAfter(FULL, 120_000)).toBeGreaterThan(6_000);
});

test('a full disk is logged once, although leases are renewed all the time', async () => {
  const clock = createFakeClock();
  const log: string[] = [];
  let scans = 0;
  const keeper = new LeaseKeeper({
    store: {
      renewLeases: () => [],
      releaseLease: () => true,
      claimExpired: () => (scans++ === 0 ? [] : Promise.reject(FULL)),
    },
    pool: { workers: () => [], find: () => undefined, recover: () => undefined },
    terms: { owner: 'this process', ms: 10_000 },
    clock,
    log: (line) => log.push(line),
    afterScan: () => Promise.resolve(),
  });
  await keeper.start();
  for (let ms = 0; ms < 120_000; ms += 500) await clock.advance(500);
  keeper.close();
  expect(scans).toBeGreaterThan(3);
  expect(log).toEqual(['runs: There is no room left.']);
});
