import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { openStorage } from '../open-storage.ts';
import { expectKeptData } from '../test-fixtures/kept/expect-kept-data.ts';
import { keptPostgres, keptSteps } from '../test-fixtures/kept/kept.ts';
import { POSTGRES_MIGRATIONS } from './migrate.ts';

test('each ends with a known migration', () => {
  expect(keptSteps('postgres').length).toBeGreaterThan(0);
  for (const step of keptSteps('postgres')) expect(Object.keys(POSTGRES_MIGRATIONS)).toContain(step);
});

describeOnDatabases('schema snapshots', (cluster) => {
  test.each(keptSteps('postgres'))('%s opens with all data, and runs continue', async (step) => {
    const url = await cluster().createDatabase();
    await cluster().query(url, keptPostgres(step));
    const storage = await openStorage({ url, clock: createFakeClock() });
    try {
      await expectKeptData(storage);
    } finally {
      await storage.close();
    }
  });
});
