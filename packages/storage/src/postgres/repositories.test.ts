import { createFakeClock } from '@toolyard/testing';
import { openStorage } from '../open-storage.ts';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { createDatabases } from '../test-fixtures/postgres-engine.ts';
import { describeRepositories } from '../test-fixtures/repositories/describe-repositories.ts';

describeOnDatabases('on PostgreSQL', (cluster) => {
  const emptyDatabase = createDatabases(cluster);
  describeRepositories('repositories', async () => {
    const url = await emptyDatabase();
    return { open: () => openStorage({ url, clock: createFakeClock() }), remove: () => Promise.resolve() };
  });
});
