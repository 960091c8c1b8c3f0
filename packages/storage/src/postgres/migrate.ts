import type { PoolClient } from 'pg';
import type { PostgresConnection } from './connection.ts';
import { databaseError } from './errors.ts';
import { first } from './migrations/001-first.ts';
import { signIns } from './migrations/002-sign-ins.ts';
import { inbox } from './migrations/006-inbox.ts';
import { bulletins } from './migrations/003-bulletins.ts';
import { roles } from './migrations/005-roles.ts';
import { usage } from './migrations/004-usage.ts';
import { requestPreludes } from './migrations/007-request-preludes.ts';
import { tabs } from './migrations/008-tabs.ts';
import { blobsElsewhere } from './migrations/009-blobs-elsewhere.ts';
import { tabCommits } from './migrations/010-tab-commits.ts';
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
import { keyFingerprint } from './migrations/011-key-fingerprint.ts';

/**
 * One migration.
 * - `expand`: stays compatible with the previous Toolyard version, which may run, and start, beside the newer one
 * - `contract`: breaks older versions; released only after the last version that needs what is removed
 */
export type PostgresMigration = { kind: 'expand' | 'contract'; statements: readonly string[] };

/** In order; released migrations never change. */
export const POSTGRES_MIGRATIONS: Readonly<Record<string, PostgresMigration>> = {
  '001-first': { kind: 'contract', statements: first },
  '002-sign-ins': { kind: 'expand', statements: signIns },
  '003-bulletins': { kind: 'expand', statements: bulletins },
  '004-usage': { kind: 'expand', statements: usage },
  '005-roles': { kind: 'expand', statements: roles },
  '006-inbox': { kind: 'expand', statements: inbox },
  '007-request-preludes': { kind: 'expand', statements: requestPreludes },
  '008-tabs': { kind: 'expand', statements: tabs },
  '009-blobs-elsewhere': { kind: 'expand', statements: blobsElsewhere },
  '010-tab-commits': { kind: 'expand', statements: tabCommits },
  '011-key-fingerprint': { kind: 'expand', statements: keyFingerprint },
  '012-access': { kind: 'expand', statements: access },
  '013-permission-origins': { kind: 'expand', statements: permissionOrigins },
  '014-usage-days': { kind: 'expand', statements: usageDays },
  '015-drafts': { kind: 'expand', statements: drafts },
  '016-artifacts-and-memories': { kind: 'expand', statements: artifactsAndMemories },
  '017-preset-tasks': { kind: 'expand', statements: presetTasks },
  '020-agents': { kind: 'expand', statements: agents },
  '022-child-conversations': { kind: 'expand', statements: childConversations },
  '023-schedules': { kind: 'expand', statements: schedules },
  '024-groups': { kind: 'expand', statements: groups },
  '025-run-triggers': { kind: 'expand', statements: runTriggers },
  '026-triggers': { kind: 'expand', statements: triggers },
  '027-notified-schedules': { kind: 'expand', statements: notifiedSchedules },
  '028-run-origins': { kind: 'expand', statements: runOrigins },
  '029-listed-conversations': { kind: 'expand', statements: listedConversations },
};

/** Arbitrary number of an advisory lock, which all programs of a database share. */
const LOCK = 7_245_118_903;

const STEPS = 'toolyard_migrations';

/**
 * Migrates the tables to this version: all missing migrations in one transaction, or none. If several processes start
 * at once, one migrates and the others wait.
 *
 * @throws StorageError `newer_version` if an unknown contracting migration was applied, `not_ours` if tables with these
 * names belong to another program.
 */
export async function migratePostgresToLatest(
  connection: PostgresConnection,
  migrations: Readonly<Record<string, PostgresMigration>> = POSTGRES_MIGRATIONS,
): Promise<void> {
  await connection.withClient(async (client) => {
    // Without pending migrations, no permission to alter tables is needed.
    if ((await missing(client, connection.where, migrations)).length === 0) return;
    await client.query('BEGIN');
    try {
      await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      for (const name of await missing(client, connection.where, migrations)) {
        await carryOut(client, name, migrations[name]);
      }
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
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
  if (!tables.includes(STEPS)) throw databaseError('not_ours', where);
  const done = await client.query<{ name: string; kind: string }>(`SELECT name, kind FROM ${STEPS}`);
  const unknown = done.rows.filter(({ name, kind }) => !(name in migrations) && kind !== 'expand');
  if (unknown.length > 0) throw databaseError('newer_version', where, unknown.map(({ name }) => name).join(', '));
  const names = new Set(done.rows.map(({ name }) => name));
  return Object.keys(migrations).filter((name) => !names.has(name));
}

async function carryOut(client: PoolClient, name: string, migration: PostgresMigration | undefined): Promise<void> {
  if (!migration) return;
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${STEPS} (
      name TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, done_at TIMESTAMPTZ NOT NULL DEFAULT now())`,
  );
  for (const statement of migration.statements) await client.query(statement);
  await client.query(`INSERT INTO ${STEPS} (name, kind) VALUES ($1, $2)`, [name, migration.kind]);
}
