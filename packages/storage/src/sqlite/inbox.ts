import type { InboxItem, InboxKind, RunStatus } from '@toolyard/protocol';
import { decodeJson, encodeJson } from '../text.ts';
import type { SqliteConnection } from './connection.ts';
import type { SyncRunStore } from './run-rows.ts';
import { isFinal } from './run-rows.ts';

/** What others have to say to a run. Taking is part of the commit, see `commit.ts`. */
export function createInbox(
  connection: SqliteConnection,
): Pick<SyncRunStore, 'putInbox' | 'readInbox' | 'withdrawInbox'> {
  const find = connection.prepare('SELECT status, lease_owner FROM runs WHERE id = ? AND owner_id = ?');
  const put = connection.prepare(`
    INSERT INTO run_inbox (run_id, id, owner_id, kind, body, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (run_id, id) DO NOTHING`);
  const held = connection.prepare('SELECT 1 FROM runs WHERE id = ? AND fence = ? AND lease_owner IS NOT NULL');
  const read = connection.prepare(
    'SELECT id, kind, body, at FROM run_inbox WHERE run_id = ? AND taken_at IS NULL ORDER BY position',
  );
  const withdraw = connection.prepare(
    'DELETE FROM run_inbox WHERE run_id = ? AND id = ? AND owner_id = ? AND taken_at IS NULL',
  );

  return {
    putInbox({ ownerId }, runId, { id, kind, body, at }) {
      return connection.transaction('inbox', 'full', () => {
        const run = find.get(runId, ownerId) as { status: RunStatus; lease_owner: string | null } | undefined;
        if (!run) return { outcome: 'not_found' };
        if (isFinal(run.status)) return { outcome: 'run_over' };
        if (put.run(runId, id, ownerId, kind, encodeJson(body), at).changes === 0) return { outcome: 'exists' };
        return { outcome: 'put', leaseOwner: run.lease_owner, status: run.status };
      });
    },
    readInbox(runId, fence) {
      return connection.guard(() => {
        if (!held.get(runId, fence)) return null;
        const rows = read.all(runId) as { id: string; kind: string; body: string; at: number }[];
        return rows.map((row): InboxItem => ({ ...row, kind: row.kind as InboxKind, body: decodeJson(row.body) }));
      });
    },
    withdrawInbox({ ownerId }, runId, itemId) {
      return connection.guard(() => withdraw.run(runId, itemId, ownerId).changes === 1);
    },
  };
}
