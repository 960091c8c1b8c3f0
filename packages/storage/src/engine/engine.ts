import type { Compilable, Kysely } from 'kysely';
import type { RunEvent } from '@toolyard/protocol';
import type { Schema } from '../schema.ts';
import type { SearchWriter } from './search.ts';
import type { RetryableWork, Statement, StoreWork } from './work.ts';

/** An engine as the runs and the repositories use it. Where engines differ, it stands here. */
export type StorageEngine = {
  /** For single statements; what has to be stored together is a {@link RetryableWork}. */
  readonly db: Kysely<Schema>;
  readonly sql: Differences;
  searchWriter(): SearchWriter;
  /** Parameters are written `?`, or `?1` where one is used twice. */
  readonly prepare: <Row>(sql: string) => Statement<Row>;
  /** The rows of a query of Kysely, inside a job. */
  rowsOf<T>(query: Compilable<T>): StoreWork<T[]>;
  /** Inside a transaction: what the work wrote is undone if it throws, and only that. */
  savepoint<T>(work: () => StoreWork<T>): StoreWork<T>;
  /** True for an error that says a row is against the constraints of its table. */
  isConstraint(error: unknown): boolean;
  insertEvents(events: readonly EventRow[]): StoreWork<void>;
  /**
   * The hot path, what most flushes are: tokens of many runs, each of which is here but once. Gives the runs that could
   * be moved on; see `MINE`.
   */
  advanceTogether(items: readonly PlainItem[]): StoreWork<ReadonlySet<string>>;
  readonly perform: <T>(job: RetryableWork<T>) => Promise<T>;
};

/** Words of SQL that are not the same everywhere. */
type Differences = {
  /** The milliseconds leases are timed by. */
  now: string;
  /** Behind a SELECT: the row stays as it is until the transaction ends. */
  holdRow: string;
  /** Behind a SELECT: nobody else holds or writes the row until the transaction ends. */
  claimRow: string;
  /** Behind a SELECT: as {@link claimRow}, without the rows somebody has claimed. */
  claimFreeRows: string;
  /** A SELECT of the texts in a JSON array. */
  textsOf(parameter: string): string;
};

/** An event as it is stored. */
export type EventRow = { runId: string; ownerId: string; event: RunEvent; body: string };

/** What a run has to write where it is nothing but events and state; see `RunCommit`. */
export type PlainItem = {
  runId: string;
  fence: number;
  baseSeq: number;
  lastSeq: number;
  at: number;
  events: readonly RunEvent[];
  /** Of the events, in order. */
  bodies: readonly string[];
  state: string | null;
};
