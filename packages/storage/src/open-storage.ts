import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Kysely } from 'kysely';
import type { Clock, Failpoint } from '@toolyard/protocol';
import type { BackedUp, BackupOptions } from './backup.ts';
import { backupFolder } from './backup.ts';
import type { BlobStore } from './blobs.ts';
import { createBlobStore } from './blobs.ts';
import type { CheckResult } from './check.ts';
import { checkStorage } from './check.ts';
import { lockFolder } from './folder-lock.ts';
import { jsonColumns } from './json-columns.ts';
import { BLOBS_FOLDER, DATABASE_FILE } from './layout.ts';
import { createReader } from './reader/create-reader.ts';
import type { AgentRepository } from './repositories/agents.ts';
import { createAgentRepository } from './repositories/agents.ts';
import { createConversationSearch } from './repositories/conversation-search.ts';
import type { ConversationRepository } from './repositories/conversations.ts';
import { createConversationRepository } from './repositories/conversations.ts';
import type { MessageRepository } from './repositories/messages.ts';
import { createMessageRepository } from './repositories/messages.ts';
import type { PermissionRepository } from './repositories/permissions.ts';
import { createPermissionRepository } from './repositories/permissions.ts';
import type { QueueRepository } from './repositories/queue.ts';
import { createQueueRepository } from './repositories/queue.ts';
import type { SecretRepository } from './repositories/secrets.ts';
import { createSecretRepository } from './repositories/secrets.ts';
import type { SettingsRepository } from './repositories/settings.ts';
import { createSettingsRepository } from './repositories/settings.ts';
import type { Schema } from './schema.ts';
import { SqliteConnection } from './sqlite/connection.ts';
import { createSqliteDialect } from './sqlite/kysely-dialect.ts';
import { freeLeases } from './sqlite/leases.ts';
import { migrateToLatest, refuseForeignDatabase } from './sqlite/migrate.ts';
import type { SyncRunStore } from './sqlite/run-rows.ts';
import { createSqliteRunStore } from './sqlite/run-store.ts';
import { storageError, toStorageError } from './storage-error.ts';

export type StorageOptions = {
  /** The data folder; made, for its owner alone, where it is not there. */
  folder: string;
  clock: Clock;
  /** Passed at `<transaction>:begun`, `:written` and `:committed`; see {@link SqliteConnection.transaction}. */
  failpoint?: Failpoint;
  /** The database grows to so many pages (4 kB each) and is full then; absent: as the disk allows. */
  maxPages?: number;
};

/** An open data folder. Every repository call names on whose behalf it is made. */
export type Storage = {
  readonly folder: string;
  readonly runs: SyncRunStore;
  readonly conversations: ConversationRepository;
  readonly messages: MessageRepository;
  readonly queue: QueueRepository;
  readonly agents: AgentRepository;
  readonly permissions: PermissionRepository;
  readonly settings: SettingsRepository;
  readonly secrets: SecretRepository;
  readonly blobs: BlobStore;
  /** Copies everything to a folder that does not exist yet, while work goes on. What has that name is whole. */
  backup(to: string, options: BackupOptions): Promise<BackedUp>;
  /** Reads everything through; takes long where there is much. */
  check(): Promise<CheckResult>;
  /** Folds the log into the database file and gives the folder free. May be called again. */
  close(): void;
};

/**
 * Opens a data folder with its SQLite database, brings the tables to this version and frees the runs a dead process
 * held.
 *
 * @throws StorageError: in use, not writable, disk full, damaged, of a newer version or of another program. None of
 * these changes anything.
 * @example
 * const storage = await openStorage({ folder: dataDir, clock: systemClock });
 * const runs = storage.runs.takeOver({ owner: processId, ms: 15_000 }, 100);
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const folder = resolve(options.folder);
  const file = join(folder, DATABASE_FILE);
  makeFolder(folder);
  const unlock = lockFolder(folder);
  let connection: SqliteConnection | undefined;
  try {
    refuseForeignDatabase(file);
    makePrivateFile(file);
    connection = new SqliteConnection(file, options);
    await migrateToLatest(
      new Kysely({ dialect: createSqliteDialect(connection, { transactions: 'allowed' }) }),
      connection,
    );
    freeLeases(connection);
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
  const reader = createReader(connection.file, createConversationSearch(connection));
  const blobs = createBlobStore(connection, join(folder, BLOBS_FOLDER));
  return {
    folder,
    runs: createSqliteRunStore(connection, clock),
    conversations: createConversationRepository(db, connection, (principal, query) => reader.search(principal, query)),
    messages: createMessageRepository(db, connection),
    queue: createQueueRepository(connection),
    agents: createAgentRepository(db),
    permissions: createPermissionRepository(db, connection),
    settings: createSettingsRepository(db),
    secrets: createSecretRepository(db),
    blobs,
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
    if (!statSync(folder).isDirectory()) throw storageError('not_writable', folder, 'it is no folder');
  } catch (error) {
    throw toStorageError(error, folder);
  }
}

/** SQLite gives its log the mode of the database; a folder somebody else made may be open to all. */
function makePrivateFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}
