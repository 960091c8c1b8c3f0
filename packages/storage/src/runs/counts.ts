import type { StorageEngine } from '../engine/engine.ts';
import type { RetryableWork } from '../engine/work.ts';
import { statements } from '../engine/work.ts';
import { ACTIVE_STATUSES } from './run-rows.ts';

/** Number of active runs by status, and number of leases. */
export type StoredCounts = { runs: Record<string, number>; leases: number };

/** Uses the indexes of active runs: independent of the number of ended ones. */
export function createCounts(engine: StorageEngine): () => RetryableWork<StoredCounts> {
  const byStatus = engine.prepare<{ status: string; runs: number }>(
    `SELECT status, count(*) AS runs FROM runs WHERE status IN ${ACTIVE_STATUSES} GROUP BY status`,
  );
  const countLeases = engine.prepare<{ leases: number }>(
    `SELECT count(*) AS leases FROM runs WHERE lease_owner IS NOT NULL AND lease_until > ${engine.sql.now}`,
  );
  return () =>
    statements(function* () {
      const rows = yield* byStatus.all();
      const runs = { queued: 0, running: 0, parked: 0, waiting_for_tab: 0 };
      const { leases = 0 } = (yield* countLeases.get()) ?? {};
      return { runs: { ...runs, ...Object.fromEntries(rows.map((row) => [row.status, row.runs])) }, leases };
    });
}
