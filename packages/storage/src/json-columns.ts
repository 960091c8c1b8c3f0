import type { KyselyPlugin, UnknownRow } from 'kysely';
import { decodeJson } from './text.ts';

/** The columns that hold JSON, by name, in whatever table. */
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'configuration',
  'message',
  'value',
  'servers',
  'arguments',
  'result',
  'question',
  'answer',
]);

/** Turns the text of JSON columns into values as rows are read. Only named columns: a text that looks like JSON stays. */
export const jsonColumns: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: ({ result }) => Promise.resolve({ ...result, rows: result.rows.map(decodeJsonColumns) }),
};

/** A row with its JSON columns as values. */
export function decodeJsonColumns(row: UnknownRow): UnknownRow {
  const decoded = { ...row };
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'string' && JSON_COLUMNS.has(name)) decoded[name] = decodeJson(value);
  }
  return decoded;
}
