import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Kysely } from 'kysely';
import type { Clock } from '@toolyard/protocol';
import { backupFolder } from '../backup.ts';
import { sweepBlobs } from '../blob-sweep.ts';
import { createBlobStore } from '../blobs.ts';
import { checkStorage } from '../check.ts';
import { lockFolder } from '../folder-lock.ts';
import { jsonColumns } from '../json-columns.ts';
import { BLOBS_FOLDER, DATABASE_FILE, DATABASE_FILES, UNFINISHED_FILE } from '../layout.ts';
import { makePrivate } from '../private-mode.ts';
import { createReader } from '../reader/create-reader.ts';
import { createRepositories } from '../repositories/create-repositories.ts';
import { createCounts } from '../runs/counts.ts';
import { createRunJobs } from '../runs/create-run-jobs.ts';
import type { Schema } from '../schema.ts';
import { createStorageError, toStorageError, createUnfinishedCopyError } from '../storage-error.ts';
import type { Storage, StorageOptions } from '../storage.ts';
import { SqliteConnection } from './connection.ts';
import { createConversationSearch } from './conversation-search.ts';
import { createSqliteEngine } from './engine.ts';
import { releaseAllLeases } from './release-leases.ts';
import { createSqliteDialect } from './kysely-dialect.ts';
import { migrateSqliteToLatest, refuseForeignDatabase } from './migrate.ts';
import { createDatabaseFile, keepAsTemplate } from './new-database.ts';
import { createSqliteRunStore } from './run-store.ts';
import { truncateWalWhenIdle } from './truncate-wal.ts';
import { createSqliteUsageReport } from './usage-report.ts';

/** Opens a data folder with its SQLite database; see `openStorage`. */
export async function openFolder(options: StorageOptions): Promise<Storage> {
  const folder = resolve(options.folder);
  const file = join(folder, DATABASE_FILE);
  makeFolder(folder);
  const unlock = lockFolder(folder);
  let connection: SqliteConnection | undefined;
  try {
    refuseUnfinishedCopy(folder);
    refuseForeignDatabase(file);
    const isNew = createDatabaseFile(file);
    makeDatabasePrivate(folder);
    connection = new SqliteConnection(file, options);
    await migrateSqliteToLatest(
      new Kysely({ dialect: createSqliteDialect(connection, { transactions: 'allowed' }) }),
      connection,
    );
    if (isNew) keepAsTemplate(connection);
    releaseAllLeases(connection);
    return assemble(folder, connection, options.clock, unlock);
  } catch (error) {
    connection?.close();
    unlock();
    throw toStorageError(error, file);
  }
}

function assemble(folder: string, connection: SqliteConnection, clock: Clock, unlock: () => void): Storage {
  const db = new Kysely<Schema>({
    dialect: createSqliteDialect(connection, { transactions: 'refused' }),
    plugins: [jsonColumns],
  });
  const blobs = createBlobStore(connection, join(folder, BLOBS_FOLDER));
  const reader = createReader(connection.file, {
    search: createConversationSearch(connection),
    usage: createSqliteUsageReport(connection),
  });
  const engine = createSqliteEngine(connection, clock, db);
  const counts = createCounts(engine);
  const stopTruncating = truncateWalWhenIdle(connection);
  return {
    folder,
    runs: createSqliteRunStore(engine, createRunJobs(engine, clock)),
    ...createRepositories(engine, reader.search, reader.usage),
    blobs,
    sweepBlobs: async (of) =>
      (await sweepBlobs(engine, (...blob) => blobs.remove(...blob), of)) + (await blobs.sweepStrays(of)),
    counts: () => engine.perform(counts()),
    async backup(to, options) {
      const release = blobs.holdDeletions();
      try {
        return await backupFolder(folder, to, options);
      } finally {
        release();
      }
    },
    check: () => checkStorage(folder),
    close() {
      stopTruncating();
      reader.close();
      try {
        connection.close();
      } finally {
        unlock();
      }
    },
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!statSync(folder).isDirectory()) throw createStorageError('not_writable', folder, 'it is not a folder');
  } catch (error) {
    throw toStorageError(error, folder);
  }
}

/** The data is incomplete, and a new database beside it would prevent completing the copy. */
function refuseUnfinishedCopy(folder: string): void {
  if (existsSync(join(folder, UNFINISHED_FILE))) throw createUnfinishedCopyError(folder);
}

/** SQLite gives the WAL the mode of the database, but a database may have been copied here with another mode. */
function makeDatabasePrivate(folder: string): void {
  for (const name of DATABASE_FILES) {
    try {
      makePrivate(join(folder, name));
    } catch {
      // A file of another user with write permission: the server warns.
    }
  }
}
