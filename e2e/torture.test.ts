import { describe } from 'vitest';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { testEveryPoint } from './faults/every-point-tests.ts';

// More moments: `torture.long.test.ts`; all of them: `npm run test:long -- torture`.
describe('a server on SQLite', () => {
  testEveryPoint(() => ({ name: 'sqlite' }), 1);
});

describeOnPostgres('a server on PostgreSQL', (cluster) => {
  testEveryPoint(() => ({ name: 'postgres', cluster: cluster() }), 1, ['talking', 'grouping']);
});
