import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** Databases with data of earlier versions: `sqlite-<last migration>.db.gz` and `postgres-<last migration>.sql.gz`. */
export const KEPT = fileURLToPath(new URL('../../../schemas', import.meta.url));

/** The last migration of each stored database, in order. */
export function keptSteps(engine: 'sqlite' | 'postgres'): string[] {
  const names = existsSync(KEPT) ? readdirSync(KEPT).filter((name) => name.startsWith(`${engine}-`)) : [];
  return names.map((name) => name.replace(/^[a-z]+-|\.(?:db|sql)\.gz$/g, '')).sort();
}

export function keptSqlite(step: string): Uint8Array {
  return gunzipSync(readFileSync(join(KEPT, `sqlite-${step}.db.gz`)));
}

/** SQL that creates the database. */
export function keptPostgres(step: string): string {
  return gunzipSync(readFileSync(join(KEPT, `postgres-${step}.sql.gz`))).toString('utf8');
}
