import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import type { Durability, Failpoint } from '@toolyard/protocol';
import { guarded, createStorageError } from '../storage-error.ts';
import type { ReadSource } from './read-connection.ts';

/** How long a statement waits for a lock of another program, in milliseconds; blocks the process. */
const BUSY_TIMEOUT_MS = 1_000;

export type SqliteConnectionOptions = {
  failpoint?: Failpoint;
  /** Maximum size of the database in pages of 4 kB; default: unlimited. */
  maxPages?: number;
};

/**
 * The only writing connection to a database file. Every write is a {@link transaction} or a single statement, and both
 * are synchronous: no transaction is open while other code runs.
 */
export class SqliteConnection implements ReadSource {
  readonly file: string;
  readonly database: DatabaseSync;
  readonly #failpoint: Failpoint | undefined;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;

  constructor(file: string, options: SqliteConnectionOptions = {}) {
    this.file = file;
    this.#failpoint = options.failpoint;
    this.database = this.guard(() => new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS }));
    try {
      this.guard(() => configure(this.database, options));
      this.#begin = this.prepare('BEGIN IMMEDIATE');
      this.#commit = this.prepare('COMMIT');
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  /** A statement to be reused; it must not be iterated concurrently. */
  prepare(sql: string): StatementSync {
    return this.guard(() => this.database.prepare(sql));
  }

  /**
   * Runs `work` in one atomic transaction. Failpoints: `<name>:begun`, `<name>:written` (before the commit),
   * `<name>:committed`; they may throw or exit the process, not wait.
   */
  transaction<T>(name: string, durability: Durability, work: () => T): T {
    return this.guard(() => {
      // Before BEGIN, because SQLite rejects the change within a transaction.
      if (durability === 'full') this.database.exec('PRAGMA synchronous = FULL');
      try {
        return this.#execute(name, work);
      } finally {
        // All other statements and transactions do not wait for the disk.
        if (durability === 'full') this.database.exec('PRAGMA synchronous = NORMAL');
      }
    });
  }

  /** Within a transaction: rolls back exactly what `work` wrote if it throws. */
  savepoint<T>(work: () => T): T {
    this.database.exec('SAVEPOINT item');
    try {
      const result = work();
      this.database.exec('RELEASE item');
      return result;
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK TO item; RELEASE item');
      throw error;
    }
  }

  /** Copies the WAL into the database and empties its file, as far as readers and the disk allow. */
  truncateWal(): void {
    try {
      this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // On a full disk the WAL stays and is checkpointed next time.
    }
  }

  /** Checkpoints the WAL and closes. */
  close(): void {
    if (!this.database.isOpen) return;
    this.truncateWal();
    this.database.close();
  }

  /** Converts errors of SQLite to {@link StorageError}; others pass unchanged. */
  guard<T>(work: () => T): T {
    return guarded(this.file, work);
  }

  #execute<T>(name: string, work: () => T): T {
    this.#begin.run();
    let result: T;
    try {
      this.#pass(`${name}:begun`);
      result = work();
      this.#pass(`${name}:written`);
      this.#commit.run();
    } catch (error) {
      // A full disk has already rolled back.
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
    this.#pass(`${name}:committed`);
    return result;
  }

  #pass(name: string): void {
    void this.#failpoint?.(name);
  }
}

/**
 * WAL size that triggers a checkpoint, in pages of 4 kB. A checkpoint syncs twice and writes every changed page; runs
 * change the same pages repeatedly, so few checkpoints are cheaper. It blocks the process for about 20 ms.
 */
const CHECKPOINT_PAGES = 16_000;

function configure(database: DatabaseSync, options: SqliteConnectionOptions): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get() as { journal_mode: string };
  if (mode.journal_mode !== 'wal') {
    throw createStorageError('engine', database.location() ?? 'the database', 'its file system has no shared memory');
  }
  database.exec(`
    PRAGMA foreign_keys = ON;
    PRAGMA synchronous = NORMAL;
    PRAGMA temp_store = MEMORY;
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
  `);
  if (options.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${Math.trunc(options.maxPages)}`);
}
