import { DatabaseSync } from 'node:sqlite';
import { sqliteTables } from '../../packages/storage/src/test-fixtures/grow-history.ts';
import type { GrowingStep } from './growing-step.ts';
import { isData } from './growing-step.ts';
import type { RecordedStatement } from './recorded-statements.ts';

/**
 * The steps of the statements whose work grows with the history: those that scan a large table, or search it by columns whose
 * values many rows share. With and without statistics, because they change plans.
 */
export function growingInSqlite(file: string, statements: readonly RecordedStatement[], many: number): GrowingStep[] {
  using database = openRaw(file);
  database.function('monotonic_ms', { directOnly: true }, () => 0);
  const stepsOf = growingSteps(database, many);
  const all = (): GrowingStep[] =>
    statements.flatMap(({ sql }) => (isData(sql) ? stepsOf(sql).map((step) => ({ sql, step })) : []));
  const without = all();
  database.exec('ANALYZE');
  return [...without, ...all()];
}

function growingSteps(database: DatabaseSync, many: number): (sql: string) => string[] {
  const counts = new Map<string, number>();
  const count = (sql: string): number => {
    const known = counts.get(sql) ?? Number(database.prepare(sql).get()?.['n'] ?? 0);
    counts.set(sql, known);
    return known;
  };
  const tables = new Set(sqliteTables(database).map(({ name }) => name));

  const indexes = new Map(
    database
      .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
      .all()
      .map(({ name, sql }) => [String(name), readIndex(String(sql))]),
  );

  /** Rows that one lookup of this table by these columns of an index reads, at most. */
  function rowsPerLookup(table: string, condition: string, columns: readonly string[]): number {
    const matches = [condition, ...columns.map((each) => `${each} IS NOT NULL`)].join(' AND ');
    if (columns.length === 0) return count(`SELECT count(*) AS n FROM ${table} WHERE ${matches}`);
    return count(
      `SELECT max(n) AS n FROM (SELECT count(*) AS n FROM ${table} WHERE ${matches} GROUP BY ${columns.join(', ')})`,
    );
  }

  return (sql) => {
    const names = aliasesIn(sql, tables);
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return plan.flatMap(({ detail }) => {
      const step = String(detail);
      const read = /^(?:SCAN|SEARCH) (\w+)(?:.*?INDEX (\w+))?(?:.*\((.*)\))?/.exec(step);
      const table = names.get(read?.[1] ?? '');
      if (!read || table === undefined || step.includes('VIRTUAL TABLE')) return [];
      const [, , name = '', constraints = ''] = read;
      const index = indexes.get(name) ?? { condition: 'true', columns: [] };
      const compared = [...constraints.matchAll(/(\w+|<expr>)=\?/g)].map(
        ([, column = ''], at) => index.columns[at] ?? column,
      );
      return rowsPerLookup(table, index.condition, compared) > many ? [step] : [];
    });
  };
}

/** Columns and condition of an index from its definition. */
function readIndex(sql: string): { columns: string[]; condition: string } {
  const [, list = '', condition = 'true'] = / ON \w+ \((.*?)\)(?:\s+WHERE\s(.*))?$/s.exec(sql) ?? [];
  // Commas within a function separate no columns.
  return { columns: list.split(/,\s*(?![^(]*\))/), condition };
}

function openRaw(file: string): DatabaseSync {
  return new DatabaseSync(file, { enableForeignKeyConstraints: false });
}

/** The tables of a statement by the name that its plan uses. */
function aliasesIn(sql: string, tables: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, table = '', alias] of sql.matchAll(/"?\b(\w+)\b"?(?: AS (\w+))?/gi)) {
    if (!tables.has(table)) continue;
    found.set(table, table);
    if (alias !== undefined) found.set(alias, table);
  }
  return found;
}
