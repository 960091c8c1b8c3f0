import { it } from 'vitest';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { expectRunAtBoth } from './support/complete-run.ts';

describeOnPostgres('several servers over one database', (cluster) => {
  it.each([
    ['with notifications', true],
    ['without notifications', false],
  ])('stream and approve at one a run that was started at the other, %s', async (_how, notify) => {
    await expectRunAtBoth({ url: await cluster().createDatabase(), notify });
  });
});
