import type { SQLInputValue } from 'node:sqlite';
import type { Compilable } from 'kysely';
import { decodeJsonColumns } from '../json-columns.ts';
import type { SqliteConnection } from './connection.ts';

/** The rows of a query, at once: for use inside a transaction, where Kysely's own way would await. */
export function runNow<T>(connection: SqliteConnection, query: Compilable<T>): T[] {
  const { sql, parameters } = query.compile();
  const rows = connection.prepare(sql).all(...(parameters as SQLInputValue[]));
  return rows.map((row) => decodeJsonColumns(row) as T);
}
