import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import { guarded } from '../storage-error.ts';

/** What is needed of a connection to read. */
export type ReadSource = {
  prepare(sql: string): StatementSync;
  guard<T>(work: () => T): T;
};

/** A connection that cannot write, beside the one that does: it sees what is committed when a statement begins. */
export class ReadConnection implements ReadSource {
  readonly #file: string;
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#file = file;
    this.#database = this.guard(() => new DatabaseSync(file, { readOnly: true, timeout: 1_000 }));
  }

  prepare(sql: string): StatementSync {
    return this.guard(() => this.#database.prepare(sql));
  }

  guard<T>(work: () => T): T {
    return guarded(this.#file, work);
  }

  close(): void {
    this.#database.close();
  }
}
