import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient, QueryResult } from 'pg';
import pg from 'pg';
import type { Failpoint } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { QueryRows, StoreWorkResult, RetryableWork, Query, RecalledResult, StoreWork } from '../engine/work.ts';
import { readAddress } from './address.ts';
import {
  databaseError,
  isDatabaseError,
  isLost,
  toDatabaseError,
  wasNotSent,
  isSerializationFailure,
} from './errors.ts';

const CONNECT_WITHIN_MS = 5_000;
/** A time that ran out so much too late ran out while this process was held up, before it could look for an answer. */
const HELD_UP_MS = 100;
/** A process that is stopped in the middle of a transaction must not keep others from its rows for long. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/** How often a transaction is tried again that PostgreSQL sent back because another one was in its way. */
const TRIES = 5;

/** For so long it is asked what came of a commit whose answer was lost: a restart takes seconds. */
const ASK_FOR_MS = 10_000;
const ASK_EVERY_MS = 200;
const LOST_BEFORE = 'the connection was lost; nothing of the last change was stored';
const LOST_DURING = 'the connection was lost while a change was being stored, and nobody can tell whether it was';

const INT8 = 20;
const BYTEA = 17;

/** Nothing we ask takes so long: a server that is gone without a word would be waited for forever. */
const ANSWER_WITHIN_MS = 60_000;

export type PostgresConnectionOptions = {
  url: string;
  failpoint?: Failpoint;
  connections?: number;
  connectWithinMs?: number;
  /** Null where a statement may take as long as it takes. */
  answerWithinMs?: number | null;
  /** As PostgreSQL lists the connection. */
  name?: string;
};

/** The connections of this process to one database. */
export class PostgresConnection {
  /** The database as it may be shown. */
  readonly where: string;
  readonly #pool: pg.Pool;
  readonly #connectWithinMs: number;
  readonly #failpoint: Failpoint | undefined;

  constructor({
    url,
    failpoint,
    connections = 10,
    connectWithinMs = CONNECT_WITHIN_MS,
    answerWithinMs = ANSWER_WITHIN_MS,
    name = 'toolyard',
  }: PostgresConnectionOptions) {
    const address = readAddress(url);
    this.where = address.where;
    this.#failpoint = failpoint;
    this.#connectWithinMs = connectWithinMs;
    this.#pool = new pg.Pool({
      connectionString: address.url,
      max: connections,
      connectionTimeoutMillis: connectWithinMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      ...(answerWithinMs === null ? {} : { query_timeout: answerWithinMs, statement_timeout: answerWithinMs }),
      keepAlive: true,
      application_name: name,
      types: { getTypeParser },
    });
    // Whoever uses a connection that is lost is told; one that nobody uses is simply opened again.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** Does a job; again from its beginning where PostgreSQL sent it back in favour of another. */
  perform<T>(job: RetryableWork<T>): Promise<T> {
    return again(() => this.#performOnce(job));
  }

  /** Sends one statement, on whatever connection is free; again where PostgreSQL sent it back. */
  query(text: string, values: unknown[]): Promise<QueryResult> {
    return again(() => this.withClient((client) => client.query(text, values)));
  }

  async #performOnce<T>(job: RetryableWork<T>): Promise<T> {
    const { known, lost } = await this.withClient(
      (client) => this.#carryOut(client, job),
      (done) => done.lost !== null,
    );
    if (lost === null) return known.result;
    const recalled = await this.#recall(job, known);
    if (recalled) return recalled.result;
    throw databaseError('unreachable', this.where, recalled === false ? LOST_BEFORE : LOST_DURING, lost);
  }

  async #carryOut<T>(client: PoolClient, { transaction, writesOnce, work }: RetryableWork<T>): Promise<Done<T>> {
    if (transaction === null) return { known: { result: await drive(client, work()) }, lost: null };
    if (writesOnce) return this.#statement(client, transaction.name, work);
    return this.#transaction(client, transaction.name, work);
  }

  /** Asks as soon as somebody answers again; null where nobody does for a while, or nobody can tell. */
  async #recall<T>(job: RetryableWork<T>, known: StoreWorkResult<T> | null): Promise<RecalledResult<T>> {
    const giveUpAt = performance.now() + ASK_FOR_MS;
    for (;;) {
      const question = job.recall?.(known);
      if (!question) return null;
      try {
        return await this.withClient((client) => drive(client, question));
      } catch (error) {
        if (!isLost(error) || performance.now() > giveUpAt) return null;
      }
      await sleep(ASK_EVERY_MS);
    }
  }

  /** Lends one connection, which is not used again where it is lost. What the database throws becomes a StorageError. */
  async withClient<T>(
    use: (client: PoolClient) => Promise<T>,
    lostIt: (given: T) => boolean = () => false,
  ): Promise<T> {
    let client: PoolClient | undefined;
    let lost = false;
    try {
      client = await this.#connect();
      const given = await use(client);
      lost = lostIt(given);
      return given;
    } catch (error) {
      lost = isLost(error);
      throw isDatabaseError(error) ? toDatabaseError(error, this.where) : error;
    } finally {
      client?.release(lost);
    }
  }

  /** A connection that is free, or a new one; once more where its time ran out only because this process was held up. */
  async #connect(): Promise<PoolClient> {
    const latestAt = performance.now() + this.#connectWithinMs + HELD_UP_MS;
    try {
      return await this.#pool.connect();
    } catch (error) {
      if (performance.now() < latestAt) throw error;
      return this.#pool.connect();
    }
  }

  /** Waits for what is under way and closes. May be called again. */
  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  /** A statement by itself is all or nothing: two exchanges fewer. Failpoints: `<name>:begun`, `<name>:committed`. */
  async #statement<T>(client: PoolClient, name: string, work: () => StoreWork<T>): Promise<Done<T>> {
    await this.#failpoint?.(`${name}:begun`);
    let result: T;
    try {
      result = await drive(client, work());
    } catch (error) {
      if (error instanceof Error && isLost(error) && !wasNotSent(error)) return { known: null, lost: error };
      throw error;
    }
    await this.#failpoint?.(`${name}:committed`);
    return { known: { result }, lost: null };
  }

  /**
   * Failpoints: `<name>:begun`, `<name>:written` (before the commit), `<name>:committed`; they may throw, wait or end
   * the process.
   */
  async #transaction<T>(client: PoolClient, name: string, work: () => StoreWork<T>): Promise<Done<T>> {
    await client.query('BEGIN');
    let result: T;
    try {
      await this.#failpoint?.(`${name}:begun`);
      result = await drive(client, work());
      await this.#failpoint?.(`${name}:written`);
    } catch (error) {
      // Where the connection is gone, PostgreSQL rolls back by itself; what went wrong first is what is told.
      if (!isLost(error)) await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
    try {
      const { command } = await client.query('COMMIT');
      // A transaction that had failed is "committed" by rolling it back.
      if (command !== 'COMMIT') throw databaseError('engine', this.where, 'nothing was stored');
    } catch (error) {
      if (error instanceof Error && isLost(error)) return { known: { result }, lost: error };
      throw error;
    }
    await this.#failpoint?.(`${name}:committed`);
    return { known: { result }, lost: null };
  }
}

/** What a job gave. With `lost` nobody knows yet whether it was stored, nor always what it gave. */
type Done<T> = { known: StoreWorkResult<T>; lost: null } | { known: StoreWorkResult<T> | null; lost: Error };

async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !isSerializationFailure(causeOf(error))) throw error;
    }
  }
}

/** Carries out work on one connection, query by query. */
async function drive<T>(client: PoolClient, work: StoreWork<T>): Promise<T> {
  let step = work.next();
  while (!step.done) {
    let answer: QueryRows;
    try {
      answer = await ask(client, step.value);
    } catch (error) {
      // The work may know what to do about it, a savepoint for one.
      step = work.throw(error);
      continue;
    }
    step = work.next(answer);
  }
  return step.value;
}

async function ask(client: PoolClient, { text, values, name }: Query): Promise<QueryRows> {
  const query = { text, values: values as unknown[], ...defined({ name }) };
  const { rows, rowCount } = await client.query<Record<string, unknown>>(query);
  return { rows, changes: rowCount ?? 0 };
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/** Values as SQLite gives them. Whole numbers of eight bytes are times and counts here, all of them safe. */
function getTypeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (type === INT8) return Number;
  const parse = pg.types.getTypeParser(type, format) as (value: string) => unknown;
  if (type !== BYTEA) return parse;
  return (value) => {
    const bytes = parse(value);
    return bytes instanceof Uint8Array ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes;
  };
}
