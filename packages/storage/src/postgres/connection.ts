import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient, QueryResult } from 'pg';
import pg from 'pg';
import type { Failpoint } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { QueryRows, StoreWorkResult, RetryableWork, Query, RecalledResult, StoreWork } from '../engine/work.ts';
import { readAddress } from './address.ts';
import {
  createDatabaseError,
  isDatabaseError,
  isLost,
  toDatabaseError,
  wasNotSent,
  isSerializationFailure,
} from './errors.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** A timeout that fires later than this fired because the process was suspended before it could read the response. */
const SUSPENDED_MS = 100;
/** Timeout of idle transactions: a suspended process must not hold locks for long. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/** Maximum attempts of a transaction that PostgreSQL aborts because of a conflict. */
const MAX_ATTEMPTS = 5;

/** How long to query the outcome of a commit without response: a restart takes seconds. */
const RECALL_TIMEOUT_MS = 10_000;
const RECALL_INTERVAL_MS = 200;
const LOST_BEFORE = 'the connection was lost; the last change was not stored';
const LOST_DURING = 'the connection was lost during a commit, and it is unknown whether the change was stored';

const INT8 = 20;
const BYTEA = 17;

/** Query timeout, longer than any query takes: without it a server that vanishes would block forever. */
const QUERY_TIMEOUT_MS = 60_000;

export type PostgresConnectionOptions = {
  url: string;
  failpoint?: Failpoint;
  connections?: number;
  connectTimeoutMs?: number;
  /** Null: no timeout. */
  queryTimeoutMs?: number | null;
  /** `application_name` of the connection. */
  name?: string;
};

/** The connections of this process to one database. */
export class PostgresConnection {
  /** Name of the database for messages, without credentials. */
  readonly where: string;
  readonly #pool: pg.Pool;
  readonly #connectTimeoutMs: number;
  readonly #failpoint: Failpoint | undefined;

  constructor({
    url,
    failpoint,
    connections = 10,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    queryTimeoutMs = QUERY_TIMEOUT_MS,
    name = 'toolyard',
  }: PostgresConnectionOptions) {
    const address = readAddress(url);
    this.where = address.where;
    this.#failpoint = failpoint;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#pool = new pg.Pool({
      connectionString: address.url,
      max: connections,
      connectionTimeoutMillis: connectTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      ...(queryTimeoutMs === null ? {} : { query_timeout: queryTimeoutMs, statement_timeout: queryTimeoutMs }),
      keepAlive: true,
      application_name: name,
      types: { getTypeParser },
    });
    // A lost connection in use rejects its query; an idle one is replaced by the pool.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** Runs a job, and again from the start if PostgreSQL aborts it because of a conflict. */
  perform<T>(job: RetryableWork<T>): Promise<T> {
    return retryConflicts(() => this.#performOnce(job));
  }

  /** Sends one statement on any free connection; retries after a conflict. */
  query(text: string, values: unknown[]): Promise<QueryResult> {
    return retryConflicts(() => this.withClient((client) => client.query(text, values)));
  }

  /** Uses one connection in a transaction, which is not repeated after a conflict. */
  inTransaction(use: (client: PoolClient) => Promise<void>): Promise<void> {
    return this.withClient(async (client) => {
      await client.query('BEGIN');
      try {
        await use(client);
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {});
        throw error;
      }
    });
  }

  async #performOnce<T>(job: RetryableWork<T>): Promise<T> {
    const { known, lost } = await this.withClient(
      (client) => this.#execute(client, job),
      (done) => done.lost !== null,
    );
    if (lost === null) return known.result;
    const recalled = await this.#recall(job, known);
    if (recalled) return recalled.result;
    throw createDatabaseError('unreachable', this.where, recalled === false ? LOST_BEFORE : LOST_DURING, lost);
  }

  async #execute<T>(
    client: PoolClient,
    { transaction, writesOnce, work }: RetryableWork<T>,
  ): Promise<ExecutionResult<T>> {
    if (transaction === null) return { known: { result: await runWork(client, work()) }, lost: null };
    if (writesOnce) return this.#statement(client, transaction.name, work);
    return this.#transaction(client, transaction.name, work);
  }

  /**
   * Queries the outcome as soon as the server responds again; null if it does not for a while, or the outcome is
   * unknown.
   */
  async #recall<T>(job: RetryableWork<T>, known: StoreWorkResult<T> | null): Promise<RecalledResult<T>> {
    const deadline = performance.now() + RECALL_TIMEOUT_MS;
    for (;;) {
      const query = job.recall?.(known);
      if (!query) return null;
      try {
        return await this.withClient((client) => runWork(client, query));
      } catch (error) {
        if (!isLost(error) || performance.now() > deadline) return null;
      }
      await sleep(RECALL_INTERVAL_MS);
    }
  }

  /** Borrows a connection, which is discarded if it is lost. Database errors become StorageErrors. */
  async withClient<T>(
    use: (client: PoolClient) => Promise<T>,
    isLostResult: (result: T) => boolean = () => false,
  ): Promise<T> {
    let client: PoolClient | undefined;
    let isConnectionLost = false;
    try {
      client = await this.#connect();
      const result = await use(client);
      isConnectionLost = isLostResult(result);
      return result;
    } catch (error) {
      isConnectionLost = isLost(error);
      throw isDatabaseError(error) ? toDatabaseError(error, this.where) : error;
    } finally {
      client?.release(isConnectionLost);
    }
  }

  /** A free or new connection; retries once if the timeout fired only because this process was suspended. */
  async #connect(): Promise<PoolClient> {
    const deadline = performance.now() + this.#connectTimeoutMs + SUSPENDED_MS;
    try {
      return await this.#pool.connect();
    } catch (error) {
      if (performance.now() < deadline) throw error;
      return this.#pool.connect();
    }
  }

  /** Waits for running queries and closes. May be called again. */
  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  /** A single statement is atomic and saves two round trips. Failpoints: `<name>:begun`, `<name>:committed`. */
  async #statement<T>(client: PoolClient, name: string, work: () => StoreWork<T>): Promise<ExecutionResult<T>> {
    await this.#failpoint?.(`${name}:begun`);
    let result: T;
    try {
      result = await runWork(client, work());
    } catch (error) {
      if (error instanceof Error && isLost(error) && !wasNotSent(error)) return { known: null, lost: error };
      throw error;
    }
    await this.#failpoint?.(`${name}:committed`);
    return { known: { result }, lost: null };
  }

  /**
   * Failpoints: `<name>:begun`, `<name>:written` (before the commit), `<name>:committed`; they may throw, wait or exit
   * the process.
   */
  async #transaction<T>(client: PoolClient, name: string, work: () => StoreWork<T>): Promise<ExecutionResult<T>> {
    await client.query('BEGIN');
    let result: T;
    try {
      await this.#failpoint?.(`${name}:begun`);
      result = await runWork(client, work());
      await this.#failpoint?.(`${name}:written`);
    } catch (error) {
      // PostgreSQL rolls back by itself if the connection is lost; report the original error.
      if (!isLost(error)) await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
    try {
      const { command } = await client.query('COMMIT');
      // COMMIT of a failed transaction succeeds with the command tag ROLLBACK.
      if (command !== 'COMMIT') throw createDatabaseError('engine', this.where, 'nothing was stored');
    } catch (error) {
      if (error instanceof Error && isLost(error)) return { known: { result }, lost: error };
      throw error;
    }
    await this.#failpoint?.(`${name}:committed`);
    return { known: { result }, lost: null };
  }
}

/** Result of a job. With `lost`, it is unknown whether it was stored, and the result may be unknown too. */
type ExecutionResult<T> = { known: StoreWorkResult<T>; lost: null } | { known: StoreWorkResult<T> | null; lost: Error };

async function retryConflicts<T>(attempt: () => Promise<T>): Promise<T> {
  for (let remaining = MAX_ATTEMPTS - 1; ; remaining--) {
    try {
      return await attempt();
    } catch (error) {
      if (remaining === 0 || !isSerializationFailure(getCause(error))) throw error;
    }
  }
}

/** Runs work on one connection, query by query. */
async function runWork<T>(client: PoolClient, work: StoreWork<T>): Promise<T> {
  let step = work.next();
  while (!step.done) {
    let answer: QueryRows;
    try {
      answer = await ask(client, step.value);
    } catch (error) {
      // The work may handle the error, for example by a savepoint.
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

function getCause(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/** Parses values like SQLite. 8-byte integers are times and counts here, all within the safe range. */
function getTypeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (type === INT8) return Number;
  const parse = pg.types.getTypeParser(type, format) as (value: string) => unknown;
  if (type !== BYTEA) return parse;
  return (value) => {
    const bytes = parse(value);
    return bytes instanceof Uint8Array ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes;
  };
}
