import { describeRunStore } from '../test-fixtures/conformance/describe-run-store.ts';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { createDatabases, openPostgresEngine } from '../test-fixtures/postgres-engine.ts';

describeOnPostgres('on PostgreSQL', (cluster) => {
  const emptyDatabase = createDatabases(cluster);
  describeRunStore('runs are kept', async (clock) => openPostgresEngine(cluster(), await emptyDatabase(), clock));
});
