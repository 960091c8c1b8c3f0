import type { Compilable, Kysely } from 'kysely';
import type { RunEvent } from '@toolyard/protocol';
import type { Schema } from '../schema.ts';
import type { SearchWriter } from './search.ts';
import type { RetryableWork, Statement, StoreWork } from './work.ts';

/** The interface of an engine for runs and repositories. All differences between engines are here. */
export type StorageEngine = {
  /** For single statements; statements that must be atomic are a {@link RetryableWork}. */
  readonly db: Kysely<Schema>;
  readonly sql: Differences;
  searchWriter(): SearchWriter;
  /** Parameters are written `?`, or `?1` if used twice. */
  readonly prepare: <Row>(sql: string) => Statement<Row>;
  /** The rows of a Kysely query, within a job. */
  readRows<T>(query: Compilable<T>): StoreWork<T[]>;
  /** Within a transaction: rolls back exactly what the work wrote if it throws. */
  savepoint<T>(work: () => StoreWork<T>): StoreWork<T>;
  /** True for a violation of a table constraint. */
  isConstraint(error: unknown): boolean;
  insertEvents(events: readonly EventRow[]): StoreWork<void>;
  /**
   * Hot path of most flushes: appends tokens to many runs, each at most once. Returns the runs that were updated; see
   * `OWNED_RUN`.
   */
  advanceBatch(items: readonly PlainItem[]): StoreWork<ReadonlySet<string>>;
  readonly perform: <T>(job: RetryableWork<T>) => Promise<T>;
};

/** SQL fragments that differ between engines. */
type Differences = {
  /** Current time in milliseconds for leases. */
  now: string;
  /** After a SELECT: the row does not change until the transaction ends. */
  holdRow: string;
  /** After a SELECT: locks the row exclusively until the transaction ends. */
  claimRow: string;
  /** After a SELECT: as {@link claimRow}, but skips locked rows. */
  claimFreeRows: string;
  /** A SELECT of the texts in a JSON array. */
  selectTexts(parameter: string): string;
};

/** An event as stored. */
export type EventRow = { runId: string; ownerId: string; event: RunEvent; body: string };

/** A commit that consists only of events and state; see `RunCommit`. */
export type PlainItem = {
  runId: string;
  fence: number;
  baseSeq: number;
  lastSeq: number;
  at: number;
  events: readonly RunEvent[];
  /** JSON of the events, in order. */
  bodies: readonly string[];
  state: string | null;
};
