import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Kysely } from 'kysely';
import { systemClock } from '@toolyard/protocol';
import { startCluster } from '@toolyard/testing/postgres';
import { findPostgres, needsPrograms } from '@toolyard/testing/postgres-binaries';
import { DATABASE_FILE } from '../../layout.ts';
import { openStorage } from '../../open-storage.ts';
import { PostgresConnection } from '../../postgres/connection.ts';
import { POSTGRES_MIGRATIONS as POSTGRES, migratePostgresToLatest as migratePostgres } from '../../postgres/migrate.ts';
import { SqliteConnection } from '../../sqlite/connection.ts';
import { createSqliteDialect } from '../../sqlite/kysely-dialect.ts';
import { SQLITE_MIGRATIONS as SQLITE, migrateSqliteToLatest as migrateSqlite } from '../../sqlite/migrate.ts';
import { fillStorage } from '../fill-storage.ts';
import { temporaryFolder } from '../sqlite-engine.ts';
import { SNAPSHOTS_FOLDER, snapshotSteps } from './snapshots.ts';

/**
 * Stores a database with data for each migration that has none yet. Run it with each release:
 * `npm run program -- packages/storage/src/test-fixtures/snapshots/main.ts`.
 * Existing files are never rewritten.
 */
type Value = string | number | null | Uint8Array;
type Rows = ReadonlyMap<string, readonly Readonly<Record<string, Value>>[]>;

/** Created by the migrations themselves, or without their files. */
const LEFT_OUT = /^(?:sqlite_|kysely_|toolyard_|search_|usage_days$|blobs?$|blob_bytes$|bulletins$|installation$)/;

/** Rows in every table, as this version stores them. */
async function allRows(): Promise<Rows> {
  const folder = temporaryFolder();
  try {
    const storage = await openStorage({ folder: folder.path, clock: systemClock });
    await fillStorage(storage);
    storage.close();
    const database = new DatabaseSync(join(folder.path, DATABASE_FILE), { readOnly: true });
    const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid`).all();
    const names = tables.map(({ name }) => String(name)).filter((name) => !LEFT_OUT.test(name));
    const rows = names.map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all()] as const);
    database.close();
    return new Map(rows as [string, Record<string, Value>[]][]);
  } finally {
    folder.remove();
  }
}

function upTo<T>(migrations: Readonly<Record<string, T>>, last: string): Record<string, T> {
  return Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= last));
}

async function recordSqlite(rows: Rows): Promise<void> {
  for (const last of Object.keys(SQLITE).filter((name) => !snapshotSteps('sqlite').includes(name))) {
    const folder = temporaryFolder();
    const file = join(folder.path, DATABASE_FILE);
    const connection = new SqliteConnection(file);
    const db = new Kysely<unknown>({ dialect: createSqliteDialect(connection, { transactions: 'allowed' }) });
    connection.database.exec('PRAGMA foreign_keys = OFF');
    const filled = new Set<string>();
    for (const step of Object.keys(upTo(SQLITE, last))) {
      await migrateSqlite(db, connection, upTo(SQLITE, step));
      for (const [table, all] of rows) {
        const columns = connection.prepare('SELECT name FROM pragma_table_info(?)').all(table);
        if (columns.length === 0 || filled.has(table)) continue;
        filled.add(table);
        const names = columns.map(({ name }) => String(name));
        const into = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
        for (const row of all) connection.prepare(into).run(...names.map((name) => row[name] ?? null));
      }
    }
    connection.database.exec('PRAGMA journal_mode = DELETE; VACUUM');
    connection.close();
    writeFileSync(join(SNAPSHOTS_FOLDER, `sqlite-${last}.db.gz`), gzipSync(readFileSync(file), { level: 9 }));
    folder.remove();
    stdout.write(`sqlite ${last}\n`);
  }
}

async function recordPostgres(rows: Rows): Promise<void> {
  const binaries = await findPostgres();
  if (binaries.missing !== null) throw new Error(binaries.missing);
  const { missing } = needsPrograms(binaries, 'pg_dump');
  if (missing !== null) throw new Error(missing);
  const client = binaries.folder;
  const cluster = await startCluster(client);
  try {
    for (const last of Object.keys(POSTGRES).filter((name) => !snapshotSteps('postgres').includes(name))) {
      const url = await cluster.createDatabase();
      const connection = new PostgresConnection({ url, connections: 1 });
      await connection.query(`SET session_replication_role = replica`, []);
      const filled = new Set<string>();
      for (const step of Object.keys(upTo(POSTGRES, last))) {
        await migratePostgres(connection, upTo(POSTGRES, step));
        for (const [table, all] of rows) {
          const found = await connection.query(
            `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 AND is_identity = 'NO'`,
            [table],
          );
          const names = (found.rows as { name: string }[]).map(({ name }) => name);
          if (names.length === 0 || filled.has(table)) continue;
          filled.add(table);
          const placeholders = names.map((_name, index) => `$${index + 1}`).join(', ');
          const into = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${placeholders})`;
          for (const row of all)
            await connection.query(
              into,
              names.map((name) => row[name] ?? null),
            );
        }
      }
      await connection.close();
      const dump = ['--inserts', '--no-owner', '--no-privileges', `--dbname=${url}`];
      const { stdout: sql } = await promisify(execFile)(join(client, 'pg_dump'), dump, { maxBuffer: 1e9 });
      // psql commands, comments, and session settings.
      const lines = sql.split('\n').filter((line) => !/^(?:\\|--|SET |SELECT pg_catalog\.set_config|$)/.test(line));
      writeFileSync(join(SNAPSHOTS_FOLDER, `postgres-${last}.sql.gz`), gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
      stdout.write(`postgres ${last}\n`);
    }
  } finally {
    await cluster.close();
  }
}

mkdirSync(SNAPSHOTS_FOLDER, { recursive: true });
const rows = await allRows();
await recordSqlite(rows);
await recordPostgres(rows);
