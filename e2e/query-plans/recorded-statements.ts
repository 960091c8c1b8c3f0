import { StatementSync } from 'node:sqlite';
import pg from 'pg';

/** A statement that the server executed, with the values of its first execution (PostgreSQL only). */
export type RecordedStatement = { sql: string; values: readonly unknown[] };

/** All statements that this process executes while `work` runs, each once, in the order of their first execution. */
export async function recordStatements(work: () => Promise<void>): Promise<RecordedStatement[]> {
  const recorded = new Map<string, RecordedStatement>();
  const add = (sql: string, values: readonly unknown[]): void => {
    if (!recorded.has(sql)) recorded.set(sql, { sql, values });
  };

  const restore: (() => void)[] = [];
  const prototype = StatementSync.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const original = prototype[name];
    if (original === undefined) continue;
    prototype[name] = function (this: StatementSync, ...args) {
      add(this.sourceSQL, args);
      return original.apply(this, args);
    };
    restore.push(() => (prototype[name] = original));
  }
  const client = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const { query } = client;
  client.query = function (this: unknown, ...args) {
    const [first, second] = args;
    if (typeof first === 'string') add(first, Array.isArray(second) ? second : []);
    else if (isQuery(first)) add(first.text, first.values ?? []);
    return query.apply(this, args);
  };
  restore.push(() => (client.query = query));

  try {
    await work();
  } finally {
    for (const each of restore) each();
  }
  return [...recorded.values()];
}

function isQuery(value: unknown): value is { text: string; values?: unknown[] } {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}
