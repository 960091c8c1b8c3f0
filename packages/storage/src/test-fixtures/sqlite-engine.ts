import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import type { Clock } from '@toolyard/protocol';
import { DATABASE_FILE } from '../layout.ts';
import { openStorage } from '../open-storage.ts';
import type { Schema } from '../schema.ts';
import { createRunJobs } from '../runs/create-run-jobs.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { createSqliteEngine } from '../sqlite/engine.ts';
import { createSqliteDialect } from '../sqlite/kysely-dialect.ts';
import type { SyncRunStore } from '../sqlite/run-store.ts';
import { createSqliteRunStore } from '../sqlite/run-store.ts';
import type { EngineUnderTest } from './conformance/setup.ts';
import { createCommands } from './commands.ts';

/** A temporary folder for a test, with its cleanup. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'toolyard-storage-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The run store on a migrated database. */
export function openRunStore(connection: SqliteConnection, clock: Clock): SyncRunStore {
  const dialect = createSqliteDialect(connection, { transactions: 'refused' });
  const engine = createSqliteEngine(connection, clock, new Kysely<Schema>({ dialect }));
  return createSqliteRunStore(engine, createRunJobs(engine, clock));
}

/** SQLite in a temporary folder: the first handle like the server's, further ones like other processes'. */
export async function openSqliteEngine(clock: Clock): Promise<EngineUnderTest> {
  const folder = temporaryFolder();
  const storage = await openStorage({ folder: folder.path, clock });
  const others: SqliteConnection[] = [];
  let first = true;
  return {
    async handle() {
      if (first) {
        first = false;
        return storage.runs;
      }
      const connection = new SqliteConnection(join(folder.path, DATABASE_FILE));
      others.push(connection);
      return openRunStore(connection, clock);
    },
    ...createCommands(storage),
    async close() {
      for (const connection of others) connection.close();
      storage.close();
      folder.remove();
    },
  };
}
