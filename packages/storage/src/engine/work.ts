import type { Durability } from '@toolyard/protocol';

/** A parameter of a statement, on every engine. */
export type Value = string | number | null | Uint8Array | readonly (string | number | null)[];

/** A statement to be sent to an engine over a socket. */
export type Query = { text: string; values: readonly Value[]; name?: string };

/** Result of a statement. `changes`: number of written rows. */
export type QueryRows = { rows: readonly unknown[]; changes: number };

/**
 * A sequence of statements as a generator. A synchronous engine never yields, so that nothing else runs during a
 * transaction; an engine over a socket yields each query and receives its result.
 */
export type StoreWork<T> = Generator<Query, T, QueryRows>;

/** A prepared statement. */
export type Statement<Row> = {
  /** Returns the number of written rows. */
  run(...values: Value[]): StoreWork<number>;
  get(...values: Value[]): StoreWork<Row | undefined>;
  all(...values: Value[]): StoreWork<Row[]>;
};

/** A unit of work that the engine may run again. */
export type RetryableWork<T> = {
  /** Atomic; the name is that of its failpoints. Null: each statement is independent. */
  transaction: { name: string; durability: Durability } | null;
  work: () => StoreWork<T>;
  /** All writes are in the first statement: over a socket it is sent alone, which makes it atomic. */
  writesOnce?: boolean;
  /** Runs after the connection was lost during a commit, with the result of the job, if known. */
  recall?(known: StoreWorkResult<T> | null): StoreWork<RecalledResult<T>>;
};

export type StoreWorkResult<T> = { result: T };

/** False: nothing was stored. Null: unknown. */
export type RecalledResult<T> = StoreWorkResult<T> | false | null;

/** A job whose statements are stored atomically. */
export function transaction<T>(name: string, durability: Durability, work: () => StoreWork<T>): RetryableWork<T> {
  return { transaction: { name, durability }, work };
}

/** A job of independent statements. */
export function statements<T>(work: () => StoreWork<T>): RetryableWork<T> {
  return { transaction: null, work };
}
