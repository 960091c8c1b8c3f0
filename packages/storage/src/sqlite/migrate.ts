import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Migration, Kysely } from 'kysely';
import { Migrator, sql } from 'kysely';
import { PRERELEASE_MIGRATION } from '../migrations/prerelease.ts';
import { createStorageError, toStorageError } from '../storage-error.ts';
import type { SqliteConnection } from './connection.ts';
import { baseline } from './migrations/001-baseline.ts';

/** In order; released migrations never change. */
export const SQLITE_MIGRATIONS: Readonly<Record<string, readonly string[]>> = {
  '001-baseline': baseline,
};

/** Migrates the tables to this version: all missing migrations in one transaction, or none. */
export async function migrateSqliteToLatest(
  db: Kysely<unknown>,
  connection: SqliteConnection,
  migrations: Readonly<Record<string, readonly string[]>> = SQLITE_MIGRATIONS,
): Promise<void> {
  if (isMigrated(connection, migrations)) return;
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(toKysely(migrations)) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw toStorageError(error, connection.file);
}

/** Whether exactly these migrations are done. */
function isMigrated({ database }: SqliteConnection, migrations: Readonly<Record<string, readonly string[]>>): boolean {
  if (names(database, `SELECT name FROM sqlite_schema WHERE name = 'kysely_migration'`).length === 0) return false;
  const done = names(database, 'SELECT name FROM kysely_migration ORDER BY name');
  return done.join() === Object.keys(migrations).toSorted().join();
}

/**
 * Inspects a database file without writing to it.
 *
 * @throws StorageError `newer_version` for unknown migrations, `prerelease` for those before the first release, `not_ours`
 * for other tables, `corrupt` if it is not a database.
 */
export function refuseForeignDatabase(file: string): void {
  // An empty file is a valid database without tables.
  if (!existsSync(file) || statSync(file).size === 0) return;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const tables = names(database, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`);
    if (tables.length === 0) return;
    if (!tables.includes('kysely_migration')) throw createStorageError('not_ours', file);
    const done = names(database, 'SELECT name FROM kysely_migration');
    if (done.length > 0 && !tables.includes('run_events')) throw createStorageError('not_ours', file);
    if (done.includes(PRERELEASE_MIGRATION)) throw createStorageError('prerelease', file);
    const unknown = done.filter((name) => !(name in SQLITE_MIGRATIONS));
    if (unknown.length > 0) throw createStorageError('newer_version', file, unknown.join(', '));
  } catch (error) {
    throw toStorageError(error, file);
  } finally {
    database?.close();
  }
}

function names(database: DatabaseSync, query: string): string[] {
  return database
    .prepare(query)
    .all()
    .map((row) => String(row['name']));
}

function toKysely(migrations: Readonly<Record<string, readonly string[]>>): Record<string, Migration> {
  return Object.fromEntries(
    Object.entries(migrations).map(([name, statements]) => [name, { up: (db) => runAll(db, statements) }]),
  );
}

async function runAll(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
