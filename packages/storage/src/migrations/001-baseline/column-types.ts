/**
 * How an engine writes the types of the tables that both have. Times are integer milliseconds since 1970, except for
 * `lease_until`, which is of the clock that times leases. JSON is stored as text, which keeps the order of keys; its columns
 * are listed in `json-columns.ts`.
 */
export type ColumnTypes = {
  /** Ids, names and texts, in the same order on both engines. */
  text: string;
  json: string;
  int: string;
  /** Flags, versions and small counters. */
  small: string;
  real: string;
  bytes: string;
  /** A primary key that counts up. */
  number: string;
  /** What ends a table, one that is read by its primary key, and one whose rows change all the time. */
  rows: string;
  keyed: string;
  hotRows: string;
};
