import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { Kysely } from 'kysely';
import type { Clock, Failpoint } from '@toolyard/protocol';
import { blobPath, keepBlobFile } from '../blobs.ts';
import { lockFolder } from '../folder-lock.ts';
import { BLOBS_FOLDER, DATABASE_FILE, FINGERPRINT_FILE, SALT_FILE, UNFINISHED_FILE } from '../layout.ts';
import type { Schema } from '../schema.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { createSqliteEngine } from '../sqlite/engine.ts';
import { createSqliteDialect } from '../sqlite/kysely-dialect.ts';
import { migrateSqliteToLatest, refuseForeignDatabase } from '../sqlite/migrate.ts';
import { StorageError, toStorageError } from '../storage-error.ts';
import type { KeyDerivation, StorageEndpoint, CopyTarget } from './storage-endpoint.ts';
import { PROGRESS_TABLE } from './storage-endpoint.ts';

type Options = { clock: Clock; failpoint?: Failpoint };

/** Opens a data folder as the source of a copy; it must not be open elsewhere. */
export async function openSourceFolder(
  path: string,
  options: Options,
): Promise<StorageEndpoint & { identity: string }> {
  const folder = resolve(path);
  if (!existsSync(join(folder, DATABASE_FILE))) {
    throw new StorageError('not_ours', {
      message: `${folder} contains no Toolyard database.`,
      hint: 'Specify the data folder to copy.',
    });
  }
  const { place } = await openPlace(folder, DATABASE_FILE, options);
  return { ...place, identity: `${folder} on ${hostname()}` };
}

/** Opens a folder without data, or with the unfinished copy. */
export async function openTargetFolder(path: string, options: Options): Promise<CopyTarget> {
  const folder = resolve(path);
  makeFolder(folder);
  requireEmptyFolder(folder);
  const { place, connection, unlock } = await openPlace(folder, UNFINISHED_FILE, options);
  return {
    ...place,
    async hasUnfinishedCopy() {
      return connection.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(PROGRESS_TABLE) !== undefined;
    },
    async begin() {
      connection.database.exec(`
        PRAGMA foreign_keys = OFF;
        CREATE TABLE IF NOT EXISTS ${PROGRESS_TABLE} (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT`);
    },
    keepBytes: (sha256, bytes) => keepBlobFile(join(folder, BLOBS_FOLDER), sha256, bytes),
    async finish({ lastNumbers, keyDerivation }) {
      connection.guard(() => {
        checkForeignKeys(connection, folder);
        for (const [table, last] of lastNumbers) {
          connection.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table);
          connection.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, last);
        }
      });
      if (keyDerivation !== null) writeKeyDerivation(folder, keyDerivation);
      // Throws if the WAL cannot be checkpointed: the renamed file would lack its content.
      connection.guard(() => connection.database.exec('PRAGMA journal_mode = DELETE'));
      connection.close();
      renameSync(join(folder, UNFINISHED_FILE), join(folder, DATABASE_FILE));
      const finished = new SqliteConnection(join(folder, DATABASE_FILE));
      finished.database.exec(`DROP TABLE ${PROGRESS_TABLE}`);
      finished.close();
      unlock();
    },
  };
}

async function openPlace(
  folder: string,
  name: string,
  options: Options,
): Promise<{ place: StorageEndpoint; connection: SqliteConnection; unlock: () => void }> {
  const file = join(folder, name);
  const unlock = lockFolder(folder);
  let connection: SqliteConnection | undefined;
  try {
    refuseForeignDatabase(file);
    closeSync(openSync(file, 'a', 0o600));
    connection = new SqliteConnection(file, options.failpoint ? { failpoint: options.failpoint } : {});
    const dialect = createSqliteDialect(connection, { transactions: 'allowed' });
    await migrateSqliteToLatest(new Kysely({ dialect }), connection);
    return { place: createEndpoint(folder, connection, options.clock, unlock), connection, unlock };
  } catch (error) {
    connection?.close();
    unlock();
    throw toStorageError(error, file);
  }
}

function createEndpoint(
  folder: string,
  connection: SqliteConnection,
  clock: Clock,
  unlock: () => void,
): StorageEndpoint {
  const db = new Kysely<Schema>({ dialect: createSqliteDialect(connection, { transactions: 'refused' }) });
  return {
    where: folder,
    engine: createSqliteEngine(connection, clock, db),
    async listColumns(table) {
      const rows = connection.prepare('SELECT name FROM pragma_table_info(?) ORDER BY name').all(table);
      return rows.map(({ name }) => String(name));
    },
    async readBytes(sha256) {
      const file = join(folder, BLOBS_FOLDER, blobPath(sha256));
      if (!existsSync(file)) return null;
      return readFile(file).catch((error: unknown) => {
        throw toStorageError(error, file);
      });
    },
    async lastNumber(table) {
      const row = connection.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table);
      return Number(row?.['seq'] ?? 0);
    },
    keyDerivation: async () => readKeyDerivation(folder),
    async close() {
      connection.close();
      unlock();
    },
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toStorageError(error, folder);
  }
}

function requireEmptyFolder(folder: string): void {
  const file = join(folder, DATABASE_FILE);
  if (!existsSync(file) || statSync(file).size === 0) return;
  throw new StorageError('not_writable', {
    message: `${folder} already contains data.`,
    hint: 'Specify a folder that does not exist yet; a copy never overwrites anything.',
  });
}

function checkForeignKeys(connection: SqliteConnection, folder: string): void {
  const [row] = connection.prepare('PRAGMA foreign_key_check').all();
  if (!row) return;
  const message = `A row of ${String(row['table'])} references a missing row of ${String(row['parent'])}.`;
  throw new StorageError('corrupt', { message, hint: `The partial copy is in ${folder}.` });
}

function readKeyDerivation(folder: string): KeyDerivation | null {
  const salt = readText(join(folder, SALT_FILE));
  if (salt === null) return null;
  return { salt: Buffer.from(salt, 'base64url'), fingerprint: readText(join(folder, FINGERPRINT_FILE)) };
}

/** Overwrites existing files: without data in the folder, they belong to nothing. */
function writeKeyDerivation(folder: string, { salt, fingerprint }: KeyDerivation): void {
  rmSync(join(folder, FINGERPRINT_FILE), { force: true });
  writeText(join(folder, SALT_FILE), Buffer.from(salt).toString('base64url'));
  if (fingerprint !== null) writeText(join(folder, FINGERPRINT_FILE), fingerprint);
}

function readText(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

function writeText(file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, `${text}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
