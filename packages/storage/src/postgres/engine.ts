import type { Compilable, Kysely } from 'kysely';
import type { StorageEngine, EventRow, PlainItem } from '../engine/engine.ts';
import type { Query, Statement, Value, StoreWork } from '../engine/work.ts';
import { decodeJsonColumns } from '../json-columns.ts';
import { ACTIVE_STATUSES } from '../runs/run-rows.ts';
import type { Schema } from '../schema.ts';
import type { PostgresConnection } from './connection.ts';
import { isConstraint } from './errors.ts';
import { createPostgresSearchWriter } from './search.ts';

/** The clock shared by all processes. */
export const DATABASE_TIME = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)';

/** @param leaseTime SQL expression for the lease clock in milliseconds; default: the clock of the database. */
export function createPostgresEngine(
  connection: PostgresConnection,
  db: Kysely<Schema>,
  leaseTime = DATABASE_TIME,
): StorageEngine {
  const prepare = createPreparer();
  return {
    db,
    sql: {
      now: leaseTime,
      holdRow: ' FOR SHARE',
      claimRow: ' FOR NO KEY UPDATE',
      claimFreeRows: ' FOR NO KEY UPDATE SKIP LOCKED',
      // Through an array: its length is estimated as 10, that of a JSON function as 100, for which a join scans a table.
      selectTexts: (parameter) =>
        `SELECT value FROM unnest(ARRAY(SELECT json_array_elements_text(CAST(${parameter} AS JSON)))) AS texts (value)`,
    },
    searchWriter: () => createPostgresSearchWriter(prepare),
    prepare,
    *readRows<T>(query: Compilable<T>): StoreWork<T[]> {
      const { sql, parameters } = query.compile();
      const { rows } = yield { text: sql, values: parameters as readonly Value[] };
      return rows.map((row) => decodeJsonColumns(row as Record<string, unknown>) as T);
    },
    *savepoint(work) {
      yield plain('SAVEPOINT item');
      try {
        const result = yield* work();
        yield plain('RELEASE SAVEPOINT item');
        return result;
      } catch (error) {
        yield plain('ROLLBACK TO SAVEPOINT item');
        throw error;
      }
    },
    isConstraint,
    insertEvents: createEventWriter(prepare),
    advanceBatch: createBatchAdvance(prepare),
    perform: (job) => connection.perform(job),
  };
}

type Prepare = <Row>(sql: string) => Statement<Row>;

/** Prepares a statement on each connection, on first use of its name. */
function createPreparer(): Prepare {
  let count = 0;
  return <Row>(sql: string): Statement<Row> => {
    const name = `toolyard-${++count}`;
    let parameters = 0;
    const text = sql.replace(/\?(\d*)/g, (_mark, number: string) => `$${number === '' ? ++parameters : number}`);
    const query = (values: readonly Value[]): Query => ({ name, text, values });
    return {
      *run(...values) {
        return (yield query(values)).changes;
      },
      *get(...values) {
        return (yield query(values)).rows[0] as Row | undefined;
      },
      *all(...values) {
        return (yield query(values)).rows as Row[];
      },
    };
  };
}

function plain(text: string): Query {
  return { text, values: [] };
}

const EVENT_COLUMNS = 'run_id, seq, v, step, attempt, at, type, body';
const EVENTS = `unnest(CAST(?1 AS TEXT[]), CAST(?2 AS BIGINT[]), CAST(?3 AS BIGINT[]), CAST(?4 AS BIGINT[]),
  CAST(?5 AS BIGINT[]), CAST(?6 AS BIGINT[]), CAST(?7 AS TEXT[]), string_to_array(CAST(?8 AS TEXT), chr(30))) AS e (${EVENT_COLUMNS})`;
/** Does not occur in JSON: the bodies are joined to one text, because quoting dominates the cost of an array. */
const BETWEEN_BODIES = '\u001e';

type Stored = Pick<EventRow, 'runId' | 'event' | 'body'>;

/** The columns of events in the order of {@link EVENT_COLUMNS}: arrays, and the joined bodies. */
function toColumns(events: readonly Stored[]): ((string | number)[] | string)[] {
  return [
    events.map(({ runId }) => runId),
    events.map(({ event }) => event.seq),
    events.map(({ event }) => event.v),
    events.map(({ event }) => event.step),
    events.map(({ event }) => event.attempt),
    events.map(({ event }) => event.at),
    events.map(({ event }) => event.type),
    events.map(({ body }) => body).join(BETWEEN_BODIES),
  ];
}

function createEventWriter(prepare: Prepare): StorageEngine['insertEvents'] {
  const insert = prepare(`
    INSERT INTO run_events (${EVENT_COLUMNS}, owner_id) SELECT ${EVENT_COLUMNS}, CAST(?9 AS TEXT) FROM ${EVENTS}`);
  return function* (events) {
    const [first] = events;
    if (first) yield* insert.run(...toColumns(events), first.ownerId);
  };
}

/** One statement for most flushes: the tokens of many runs, and the lease check of each. */
function createBatchAdvance(prepare: Prepare): (items: readonly PlainItem[]) => StoreWork<ReadonlySet<string>> {
  const advance = prepare<{ id: string }>(`
    WITH claimed AS (
      UPDATE runs SET last_seq = item.last_seq, updated_at = item.at
      FROM unnest(CAST(?9 AS TEXT[]), CAST(?10 AS BIGINT[]), CAST(?11 AS BIGINT[]), CAST(?12 AS BIGINT[]),
        CAST(?13 AS BIGINT[]), CAST(?14 AS TEXT[])) AS item (run_id, fence, base_seq, last_seq, at, state)
      WHERE runs.id = item.run_id AND runs.fence = item.fence AND runs.last_seq = item.base_seq
        AND runs.lease_owner IS NOT NULL AND runs.status IN ${ACTIVE_STATUSES}
      RETURNING runs.id, runs.owner_id, item.state
    ), events AS (
      INSERT INTO run_events (${EVENT_COLUMNS}, owner_id)
      SELECT e.*, claimed.owner_id FROM ${EVENTS} JOIN claimed ON claimed.id = e.run_id
    ), states AS (
      INSERT INTO run_states (run_id, owner_id, state)
      SELECT id, owner_id, state FROM claimed WHERE state IS NOT NULL
      ON CONFLICT (run_id) DO UPDATE SET state = excluded.state
    )
    SELECT id FROM claimed`);
  return function* (items) {
    // A consistent order prevents deadlocks.
    const sorted = items.toSorted((a, b) => (a.runId < b.runId ? -1 : 1));
    const events = sorted.flatMap(({ runId, events, bodies }) =>
      events.map((event, index) => ({ runId, event, body: bodies[index] ?? '' })),
    );
    const rows = yield* advance.all(
      ...toColumns(events),
      sorted.map(({ runId }) => runId),
      sorted.map(({ fence }) => fence),
      sorted.map(({ baseSeq }) => baseSeq),
      sorted.map(({ lastSeq }) => lastSeq),
      sorted.map(({ at }) => at),
      sorted.map(({ state }) => state),
    );
    return new Set(rows.map(({ id }) => id));
  };
}
