import type { RunEvent } from '@toolyard/protocol';
import { decodeJson } from '../text.ts';
import type { StorageEngine } from '../engine/engine.ts';
import type { Statement } from '../engine/work.ts';
import { statements } from '../engine/work.ts';
import { COMPACTED_EVENTS } from './compaction.ts';
import type { RunJobs } from './run-jobs.ts';
import type { RunRow } from './run-rows.ts';
import { RUN_COLUMNS, toRunRecord } from './run-rows.ts';

/** An event as stored. */
export type EventRow = { v: number; seq: number; step: number; attempt: number; at: number; body: string };

/** The parts of a run that its owner may read. */
export function createRunReader(
  engine: StorageEngine,
): Pick<RunJobs, 'getRun' | 'listRuns' | 'readEvents' | 'readWholeEvents'> {
  const get = engine.prepare<RunRow>(`SELECT ${RUN_COLUMNS} FROM runs WHERE id = ? AND owner_id = ?`);
  // Nullable parameters prevent the use of an index, so the most selective condition is part of the SQL.
  const list = (condition: string): Statement<RunRow> =>
    engine.prepare(`
      SELECT ${RUN_COLUMNS} FROM runs
      WHERE owner_id = ?1 AND ${condition} AND (CAST(?2 AS TEXT) IS NULL OR conversation_id = ?2)
        AND (CAST(?3 AS TEXT) IS NULL OR status IN (${engine.sql.textsOf('?3')}))
        AND (CAST(?4 AS TEXT) IS NULL OR (created_at, id) < (SELECT created_at, id FROM runs WHERE id = ?4 AND owner_id = ?1))
      ORDER BY created_at DESC, id DESC LIMIT ?5`);
  const listAll = list('true');
  const listOfConversation = list('conversation_id = ?2');
  const listStartedBy = list('started_by = CAST(?6 AS TEXT) AND (CAST(?7 AS TEXT) IS NULL OR parent_run_id = ?7)');
  const listOfParent = list('parent_run_id = CAST(?6 AS TEXT)');
  const events = engine.prepare<EventRow>(`
    SELECT v, seq, step, attempt, at, body FROM run_events WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?`);

  const wholeEvents = engine.prepare<EventRow>(`
    SELECT v, seq, step, attempt, at, body FROM run_events
    WHERE run_id = ? AND seq > ? AND type NOT IN (${engine.sql.textsOf('?')}) ORDER BY seq LIMIT ?`);
  const passing = JSON.stringify(COMPACTED_EVENTS);

  return {
    getRun({ ownerId }, runId) {
      return statements(function* () {
        const row = yield* get.get(runId, ownerId);
        return row === undefined ? null : toRunRecord(row);
      });
    },
    listRuns({ ownerId }, { conversationId, parentRunId, startedBy, statuses, before, limit }) {
      const statusList = statuses === undefined ? null : JSON.stringify(statuses);
      return statements(function* () {
        const values = [conversationId ?? null, statusList, before ?? null, limit];
        const rows =
          startedBy !== undefined
            ? yield* listStartedBy.all(ownerId, ...values, startedBy, parentRunId ?? null)
            : parentRunId !== undefined
              ? yield* listOfParent.all(ownerId, ...values, parentRunId)
              : yield* (conversationId === undefined ? listAll : listOfConversation).all(ownerId, ...values);
        return rows.map(toRunRecord);
      });
    },
    readEvents({ ownerId }, runId, afterSeq, limit) {
      return statements(function* () {
        if (!(yield* get.get(runId, ownerId))) return null;
        const rows = yield* events.all(runId, afterSeq, limit);
        return rows.map((row) => toEvent(runId, row));
      });
    },
    readWholeEvents({ ownerId }, runId, afterSeq, limit) {
      return statements(function* () {
        if (!(yield* get.get(runId, ownerId))) return null;
        const rows = yield* wholeEvents.all(runId, afterSeq, passing, limit);
        return rows.map((row) => toEvent(runId, row));
      });
    },
  };
}

export function toEvent(runId: string, { body, ...envelope }: EventRow): RunEvent {
  return { ...envelope, runId, ...(decodeJson(body) as object) } as RunEvent;
}
