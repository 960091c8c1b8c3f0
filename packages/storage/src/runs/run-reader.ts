import type { Owner, RunEvent } from '@toolyard/protocol';
import { decodeJson } from '../text.ts';
import type { StorageEngine } from '../engine/engine.ts';
import type { Statement, Value } from '../engine/work.ts';
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
  const lists = new Map<string, Statement<RunRow>>();
  function prepareList(sql: string): Statement<RunRow> {
    const list = lists.get(sql) ?? engine.prepare<RunRow>(sql);
    lists.set(sql, list);
    return list;
  }
  const events = engine.prepare<EventRow>(`
    SELECT v, seq, step, attempt, at, body FROM run_events WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?`);

  const wholeEvents = engine.prepare<EventRow>(`
    SELECT v, seq, step, attempt, at, body FROM run_events
    WHERE run_id = ? AND seq > ? AND type NOT IN (${engine.sql.selectTexts('?')}) ORDER BY seq LIMIT ?`);
  const passing = JSON.stringify(COMPACTED_EVENTS);

  return {
    getRun({ ownerId }, runId) {
      return statements(function* () {
        const row = yield* get.get(runId, ownerId);
        return row === undefined ? null : toRunRecord(row);
      });
    },
    listRuns(owner, query) {
      const { sql, values } = selectRuns(engine.sql, owner, query);
      return statements(function* () {
        return (yield* prepareList(sql).all(...values)).map(toRunRecord);
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

/**
 * A SELECT of the runs of an owner, newest first. Each combination of filters is a statement of its own, because a nullable
 * parameter prevents the use of an index; and the filter that few runs match comes first, in a CROSS JOIN, because SQLite
 * without statistics prefers the index with the order of the result, and reads all runs of the owner in it.
 */
function selectRuns(
  sql: Pick<StorageEngine['sql'], 'selectTexts'>,
  { ownerId }: Owner,
  { conversationId, parentRunId, startedBy, statuses, before, limit }: Parameters<RunJobs['listRuns']>[1],
): { sql: string; values: readonly Value[] } {
  const values: Value[] = [];
  const bind = (value: Value): string => `?${values.push(value)}`;
  const conditions = [`owner_id = ${bind(ownerId)}`];
  const few: string[] = [];
  if (parentRunId !== undefined) few.push(`parent_run_id = ${bind(parentRunId)}`);
  if (conversationId !== undefined) few.push(`conversation_id = ${bind(conversationId)}`);
  const [first, ...others] = few;
  if (first !== undefined) conditions.push('id = few.few_id', ...others);
  if (startedBy !== undefined) conditions.push(`started_by = ${bind(startedBy)}`);
  if (statuses !== undefined) conditions.push(`status IN (${sql.selectTexts(bind(JSON.stringify(statuses)))})`);
  if (before !== undefined) {
    conditions.push(
      `(created_at, id) < (SELECT created_at, id FROM runs WHERE id = ${bind(before)} AND owner_id = ?1)`,
    );
  }
  const source = first === undefined ? '' : `(SELECT id AS few_id FROM runs WHERE ${first}) AS few CROSS JOIN `;
  return {
    sql: `SELECT ${RUN_COLUMNS} FROM ${source}runs WHERE ${conditions.join(' AND ')}
      ORDER BY created_at DESC, id DESC LIMIT ${bind(limit)}`,
    values,
  };
}

export function toEvent(runId: string, { body, ...envelope }: EventRow): RunEvent {
  return { ...envelope, runId, ...(decodeJson(body) as object) } as RunEvent;
}
