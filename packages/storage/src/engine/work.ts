import type { Durability } from '@toolyard/protocol';

/** What can be handed to a statement, on every engine. */
export type Value = string | number | null | Uint8Array | readonly (string | number | null)[];

/** A statement on its way to an engine that answers over a socket. */
export type Query = { text: string; values: readonly Value[]; name?: string };

/** What came back. `changes`: how many rows were written. */
export type QueryRows = { rows: readonly unknown[]; changes: number };

/**
 * Something to be done with statements, written as a generator: an engine that answers at once never yields, so that
 * no transaction stays open while something else runs; one behind a socket yields each query and is given its answer.
 */
export type StoreWork<T> = Generator<Query, T, QueryRows>;

/** A statement kept prepared. */
export type Statement<Row> = {
  /** How many rows it wrote. */
  run(...values: Value[]): StoreWork<number>;
  get(...values: Value[]): StoreWork<Row | undefined>;
  all(...values: Value[]): StoreWork<Row[]>;
};

/** Work that can be begun, and begun again where the engine asks for that. */
export type RetryableWork<T> = {
  /** All of it is stored or nothing; the name is that of its failpoints. Null: each statement stands for itself. */
  transaction: { name: string; durability: Durability } | null;
  work: () => StoreWork<T>;
  /** All it writes is in its first statement: behind a socket that goes by itself, which makes it a transaction. */
  writesOnce?: boolean;
  /** Asked where a connection was lost while the job was being stored; what it would have given is handed in where it is known. */
  recall?(known: StoreWorkResult<T> | null): StoreWork<RecalledResult<T>>;
};

export type StoreWorkResult<T> = { result: T };

/** False: nothing was stored. Null where that cannot be told. */
export type RecalledResult<T> = StoreWorkResult<T> | false | null;

/** A job whose statements are stored together. */
export function transaction<T>(name: string, durability: Durability, work: () => StoreWork<T>): RetryableWork<T> {
  return { transaction: { name, durability }, work };
}

/** A job of statements that do not depend on one another. */
export function statements<T>(work: () => StoreWork<T>): RetryableWork<T> {
  return { transaction: null, work };
}
