import { statSync } from 'node:fs';
import type { SqliteConnection } from './connection.ts';

const CHECK_EVERY_MS = 10_000;
/** A smaller WAL stays: SQLite reuses its pages. */
const LARGE_BYTES = 4_000_000;

type After = (ms: number, work: () => void) => () => void;

const unreferencedTimer: After = (ms, work) => {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
};

/**
 * Truncates a large write-ahead log once nothing was written for a while: SQLite itself keeps the file at its largest size.
 * Returns a function that stops the checks.
 *
 * @param after as `Clock.after`; default: a timer that does not keep the process alive
 */
export function truncateWalWhenIdle(connection: SqliteConnection, after: After = unreferencedTimer): () => void {
  const total = connection.prepare('SELECT total_changes() AS changes');
  const walSize = (): number => statSync(`${connection.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  let seen: unknown;
  let cancel: () => void;
  const check = (): void => {
    const changes = total.get()?.['changes'];
    if (changes === seen && walSize() > LARGE_BYTES) connection.truncateWal();
    seen = changes;
    plan();
  };
  const plan = (): void => {
    cancel = after(CHECK_EVERY_MS, check);
  };
  plan();
  return () => cancel();
}
