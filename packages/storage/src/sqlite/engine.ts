import type { SQLInputValue, StatementSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import type { Clock } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { RetryableWork, Statement, Value, StoreWork } from '../engine/work.ts';
import { decodeJsonColumns } from '../json-columns.ts';
import { OWNED_RUN, SAVE_STATE } from '../runs/run-rows.ts';
import type { Schema } from '../schema.ts';
import { SQLITE, sqliteCode } from '../storage-error.ts';
import type { SqliteConnection } from './connection.ts';
import { createSqliteSearchWriter } from './search-writer.ts';

const INSERT_EVENT = `
  INSERT INTO run_events (run_id, seq, owner_id, v, step, attempt, at, type, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** A synchronous {@link StorageEngine}. */
export type SqliteEngine = StorageEngine & { readonly performSync: <T>(job: RetryableWork<T>) => T };

export function createSqliteEngine(connection: SqliteConnection, clock: Clock, db: Kysely<Schema>): SqliteEngine {
  // Leases use the monotonic clock, which does not follow changes of the wall clock.
  connection.database.function('monotonic_ms', { directOnly: true }, () => Math.trunc(clock.monotonic()));
  const prepare = <Row>(sql: string): Statement<Row> => prepareSync(connection, sql);

  function performSync<T>({ transaction, work }: RetryableWork<T>): T {
    if (transaction === null) return connection.guard(() => runSync(work()));
    return connection.transaction(transaction.name, transaction.durability, () => runSync(work()));
  }

  const engine: SqliteEngine = {
    db,
    sql: {
      now: 'monotonic_ms()',
      // Not needed: a writer locks the whole file.
      holdRow: '',
      claimRow: '',
      claimFreeRows: '',
      selectTexts: (parameter) => `SELECT value FROM json_each(${parameter})`,
    },
    searchWriter: () => createSqliteSearchWriter(prepare),
    prepare,

    *readRows<T>(query: { compile(): { sql: string; parameters: readonly unknown[] } }): StoreWork<T[]> {
      const { sql, parameters } = query.compile();
      const rows = connection.prepare(sql).all(...(parameters as SQLInputValue[]));
      return rows.map((row) => decodeJsonColumns(row) as T);
    },

    *savepoint(work) {
      return connection.savepoint(() => runSync(work()));
    },
    isConstraint: (error) => sqliteCode(error) === SQLITE.constraint,
    insertEvents: createEventWriter(prepare),
    advanceBatch: createBatchAdvance(connection),
    perform: async (job) => performSync(job),
    performSync,
  };
  return engine;
}

function createEventWriter(prepare: <Row>(sql: string) => Statement<Row>): StorageEngine['insertEvents'] {
  const insert = prepare(INSERT_EVENT);
  return function* (events) {
    for (const { runId, ownerId, event, body } of events) {
      const { v, seq, step, attempt, at, type } = event;
      yield* insert.run(runId, seq, ownerId, v, step, attempt, at, type, body);
    }
  };
}

/** Item by item: in process, one statement for all would be slower. */
function createBatchAdvance(connection: SqliteConnection): StorageEngine['advanceBatch'] {
  const advance = connection.prepare(
    `UPDATE runs SET last_seq = ?, updated_at = ? WHERE ${OWNED_RUN} RETURNING owner_id`,
  );
  const insert = connection.prepare(INSERT_EVENT);
  const saveState = connection.prepare(SAVE_STATE);
  return function* (items) {
    const advanced = new Set<string>();
    for (const { runId, fence, baseSeq, lastSeq, at, events, bodies, state } of items) {
      const row = advance.get(lastSeq, at, runId, fence, baseSeq) as { owner_id: string } | undefined;
      if (!row) continue;
      advanced.add(runId);
      let index = 0;
      for (const { v, seq, step, attempt, at, type } of events) {
        insert.run(runId, seq, row.owner_id, v, step, attempt, at, type, bodies[index++] ?? '');
      }
      if (state !== null) saveState.run(runId, row.owner_id, state);
    }
    return advanced;
  };
}

/** Prepared at its first use: a process uses few of all statements. */
function prepareSync<Row>(connection: SqliteConnection, sql: string): Statement<Row> {
  let prepared: StatementSync | undefined;
  const statement = (): StatementSync => (prepared ??= connection.prepare(sql));
  const bind = (values: readonly Value[]): SQLInputValue[] => values as SQLInputValue[];
  return {
    *run(...values) {
      return Number(statement().run(...bind(values)).changes);
    },
    *get(...values) {
      return statement().get(...bind(values)) as Row | undefined;
    },
    *all(...values) {
      return statement().all(...bind(values)) as Row[];
    },
  };
}

function runSync<T>(work: StoreWork<T>): T {
  const step = work.next();
  if (!step.done) throw new Error('a statement of another engine in a transaction of SQLite');
  return step.value;
}
