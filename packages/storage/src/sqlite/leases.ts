import type { Clock, LeaseTerms } from '@toolyard/protocol';
import type { SqliteConnection } from './connection.ts';
import type { RunRow, StateRow, SyncRunStore } from './run-rows.ts';
import { ACTIVE, RUN_COLUMNS, toLeasedRun } from './run-rows.ts';

const WAITING = 'EXISTS (SELECT 1 FROM run_inbox WHERE run_id = runs.id AND taken_at IS NULL)';

/**
 * Who may write a run. Leases are timed by the monotonic clock, which no change of the wall clock moves; it begins
 * anew with each process, so whoever opens the folder first calls {@link freeLeases}.
 */
export function createLeases(
  connection: SqliteConnection,
  clock: Clock,
): Pick<SyncRunStore, 'acquireLease' | 'renewLeases' | 'releaseLease' | 'takeOver'> {
  const acquire = connection.prepare(`
    UPDATE runs SET lease_owner = ?, lease_until = ?, fence = fence + 1
    WHERE id = ? AND status IN ${ACTIVE} AND (lease_owner IS NULL OR lease_until <= ?)
    RETURNING ${RUN_COLUMNS}`);
  const renew = connection.prepare(`
    UPDATE runs SET lease_until = ? WHERE lease_owner = ?
    RETURNING id, fence, ${WAITING} AS waits, EXISTS (
      SELECT 1 FROM run_inbox WHERE run_id = runs.id AND taken_at IS NULL AND kind = 'cancel') AS cancel`);
  const release = connection.prepare(`
    UPDATE runs SET lease_owner = NULL, lease_until = NULL WHERE id = ? AND fence = ? AND lease_owner IS NOT NULL`);
  const takeOver = connection.prepare(`
    UPDATE runs SET lease_owner = ?, lease_until = ?, fence = fence + 1
    WHERE id IN (
      SELECT id FROM runs WHERE status IN ${ACTIVE} AND place = 'server'
        AND (lease_owner IS NULL OR lease_until <= ?) AND (status IN ('queued', 'running') OR ${WAITING})
      ORDER BY created_at, id LIMIT ?)
    RETURNING ${RUN_COLUMNS}`);
  const kept = connection.prepare('SELECT configuration, state FROM run_states WHERE run_id = ?');

  const now = (): number => Math.trunc(clock.monotonic());
  const until = (terms: LeaseTerms): number => Math.trunc(clock.monotonic() + terms.ms);
  const stateOf = (runId: string): StateRow | undefined => kept.get(runId) as StateRow | undefined;

  return {
    acquireLease(runId, terms) {
      return connection.transaction('lease', 'normal', () => {
        const row = acquire.get(terms.owner, until(terms), runId, now()) as RunRow | undefined;
        return row === undefined ? null : toLeasedRun(row, stateOf(runId));
      });
    },
    renewLeases(terms) {
      return connection.guard(() => {
        const rows = renew.all(until(terms), terms.owner) as RenewedRow[];
        return rows.map((row) => ({
          runId: row.id,
          fence: row.fence,
          cancelRequested: row.cancel === 1,
          inboxWaits: row.waits === 1,
        }));
      });
    },
    releaseLease(runId, fence) {
      return connection.guard(() => release.run(runId, fence).changes === 1);
    },
    takeOver(terms, limit) {
      return connection.transaction('lease', 'normal', () => {
        const rows = takeOver.all(terms.owner, until(terms), now(), limit) as RunRow[];
        return rows.sort((a, b) => a.created_at - b.created_at).map((row) => toLeasedRun(row, stateOf(row.id)));
      });
    },
  };
}

type RenewedRow = { id: string; fence: number; waits: number; cancel: number };

/** Nobody else is alive once the folder is locked: what a dead process held is free. Its fences stay behind. */
export function freeLeases(connection: SqliteConnection): void {
  connection.transaction('lease', 'normal', () =>
    connection.database.exec('UPDATE runs SET lease_owner = NULL, lease_until = NULL WHERE lease_owner IS NOT NULL'),
  );
}
