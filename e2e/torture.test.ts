import { describe } from 'vitest';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { tortures } from './torture/tortures.ts';

// More moments: `torture.long.test.ts`; all of them: `npm run torture`.
describe('a server on SQLite', () => {
  tortures(() => ({ name: 'sqlite' }), 1);
});

describeOnPostgres('a server on PostgreSQL', (cluster) => {
  tortures(() => ({ name: 'postgres', cluster: cluster() }), 1);
});
