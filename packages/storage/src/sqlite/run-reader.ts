import type { StatementSync } from 'node:sqlite';
import type { RunEvent } from '@toolyard/protocol';
import { decodeJson } from '../text.ts';
import type { SqliteConnection } from './connection.ts';
import type { RunRow, SyncRunStore } from './run-rows.ts';
import { RUN_COLUMNS, toRunRecord } from './run-rows.ts';

type EventRow = { v: number; seq: number; step: number; attempt: number; at: number; body: string };

/** What a run's owner may read of it. */
export function createRunReader(
  connection: SqliteConnection,
): Pick<SyncRunStore, 'getRun' | 'listRuns' | 'readEvents'> {
  const get = connection.prepare(`SELECT ${RUN_COLUMNS} FROM runs WHERE id = ? AND owner_id = ?`);
  // A parameter that may be null keeps an index from being used: what narrows most is written out.
  const list = (narrowed: string): StatementSync =>
    connection.prepare(`
      SELECT ${RUN_COLUMNS} FROM runs
      WHERE owner_id = ?1 AND ${narrowed} AND (?2 IS NULL OR conversation_id = ?2)
        AND (?3 IS NULL OR status IN (SELECT value FROM json_each(?3)))
        AND (?4 IS NULL OR (created_at, id) < (SELECT created_at, id FROM runs WHERE id = ?4 AND owner_id = ?1))
      ORDER BY created_at DESC, id DESC LIMIT ?5`);
  const listAll = list('true');
  const listOfConversation = list('conversation_id = ?2');
  const events = connection.prepare(`
    SELECT v, seq, step, attempt, at, body FROM run_events WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?`);

  return {
    getRun({ ownerId }, runId) {
      return connection.guard(() => {
        const row = get.get(runId, ownerId) as RunRow | undefined;
        return row === undefined ? null : toRunRecord(row);
      });
    },
    listRuns({ ownerId }, { conversationId, statuses, before, limit }) {
      const wanted = statuses === undefined ? null : JSON.stringify(statuses);
      return connection.guard(() => {
        const list = conversationId === undefined ? listAll : listOfConversation;
        const rows = list.all(ownerId, conversationId ?? null, wanted, before ?? null, limit) as RunRow[];
        return rows.map(toRunRecord);
      });
    },
    readEvents({ ownerId }, runId, afterSeq, limit) {
      return connection.guard(() => {
        if (!get.get(runId, ownerId)) return null;
        const rows = events.all(runId, afterSeq, limit) as EventRow[];
        return rows.map((row) => toEvent(runId, row));
      });
    },
  };
}

function toEvent(runId: string, { body, ...envelope }: EventRow): RunEvent {
  return { ...envelope, runId, ...(decodeJson(body) as object) } as RunEvent;
}
