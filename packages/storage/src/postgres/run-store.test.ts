import { describeRunStore } from '../test-fixtures/conformance/describe-run-store.ts';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { createDatabases, openPostgresEngine } from '../test-fixtures/postgres-engine.ts';

describeOnDatabases('on PostgreSQL', (cluster) => {
  const emptyDatabase = createDatabases(cluster);
  describeRunStore('run store', async (clock) => openPostgresEngine(await emptyDatabase(), clock));
});
