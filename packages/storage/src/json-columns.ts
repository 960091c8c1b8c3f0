import type { KyselyPlugin, UnknownRow } from 'kysely';
import { decodeJson } from './text.ts';

/** Names of the columns that contain JSON, in all tables. */
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'configuration',
  'message',
  'value',
  'servers',
  'arguments',
  'result',
  'question',
  'answer',
  'draft',
  'content',
  'profile',
]);

/** Parses JSON columns of the rows read. Only listed columns: other text that looks like JSON is unchanged. */
export const jsonColumns: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: ({ result }) => Promise.resolve({ ...result, rows: result.rows.map(decodeJsonColumns) }),
};

/** A row with parsed JSON columns. */
export function decodeJsonColumns(row: UnknownRow): UnknownRow {
  const decoded = { ...row };
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'string' && JSON_COLUMNS.has(name)) decoded[name] = decodeJson(value);
  }
  return decoded;
}
