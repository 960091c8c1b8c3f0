import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { systemClock } from '@toolyard/protocol';
import { startCluster } from '@toolyard/testing/postgres';
import { findPostgres, needsPrograms } from '@toolyard/testing/postgres-binaries';
import { DATABASE_FILE } from '../../layout.ts';
import { openStorage } from '../../open-storage.ts';
import { POSTGRES_MIGRATIONS } from '../../postgres/migrate.ts';
import { SQLITE_MIGRATIONS } from '../../sqlite/migrate.ts';
import { fillStorage } from '../fill-storage.ts';
import { temporaryFolder } from '../sqlite-engine.ts';
import { SNAPSHOTS_FOLDER } from './snapshots.ts';

/**
 * Stores a database with data of the last migration of each engine, unless it is stored. Run it with each new migration:
 * `npm run program -- packages/storage/src/test-fixtures/snapshots/main.ts`. Existing files are never rewritten.
 */
async function recordSqlite(file: string): Promise<void> {
  const folder = temporaryFolder();
  const storage = await openStorage({ folder: folder.path, clock: systemClock });
  await fillStorage(storage);
  storage.close();
  const database = new DatabaseSync(join(folder.path, DATABASE_FILE));
  // The bytes of blobs are files of the folder, which a snapshot lacks.
  database.exec('DELETE FROM blobs; PRAGMA journal_mode = DELETE; VACUUM');
  database.close();
  writeFileSync(file, gzipSync(readFileSync(join(folder.path, DATABASE_FILE)), { level: 9 }));
  folder.remove();
}

async function recordPostgres(file: string): Promise<void> {
  const binaries = await findPostgres();
  if (binaries.missing !== null) throw new Error(binaries.missing);
  const { missing } = needsPrograms(binaries, 'pg_dump');
  if (missing !== null) throw new Error(missing);
  const cluster = await startCluster(binaries.folder);
  try {
    const url = await cluster.createDatabase();
    const storage = await openStorage({ url, clock: systemClock });
    await fillStorage(storage);
    await storage.close();
    await cluster.query(url, 'DELETE FROM blobs', 'DELETE FROM blob_bytes');
    const dump = ['--inserts', '--no-owner', '--no-privileges', `--dbname=${url}`];
    const { stdout: sql } = await promisify(execFile)(join(binaries.folder, 'pg_dump'), dump, { maxBuffer: 1e9 });
    // psql commands, comments, and session settings.
    const lines = sql.split('\n').filter((line) => !/^(?:\\|--|SET |SELECT pg_catalog\.set_config|$)/.test(line));
    writeFileSync(file, gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
  } finally {
    await cluster.close();
  }
}

mkdirSync(SNAPSHOTS_FOLDER, { recursive: true });
for (const [engine, migrations, extension, record] of [
  ['sqlite', SQLITE_MIGRATIONS, 'db', recordSqlite],
  ['postgres', POSTGRES_MIGRATIONS, 'sql', recordPostgres],
] as const) {
  const file = join(SNAPSHOTS_FOLDER, `${engine}-${Object.keys(migrations).at(-1)}.${extension}.gz`);
  if (existsSync(file)) continue;
  await record(file);
  stdout.write(`${file}\n`);
}
