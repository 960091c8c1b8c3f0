import { Kysely } from 'kysely';
import { jsonColumns } from '../json-columns.ts';
import { createRepositories } from '../repositories/create-repositories.ts';
import { createRunJobs } from '../runs/create-run-jobs.ts';
import type { Schema } from '../schema.ts';
import type { DatabaseOptions, SharedStorage } from '../storage.ts';
import { createTableBlobs } from './blobs.ts';
import { checkDatabase } from './check.ts';
import { PostgresConnection } from './connection.ts';
import { createPostgresEngine } from './engine.ts';
import { createPostgresDialect } from './kysely-dialect.ts';
import { migrateToLatest } from './migrate.ts';
import { createPostgresRunStore } from './run-store.ts';
import { createPostgresSearch } from './search.ts';

/**
 * Opens a PostgreSQL database; see `openStorage`.
 *
 * @param leaseTime SQL for the milliseconds leases are timed by; the clock of the database where absent.
 */
export async function openDatabase(options: DatabaseOptions, leaseTime?: string): Promise<SharedStorage> {
  await makeReady(options);
  const connection = new PostgresConnection(options);
  const db = new Kysely<Schema>({ dialect: createPostgresDialect(connection), plugins: [jsonColumns] });
  const engine = createPostgresEngine(connection, db, leaseTime);
  return {
    runs: createPostgresRunStore(engine, createRunJobs(engine, options.clock)),
    ...createRepositories(engine, createPostgresSearch(engine)),
    blobs: createTableBlobs(engine),
    check: () => checkDatabase(engine),
    close: () => connection.close(),
  };
}

async function makeReady({ url }: DatabaseOptions): Promise<void> {
  // A large database may take its time, and others wait for whoever changes it.
  const connection = new PostgresConnection({ url, connections: 1, answerWithinMs: null });
  try {
    await migrateToLatest(connection);
  } finally {
    await connection.close();
  }
}
