import type { Statement, Value } from '../engine/work.ts';
import { statements } from '../engine/work.ts';
import type { Place } from './place.ts';
import { quoted } from './place.ts';
import type { CopiedTable } from './tables.ts';

/** Few enough to be held at once, also where each of them is long. */
export const ROWS_AT_ONCE = 500;

/** Where in a table a copy stands: the key of the last row. */
export type Key = (string | number)[];

export type Page = { rows: Value[][]; last: Key | null };

/** Reads the rows of a table in the order of their keys. */
export function rowReader(
  { engine }: Place,
  { name, key }: CopiedTable,
  columns: readonly string[],
): (after: Key | null) => Promise<Page> {
  const keys = key.join(', ');
  const named = key.map((expression, index) => `${expression} AS key_${index}`).join(', ');
  const select = `SELECT ${columns.map(quoted).join(', ')}, ${named} FROM ${name}`;
  const order = `ORDER BY ${keys} LIMIT ${ROWS_AT_ONCE}`;
  const first: Statement<Record<string, Value>> = engine.prepare(`${select} ${order}`);
  const next: Statement<Record<string, Value>> = engine.prepare(
    `${select} WHERE (${keys}) > (${key.map(() => '?').join(', ')}) ${order}`,
  );
  return async (after) => {
    const found = await engine.perform(statements(() => (after === null ? first.all() : next.all(...after))));
    const last = found.at(-1);
    return {
      rows: found.map((row) => columns.map((column) => row[column] ?? null)),
      last: last === undefined ? null : key.map((_expression, index) => last[`key_${index}`] as string | number),
    };
  };
}
