import { join } from 'node:path';
import { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { jsonColumns } from '../json-columns.ts';
import { DATABASE_FILE } from '../layout.ts';
import { openStorage } from '../open-storage.ts';
import { createRepositories } from '../repositories/create-repositories.ts';
import { createCounts } from '../runs/counts.ts';
import { createRunJobs } from '../runs/create-run-jobs.ts';
import type { Schema } from '../schema.ts';
import { temporaryFolder } from '../test-fixtures/sqlite-engine.ts';
import { SqliteConnection } from './connection.ts';
import { createConversationSearch } from './conversation-search.ts';
import { createSqliteEngine } from './engine.ts';
import { createSqliteDialect } from './kysely-dialect.ts';
import { createSqliteRunStore } from './run-store.ts';
import { createSqliteSearchWriter } from './search-writer.ts';
import { createSqliteUsageReport } from './usage-report.ts';

test('every statement is valid for the tables of this version, although each is prepared at its first use', async () => {
  const clock = createFakeClock();
  const folder = temporaryFolder();
  (await openStorage({ folder: folder.path, clock })).close();
  const connection = new SqliteConnection(join(folder.path, DATABASE_FILE));
  try {
    const dialect = createSqliteDialect(connection, { transactions: 'refused' });
    const engine = createSqliteEngine(connection, clock, new Kysely<Schema>({ dialect, plugins: [jsonColumns] }));
    const prepared: string[] = [];
    const prepare: typeof engine.prepare = (sql) => {
      connection.prepare(sql);
      prepared.push(sql);
      return engine.prepare(sql);
    };
    const eager: typeof engine = { ...engine, prepare, searchWriter: () => createSqliteSearchWriter(prepare) };
    createSqliteRunStore(eager, createRunJobs(eager, clock));
    createRepositories(eager, wait(createConversationSearch(connection)), wait(createSqliteUsageReport(connection)));
    createCounts(eager);
    expect(prepared.length).toBeGreaterThan(30);
  } finally {
    connection.close();
    folder.remove();
  }
});

function wait<A extends unknown[], R>(now: (...args: A) => R): (...args: A) => Promise<R> {
  return (...args) => Promise.resolve(now(...args));
}
