import type { LeasedRun, LeaseRenewal } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { Statement, StoreWork } from '../engine/work.ts';
import { statements, transaction } from '../engine/work.ts';
import type { RunJobs } from './run-jobs.ts';
import type { RunRow, StateRow } from './run-rows.ts';
import { ACTIVE_STATUSES, RUN_COLUMNS, toLeasedRun } from './run-rows.ts';

const WAITING = 'EXISTS (SELECT 1 FROM run_inbox WHERE run_id = runs.id AND taken_at IS NULL)';

/** Leases: which process may write a run. */
export function createLeases(
  engine: StorageEngine,
): Pick<RunJobs, 'acquireLease' | 'renewLeases' | 'renewLease' | 'releaseLease' | 'claimExpired'> {
  const { now, claimFreeRows } = engine.sql;
  const acquire = engine.prepare<RunRow>(`
    UPDATE runs SET lease_owner = ?, lease_until = ${now} + ?, fence = fence + 1
    WHERE id = ? AND status IN ${ACTIVE_STATUSES}
      AND (lease_owner IS NULL OR lease_until <= ${now} OR substr(lease_owner, 1, length(CAST(? AS TEXT))) = ?)
    RETURNING ${RUN_COLUMNS}`);
  const renewal = (condition: string): Statement<RenewedRow> =>
    engine.prepare(`
    UPDATE runs SET lease_until = ${now} + ? WHERE lease_owner = ?${condition}
    RETURNING id, fence, CASE WHEN ${WAITING} THEN 1 ELSE 0 END AS waits, CASE WHEN EXISTS (
      SELECT 1 FROM run_inbox WHERE run_id = runs.id AND taken_at IS NULL AND kind = 'cancel') THEN 1 ELSE 0 END AS cancel`);
  const renew = renewal('');
  const renewOne = renewal(' AND id = ? AND fence = ?');
  const release = engine.prepare(`
    UPDATE runs SET lease_owner = NULL, lease_until = NULL WHERE id = ? AND fence = ? AND lease_owner IS NOT NULL`);
  // MATERIALIZED: a condition evaluated again per row would take more runs than the limit.
  const claimExpired = engine.prepare<RunRow>(`
    WITH due AS MATERIALIZED (
      SELECT id FROM runs WHERE status IN ${ACTIVE_STATUSES} AND place = 'server'
        AND (lease_owner IS NULL OR lease_until <= ${now}) AND (status IN ('queued', 'running') OR ${WAITING})
      ORDER BY created_at, id LIMIT ?${claimFreeRows})
    UPDATE runs SET lease_owner = ?, lease_until = ${now} + ?, fence = fence + 1
    WHERE id IN (SELECT id FROM due)
    RETURNING ${RUN_COLUMNS}`);
  const stateOf = engine.prepare<StateRow>('SELECT configuration, state FROM run_states WHERE run_id = ?');

  function* leased(row: RunRow): StoreWork<LeasedRun> {
    return toLeasedRun(row, yield* stateOf.get(row.id));
  }

  return {
    acquireLease(runId, terms, { from = null } = {}) {
      return transaction('lease', 'normal', function* () {
        const row = yield* acquire.get(terms.owner, Math.trunc(terms.ms), runId, from, from);
        return row === undefined ? null : yield* leased(row);
      });
    },
    renewLeases(terms) {
      return statements(function* () {
        const rows = yield* renew.all(Math.trunc(terms.ms), terms.owner);
        return rows.map(toRenewal);
      });
    },
    renewLease(runId, fence, terms) {
      return statements(function* () {
        const row = yield* renewOne.get(Math.trunc(terms.ms), terms.owner, runId, fence);
        return row === undefined ? null : toRenewal(row);
      });
    },
    releaseLease(runId, fence) {
      return statements(function* () {
        return (yield* release.run(runId, fence)) === 1;
      });
    },
    claimExpired(terms, limit) {
      return transaction('lease', 'normal', function* () {
        const rows = yield* claimExpired.all(limit, terms.owner, Math.trunc(terms.ms));
        const runs: LeasedRun[] = [];
        for (const row of rows.sort((a, b) => a.created_at - b.created_at)) runs.push(yield* leased(row));
        return runs;
      });
    },
  };
}

type RenewedRow = { id: string; fence: number; waits: number; cancel: number };

function toRenewal({ id, fence, cancel, waits }: RenewedRow): LeaseRenewal {
  return { runId: id, fence, cancelRequested: cancel === 1, inboxWaits: waits === 1 };
}
