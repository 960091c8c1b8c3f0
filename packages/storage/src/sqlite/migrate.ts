import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Migration, Kysely } from 'kysely';
import { Migrator, sql } from 'kysely';
import { searchText } from '../search-text.ts';
import { storageError, toStorageError } from '../storage-error.ts';
import type { SqliteConnection } from './connection.ts';
import { first } from './migrations/001-first.ts';
import { queue } from './migrations/002-queue.ts';
import { search } from './migrations/003-search.ts';
import { queuedConfiguration } from './migrations/004-queued-configuration.ts';
import { inbox } from './migrations/008-inbox.ts';
import { signIns } from './migrations/005-sign-ins.ts';
import { usage } from './migrations/006-usage.ts';
import { requestPreludes } from './migrations/009-request-preludes.ts';
import { tabs } from './migrations/010-tabs.ts';
import { access } from './migrations/012-access.ts';
import { permissionOrigins } from './migrations/013-permission-origins.ts';
import { usageDays } from './migrations/014-usage-days.ts';
import { drafts } from './migrations/015-drafts.ts';
import { groups } from './migrations/024-groups.ts';
import { notifiedSchedules } from './migrations/027-notified-schedules.ts';
import { schedules } from './migrations/023-schedules.ts';
import { runTriggers } from './migrations/025-run-triggers.ts';
import { triggers } from './migrations/026-triggers.ts';
import { runOrigins } from './migrations/028-run-origins.ts';
import { listedConversations } from './migrations/029-listed-conversations.ts';
import { artifactsAndMemories } from './migrations/016-artifacts-and-memories.ts';
import { childConversations } from './migrations/022-child-conversations.ts';
import { presetTasks } from './migrations/017-preset-tasks.ts';
import { agents } from './migrations/020-agents.ts';
import { tabCommits } from './migrations/011-tab-commits.ts';

/** In order; released migrations never change. */
export const SQLITE_MIGRATIONS: Readonly<Record<string, readonly string[]>> = {
  '001-first': first,
  '002-queue': queue,
  '003-search': search,
  '004-queued-configuration': queuedConfiguration,
  '005-sign-ins': signIns,
  '006-usage': usage,
  '008-inbox': inbox,
  '009-request-preludes': requestPreludes,
  '010-tabs': tabs,
  '011-tab-commits': tabCommits,
  '012-access': access,
  '013-permission-origins': permissionOrigins,
  '014-usage-days': usageDays,
  '015-drafts': drafts,
  '016-artifacts-and-memories': artifactsAndMemories,
  '017-preset-tasks': presetTasks,
  '020-agents': agents,
  '022-child-conversations': childConversations,
  '023-schedules': schedules,
  '024-groups': groups,
  '025-run-triggers': runTriggers,
  '026-triggers': triggers,
  '027-notified-schedules': notifiedSchedules,
  '028-run-origins': runOrigins,
  '029-listed-conversations': listedConversations,
};

/** Migrates the tables to this version: all missing migrations in one transaction, or none. */
export async function migrateSqliteToLatest(
  db: Kysely<unknown>,
  connection: SqliteConnection,
  migrations: Readonly<Record<string, readonly string[]>> = SQLITE_MIGRATIONS,
): Promise<void> {
  connection.database.function('search_text', { deterministic: true, directOnly: true }, (text) =>
    searchText(String(text)),
  );
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
 * @throws StorageError `newer_version` for unknown migrations, `not_ours` for other tables, `corrupt` if it is not a
 * database.
 */
export function refuseForeignDatabase(file: string): void {
  // An empty file is a valid database without tables.
  if (!existsSync(file) || statSync(file).size === 0) return;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const tables = names(database, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`);
    if (tables.length === 0) return;
    if (!tables.includes('kysely_migration')) throw storageError('not_ours', file);
    const done = names(database, 'SELECT name FROM kysely_migration');
    if (done.length > 0 && !tables.includes('run_events')) throw storageError('not_ours', file);
    const unknown = done.filter((name) => !(name in SQLITE_MIGRATIONS));
    if (unknown.length > 0) throw storageError('newer_version', file, unknown.join(', '));
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
