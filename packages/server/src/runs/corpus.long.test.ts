import { describe, test } from 'vitest';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { versions } from './test-fixtures/corpus/corpus.ts';
import { expectReplayed, replayCases } from './test-fixtures/corpus/replay.ts';

describe('every stored state of runs of an earlier version', () => {
  test.each(versions())('%s: are read, and runs in progress are resumed and end as recorded', async (version) => {
    await expectReplayed(replayCases(version));
  });
});

describeOnDatabases('all moments of runs an earlier version has stored, in PostgreSQL', (cluster) => {
  test.each(versions())('%s: are read, and runs in progress are resumed and end as recorded', async (version) => {
    await expectReplayed(replayCases(version), await cluster().createDatabase());
  });
});
