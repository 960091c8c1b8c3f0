import type { LeasedRun, RunLocation, RunRecord, RunStatus } from '@toolyard/protocol';
import { decodeJson } from '../text.ts';

/** Columns of `runs` for a {@link RunRecord}, in a SELECT or RETURNING. */
export const RUN_COLUMNS = `id, owner_id, conversation_id, agent_id, parent_run_id, place, status, last_seq, fence,
  created_at, updated_at, ended_at, started_by`;

/** The statuses that accept commits, as in the partial indexes. */
export const ACTIVE_STATUSES = `('queued', 'running', 'parked', 'waiting_for_tab')`;

/** Condition for writing a run's row: fence and seq match, the lease was not released, the run has not ended. */
export const OWNED_RUN = `id = ? AND fence = ? AND last_seq = ? AND lease_owner IS NOT NULL AND status IN ${ACTIVE_STATUSES}`;

/** Parameters: run, owner and state. */
export const SAVE_STATE = `
  INSERT INTO run_states (run_id, owner_id, state) VALUES (?, ?, ?)
  ON CONFLICT (run_id) DO UPDATE SET state = excluded.state`;

const FINAL: ReadonlySet<RunStatus> = new Set(['done', 'failed', 'cancelled']);

/** True for a final status. */
export function isFinal(status: RunStatus): boolean {
  return FINAL.has(status);
}

export type RunRow = {
  id: string;
  owner_id: string;
  conversation_id: string;
  agent_id: string | null;
  parent_run_id: string | null;
  place: string;
  status: string;
  last_seq: number;
  fence: number;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
  started_by: string | null;
};

export function toRunRecord(row: RunRow): RunRecord {
  return {
    id: row.id,
    ownerId: row.owner_id,
    conversationId: row.conversation_id,
    agentId: row.agent_id,
    parentRunId: row.parent_run_id,
    place: row.place as RunLocation,
    status: row.status as RunStatus,
    lastSeq: row.last_seq,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
    ...(row.started_by === null ? {} : { startedBy: row.started_by }),
  };
}

export type StateRow = { configuration: string | null; state: string | null };

export function toLeasedRun(row: RunRow, stored: StateRow | undefined): LeasedRun {
  return {
    ...toRunRecord(row),
    fence: row.fence,
    state: stored?.state == null ? null : decodeJson(stored.state),
    configuration: stored?.configuration == null ? null : decodeJson(stored.configuration),
  };
}
