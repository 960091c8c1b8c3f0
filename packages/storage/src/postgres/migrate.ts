import type { PoolClient } from 'pg';
import { PRERELEASE_MIGRATION } from '../migrations/prerelease.ts';
import type { PostgresConnection } from './connection.ts';
import { createDatabaseError } from './errors.ts';
import { baseline } from './migrations/001-baseline.ts';

/**
 * One migration.
 * - `expand`: stays compatible with the previous Toolyard version, which may run, and start, beside the newer one
 * - `contract`: breaks older versions; released only after the last version that needs what is removed
 */
export type PostgresMigration = { kind: 'expand' | 'contract'; statements: readonly string[] };

/** In order; released migrations never change. */
export const POSTGRES_MIGRATIONS: Readonly<Record<string, PostgresMigration>> = {
  '001-baseline': { kind: 'contract', statements: baseline },
};

/** Arbitrary number of an advisory lock, which all programs of a database share. */
const LOCK = 7_245_118_903;

const STEPS = 'toolyard_migrations';

/**
 * Migrates the tables to this version: all missing migrations in one transaction, or none. If several processes start
 * at once, one migrates and the others wait.
 *
 * @throws StorageError `newer_version` if an unknown contracting migration was applied, `prerelease` if one before the
 * first release was, `not_ours` if tables with these names belong to another program.
 */
export async function migratePostgresToLatest(
  connection: PostgresConnection,
  migrations: Readonly<Record<string, PostgresMigration>> = POSTGRES_MIGRATIONS,
): Promise<void> {
  const { where } = connection;
  // Without pending migrations, no permission to alter tables is needed.
  if ((await connection.withClient((client) => missing(client, where, migrations))).length === 0) return;
  await connection.inTransaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    for (const name of await missing(client, where, migrations)) await execute(client, name, migrations[name]);
  });
}

/** @throws StorageError like {@link migratePostgresToLatest}; changes nothing. */
export async function refuseForeignTables(connection: PostgresConnection): Promise<void> {
  await connection.withClient((client) => missing(client, connection.where, POSTGRES_MIGRATIONS));
}

async function missing(
  client: PoolClient,
  where: string,
  migrations: Readonly<Record<string, PostgresMigration>>,
): Promise<string[]> {
  const { rows } = await client.query<{ tables: string[] }>(
    `SELECT coalesce(array_agg(CAST(tablename AS TEXT)), '{}') AS tables FROM pg_tables
     WHERE schemaname = current_schema() AND tablename IN ('${STEPS}', 'conversations', 'messages', 'runs', 'run_events')`,
  );
  const tables = rows[0]?.tables ?? [];
  if (tables.length === 0) return Object.keys(migrations);
  if (!tables.includes(STEPS)) throw createDatabaseError('not_ours', where);
  const done = await client.query<{ name: string; kind: string }>(`SELECT name, kind FROM ${STEPS}`);
  if (done.rows.some(({ name }) => name === PRERELEASE_MIGRATION)) throw createDatabaseError('prerelease', where);
  const unknown = done.rows.filter(({ name, kind }) => !(name in migrations) && kind !== 'expand');
  if (unknown.length > 0) throw createDatabaseError('newer_version', where, unknown.map(({ name }) => name).join(', '));
  const names = new Set(done.rows.map(({ name }) => name));
  return Object.keys(migrations).filter((name) => !names.has(name));
}

async function execute(client: PoolClient, name: string, migration: PostgresMigration | undefined): Promise<void> {
  if (!migration) return;
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${STEPS} (
      name TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, done_at TIMESTAMPTZ NOT NULL DEFAULT now())`,
  );
  for (const statement of migration.statements) await client.query(statement);
  await client.query(`INSERT INTO ${STEPS} (name, kind) VALUES ($1, $2)`, [name, migration.kind]);
}
