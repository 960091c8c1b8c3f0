import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import { guarded } from '../storage-error.ts';

/** The part of a connection needed for reading. */
export type ReadSource = {
  prepare(sql: string): StatementSync;
  guard<T>(work: () => T): T;
};

/** A read-only connection beside the writing one: a statement sees what was committed before it started. */
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
