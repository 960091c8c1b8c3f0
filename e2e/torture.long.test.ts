import { describe } from 'vitest';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { testEveryPoint } from './faults/every-point-tests.ts';

describe('a server on SQLite', () => {
  testEveryPoint(() => ({ name: 'sqlite' }), 12);
});

describeOnPostgres('a server on PostgreSQL', (cluster) => {
  testEveryPoint(() => ({ name: 'postgres', cluster: cluster() }), 6);
});
