import type { LedgerChange, LedgerEntry, LedgerStatus } from '@toolyard/protocol';
import { selectList } from '../engine/columns.ts';
import { decodeJson, encodeJson } from '../text.ts';
import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWork } from '../engine/work.ts';
import { statements } from '../engine/work.ts';
import { MessageRefusal } from './message-rows.ts';
import type { RunJobs } from './run-jobs.ts';

/** Allowed transitions. All others are rejected, whatever the row contains. */
const NEXT: Readonly<Record<LedgerStatus, readonly LedgerStatus[]>> = {
  planned: ['sent', 'failed', 'cancelled'],
  sent: ['sent', 'done', 'failed', 'in_doubt', 'cancelled', 'planned'],
  in_doubt: ['planned', 'done', 'failed', 'cancelled'],
  done: [],
  failed: [],
  cancelled: [],
};

export type LedgerWriter = {
  /**
   * Applies one change. Throws {@link MessageRefusal} if the transition is not allowed or does not match the stored
   * status.
   */
  apply(change: LedgerChange, of: { runId: string; ownerId: string; at: number }): StoreWork<void>;
};

/** The statements that write the ledger. Use them within a transaction. */
export function createLedgerWriter(engine: StorageEngine): LedgerWriter {
  const plan = engine.prepare(`
    INSERT INTO tool_ledger (run_id, call_id, owner_id, server_id, tool_name, arguments, edited, status, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, 'planned', ?)
    ON CONFLICT (run_id, call_id) DO UPDATE SET
      server_id = excluded.server_id, tool_name = excluded.tool_name, arguments = excluded.arguments,
      edited = excluded.edited, updated_at = excluded.updated_at
    WHERE tool_ledger.status = 'planned'`);
  const move = engine.prepare(`
    UPDATE tool_ledger SET status = ?, detail = coalesce(?, detail), updated_at = ?
    WHERE run_id = ? AND call_id = ? AND status = ?`);

  return {
    *apply(change, { runId, ownerId, at }) {
      const { callId } = change;
      switch (change.change) {
        case 'plan': {
          const { tool } = change;
          const text = encodeJson(change.arguments);
          const edited = change.edited ? 1 : 0;
          if ((yield* plan.run(runId, callId, ownerId, tool.serverId, tool.name, text, edited, at)) === 0)
            throw new MessageRefusal(`call ${callId} was already sent and cannot be planned again`);
          return;
        }
        case 'move': {
          const { from, to } = change;
          if (!NEXT[from].includes(to)) throw new MessageRefusal(`call ${callId} cannot go from ${from} to ${to}`);
          const detail = change.detail === undefined ? null : encodeJson(change.detail);
          if ((yield* move.run(to, detail, at, runId, callId, from)) === 0)
            throw new MessageRefusal(`call ${callId} is not in status ${from}`);
          return;
        }
      }
    },
  };
}

type LedgerRow = Pick<LedgerEntry, 'callId' | 'status' | 'updatedAt'> & {
  serverId: string;
  toolName: string;
  arguments: string;
  edited: number;
  detail: string | null;
};

/** Reads the calls of a run for its owner. */
export function createLedgerReader(engine: StorageEngine): RunJobs['readLedger'] {
  const run = engine.prepare('SELECT 1 FROM runs WHERE id = ? AND owner_id = ?');
  const select = engine.prepare<LedgerRow>(`
    SELECT ${selectList('call_id, server_id, tool_name, arguments, edited, status, detail, updated_at')} FROM tool_ledger
    WHERE run_id = ? AND owner_id = ? ORDER BY position`);
  return ({ ownerId }, runId) =>
    statements(function* () {
      if (!(yield* run.get(runId, ownerId))) return null;
      const rows = yield* select.all(runId, ownerId);
      return rows.map(({ serverId, toolName, edited, ...row }) => ({
        ...row,
        runId,
        tool: { serverId, name: toolName },
        arguments: decodeJson(row.arguments) as LedgerEntry['arguments'],
        ...(edited === 1 ? { edited: true as const } : {}),
        detail: row.detail === null ? null : decodeJson(row.detail),
      }));
    });
}
