import type { StorageEngine } from './engine.ts';
import type { Statement, Value } from './work.ts';
import { statements } from './work.ts';

/** Small enough to fit in memory even if each row is long. */
export const ROWS_AT_ONCE = 500;

/** Position in a table: the key of the last row read. */
export type Key = (string | number)[];

export type RowPage = { rows: Value[][]; last: Key | null };

/**
 * Reads a table in pages ordered by its unique key; `values` are the selected columns. Columns and expressions are SQL.
 */
export function rowReader(
  { prepare, perform }: StorageEngine,
  { name, key }: { name: string; key: readonly string[] },
  values: readonly string[],
): (after: Key | null) => Promise<RowPage> {
  const keys = key.join(', ');
  const selected = [
    ...values.map((value, index) => `${value} AS value_${index}`),
    ...key.map((expression, index) => `${expression} AS key_${index}`),
  ];
  const select = `SELECT ${selected.join(', ')} FROM ${name}`;
  const order = `ORDER BY ${keys} LIMIT ${ROWS_AT_ONCE}`;
  const first: Statement<Record<string, Value>> = prepare(`${select} ${order}`);
  const next: Statement<Record<string, Value>> = prepare(
    `${select} WHERE (${keys}) > (${key.map(() => '?').join(', ')}) ${order}`,
  );
  return async (after) => {
    const found = await perform(statements(() => (after === null ? first.all() : next.all(...after))));
    const last = found.at(-1);
    return {
      rows: found.map((row) => values.map((_value, index) => row[`value_${index}`] ?? null)),
      last: last === undefined ? null : key.map((_expression, index) => last[`key_${index}`] as string | number),
    };
  };
}
