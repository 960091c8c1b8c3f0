import type { InboxItem, InboxKind, RunStatus } from '@toolyard/protocol';
import { decodeJson, encodeJson } from '../text.ts';
import type { StorageEngine } from '../engine/engine.ts';
import { statements, transaction } from '../engine/work.ts';
import type { RunJobs } from './run-jobs.ts';
import { isFinal } from './run-rows.ts';

/** Messages to a run. Taking one is part of the commit, see `commit.ts`. */
export function createInbox(engine: StorageEngine): Pick<RunJobs, 'putInbox' | 'readInbox' | 'withdrawInbox'> {
  // Locks the run, so that it cannot park or end without seeing the item.
  const find = engine.prepare<{ status: RunStatus; lease_owner: string | null }>(
    `SELECT status, lease_owner FROM runs WHERE id = ? AND owner_id = ?${engine.sql.holdRow}`,
  );
  const put = engine.prepare(`
    INSERT INTO run_inbox (run_id, id, owner_id, kind, body, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (run_id, id) DO NOTHING`);
  const isHeld = engine.prepare('SELECT 1 FROM runs WHERE id = ? AND fence = ? AND lease_owner IS NOT NULL');
  const read = engine.prepare<{ id: string; kind: InboxKind; body: string; at: number }>(
    'SELECT id, kind, body, at FROM run_inbox WHERE run_id = ? AND taken_at IS NULL ORDER BY position',
  );
  const withdraw = engine.prepare(
    'DELETE FROM run_inbox WHERE run_id = ? AND id = ? AND owner_id = ? AND taken_at IS NULL',
  );

  return {
    putInbox({ ownerId }, runId, { id, kind, body, at }) {
      return transaction('inbox', 'full', function* () {
        const run = yield* find.get(runId, ownerId);
        if (!run) return { outcome: 'not_found' };
        if (isFinal(run.status)) return { outcome: 'run_over' };
        if ((yield* put.run(runId, id, ownerId, kind, encodeJson(body), at)) === 0) return { outcome: 'exists' };
        return { outcome: 'put', leaseOwner: run.lease_owner, status: run.status };
      });
    },
    readInbox(runId, fence) {
      return statements(function* () {
        if (!(yield* isHeld.get(runId, fence))) return null;
        const rows = yield* read.all(runId);
        return rows.map((row): InboxItem => ({ ...row, body: decodeJson(row.body) }));
      });
    },
    withdrawInbox({ ownerId }, runId, itemId) {
      return statements(function* () {
        return (yield* withdraw.run(runId, itemId, ownerId)) === 1;
      });
    },
  };
}
