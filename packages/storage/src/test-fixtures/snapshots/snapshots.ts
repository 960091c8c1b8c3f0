import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** Databases with data of earlier versions: `sqlite-<last migration>.db.gz` and `postgres-<last migration>.sql.gz`. */
export const SNAPSHOTS_FOLDER = fileURLToPath(new URL('../../../schemas', import.meta.url));

/** The last migration of each stored database, in order. */
export function snapshotSteps(engine: 'sqlite' | 'postgres'): string[] {
  const names = existsSync(SNAPSHOTS_FOLDER)
    ? readdirSync(SNAPSHOTS_FOLDER).filter((name) => name.startsWith(`${engine}-`))
    : [];
  return names.map((name) => name.replace(/^[a-z]+-|\.(?:db|sql)\.gz$/g, '')).sort();
}

export function sqliteSnapshot(step: string): Uint8Array {
  return gunzipSync(readFileSync(join(SNAPSHOTS_FOLDER, `sqlite-${step}.db.gz`)));
}

/** SQL that creates the database. */
export function postgresSnapshot(step: string): string {
  return gunzipSync(readFileSync(join(SNAPSHOTS_FOLDER, `postgres-${step}.sql.gz`))).toString('utf8');
}
