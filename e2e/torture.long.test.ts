import { describe } from 'vitest';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { tortures } from './torture/tortures.ts';

describe('a server on SQLite', () => {
  tortures(() => ({ name: 'sqlite' }), 12);
});

describeOnPostgres('a server on PostgreSQL', (cluster) => {
  tortures(() => ({ name: 'postgres', cluster: cluster() }), 6);
});
