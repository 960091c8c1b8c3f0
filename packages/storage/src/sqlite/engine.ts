import type { SQLInputValue } from 'node:sqlite';
import type { Kysely } from 'kysely';
import type { Clock } from '@toolyard/protocol';
import type { Engine } from '../engine/engine.ts';
import type { Job, Statement, Value, Work } from '../engine/work.ts';
import { decodeJsonColumns } from '../json-columns.ts';
import type { Schema } from '../schema.ts';
import { SQLITE, sqliteCode } from '../storage-error.ts';
import type { SqliteConnection } from './connection.ts';
import { createSqliteSearchFinder, createSqliteSearchWriter } from './search.ts';

/** An {@link Engine} that answers at once. */
export type SqliteEngine = Engine & { readonly performNow: <T>(job: Job<T>) => T };

export function createSqliteEngine(connection: SqliteConnection, clock: Clock, db: Kysely<Schema>): SqliteEngine {
  // Leases follow the monotonic clock, which no change of the wall clock moves.
  connection.database.function('monotonic_ms', { directOnly: true }, () => Math.trunc(clock.monotonic()));
  const prepare = <Row>(sql: string): Statement<Row> => prepareNow(connection, sql);

  function performNow<T>({ transaction, work }: Job<T>): T {
    if (transaction === null) return connection.guard(() => atOnce(work()));
    return connection.transaction(transaction.name, transaction.durability, () => atOnce(work()));
  }

  const engine: SqliteEngine = {
    db,
    sql: {
      now: 'monotonic_ms()',
      // Who writes is alone with the file.
      holdRow: '',
      claimRow: '',
      claimFreeRows: '',
      textsOf: (parameter) => `SELECT value FROM json_each(${parameter})`,
    },
    search: {
      writer: () => createSqliteSearchWriter(prepare),
      finder: () => createSqliteSearchFinder(prepare),
    },
    prepare,

    *rowsOf<T>(query: { compile(): { sql: string; parameters: readonly unknown[] } }): Work<T[]> {
      const { sql, parameters } = query.compile();
      const rows = connection.prepare(sql).all(...(parameters as SQLInputValue[]));
      return rows.map((row) => decodeJsonColumns(row) as T);
    },

    *savepoint(work) {
      return connection.savepoint(() => atOnce(work()));
    },
    isConstraint: (error) => sqliteCode(error) === SQLITE.constraint,
    insertEvents: createEventWriter(prepare),
    advanceTogether: null,
    perform: async (job) => performNow(job),
    performNow,
  };
  return engine;
}

function createEventWriter(prepare: <Row>(sql: string) => Statement<Row>): Engine['insertEvents'] {
  const insert = prepare(`
    INSERT INTO run_events (run_id, seq, owner_id, v, step, attempt, at, type, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  return function* (events) {
    for (const { runId, ownerId, event, body } of events) {
      const { v, seq, step, attempt, at, type } = event;
      yield* insert.run(runId, seq, ownerId, v, step, attempt, at, type, body);
    }
  };
}

function prepareNow<Row>(connection: SqliteConnection, sql: string): Statement<Row> {
  const statement = connection.prepare(sql);
  const bind = (values: readonly Value[]): SQLInputValue[] => values as SQLInputValue[];
  return {
    *run(...values) {
      return Number(statement.run(...bind(values)).changes);
    },
    *get(...values) {
      return statement.get(...bind(values)) as Row | undefined;
    },
    *all(...values) {
      return statement.all(...bind(values)) as Row[];
    },
  };
}

function atOnce<T>(work: Work<T>): T {
  const step = work.next();
  if (!step.done) throw new Error('a statement of another engine in a transaction of SQLite');
  return step.value;
}
