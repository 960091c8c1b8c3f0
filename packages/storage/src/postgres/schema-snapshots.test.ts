import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { openStorage } from '../open-storage.ts';
import { expectSnapshotData } from '../test-fixtures/snapshots/expect-snapshot-data.ts';
import { postgresSnapshot, snapshotSteps } from '../test-fixtures/snapshots/snapshots.ts';
import { POSTGRES_MIGRATIONS } from './migrate.ts';

test('each ends with a known migration', () => {
  expect(snapshotSteps('postgres').length).toBeGreaterThan(0);
  for (const step of snapshotSteps('postgres')) expect(Object.keys(POSTGRES_MIGRATIONS)).toContain(step);
});

describeOnDatabases('schema snapshots', (cluster) => {
  test.each(snapshotSteps('postgres'))('%s opens with all data, and runs continue', async (step) => {
    const url = await cluster().createDatabase();
    await cluster().query(url, postgresSnapshot(step));
    const storage = await openStorage({ url, clock: createFakeClock() });
    try {
      await expectSnapshotData(storage);
    } finally {
      await storage.close();
    }
  });
});
