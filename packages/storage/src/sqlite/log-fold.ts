import { DatabaseSync } from 'node:sqlite';

/** While a log is folded others go on writing into it: so often is what came meanwhile folded, too. */
const ROUNDS = 5;

/**
 * Folds the log of a database into its file on a connection of its own, beside the one that writes: neither waits for the
 * other. Between two who write, a log that is folded wholly is begun anew; else it grows on.
 */
export class LogFold {
  readonly #file: string;
  #database: DatabaseSync | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Folds what can be folded. What fails, as on a full disk, is left in the log, where nothing is lost. */
  fold(): void {
    try {
      this.#database ??= new DatabaseSync(this.#file);
      const passive = this.#database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
      let folded = -1;
      for (let round = 0; round < ROUNDS; round++) {
        const { log } = passive.get() as { log: number };
        if (log === folded) return;
        folded = log;
      }
    } catch {
      // Who writes will notice, and says so.
    }
  }

  close(): void {
    this.#database?.close();
  }
}
