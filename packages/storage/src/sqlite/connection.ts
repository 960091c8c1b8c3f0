import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import type { Durability, Failpoint } from '@toolyard/protocol';
import { guarded, storageError } from '../storage-error.ts';
import type { ReadSource } from './read-connection.ts';

/** How long a statement waits for a foreign program that writes to the file, in milliseconds: everything waits with it. */
const BUSY_TIMEOUT_MS = 1_000;

export type SqliteConnectionOptions = {
  failpoint?: Failpoint;
  /** The database grows to so many pages (4 kB each) and then is full; absent: as the disk allows. */
  maxPages?: number;
};

/**
 * The one writing connection to a database file. Whatever is written goes through {@link transaction} or is a single
 * statement, and both are synchronous: no transaction is ever open while something else runs.
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

  /** A statement to keep; it must not be iterated by two at once. */
  prepare(sql: string): StatementSync {
    return this.guard(() => this.database.prepare(sql));
  }

  /**
   * Runs `work` in one transaction: all of it is stored or nothing. Failpoints: `<name>:begun`, `<name>:written`
   * (before the commit), `<name>:committed`; they may throw or end the process, not wait.
   */
  transaction<T>(name: string, durability: Durability, work: () => T): T {
    return this.guard(() => {
      // SQLite refuses the change inside a transaction, so it comes before BEGIN.
      if (durability === 'full') this.database.exec('PRAGMA synchronous = FULL');
      try {
        return this.#carryOut(name, work);
      } finally {
        // Single statements, and transactions that ask for no more, never wait for the disk.
        if (durability === 'full') this.database.exec('PRAGMA synchronous = NORMAL');
      }
    });
  }

  /** Inside a transaction: what `work` wrote is undone if it throws, and only that. */
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

  /** Folds the log into the file and closes. */
  close(): void {
    if (!this.database.isOpen) return;
    try {
      this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // On a full disk the log stays; it is folded in the next time.
    }
    this.database.close();
  }

  /** Turns what the engine throws into a {@link StorageError}; what is none of the engine's passes as it is. */
  guard<T>(work: () => T): T {
    return guarded(this.file, work);
  }

  #carryOut<T>(name: string, work: () => T): T {
    this.#begin.run();
    let result: T;
    try {
      this.#pass(`${name}:begun`);
      result = work();
      this.#pass(`${name}:written`);
      this.#commit.run();
    } catch (error) {
      // A full disk has rolled back already.
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
 * How long the log may grow before it is folded into the file, in pages of 4 kB. Folding waits for the disk twice and
 * writes every page that was touched; runs touch the same ones over and over, so seldom is cheaper than soon.
 */
const FOLD_AFTER_PAGES = 4_000;

function configure(database: DatabaseSync, options: SqliteConnectionOptions): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get() as { journal_mode: string };
  if (mode.journal_mode !== 'wal') {
    throw storageError('engine', database.location() ?? 'the database', 'its file system has no shared memory');
  }
  database.exec(`
    PRAGMA foreign_keys = ON;
    PRAGMA synchronous = NORMAL;
    PRAGMA temp_store = MEMORY;
    PRAGMA wal_autocheckpoint = ${FOLD_AFTER_PAGES};
  `);
  if (options.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${Math.trunc(options.maxPages)}`);
}
