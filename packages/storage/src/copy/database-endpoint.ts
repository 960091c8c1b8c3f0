import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely } from 'kysely';
import type { Failpoint } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { statements } from '../engine/work.ts';
import { NO_BYTES, createObjectName, readObject } from '../postgres/blobs.ts';
import { createEmptyDatabaseError } from '../postgres/check.ts';
import { PostgresConnection } from '../postgres/connection.ts';
import { createPostgresEngine } from '../postgres/engine.ts';
import { createInstallation } from '../postgres/installation.ts';
import { createPostgresDialect } from '../postgres/kysely-dialect.ts';
import { migratePostgresToLatest } from '../postgres/migrate.ts';
import { hasTable } from '../postgres/tables.ts';
import type { Bucket } from '../s3/bucket.ts';
import { openOptionalBucket } from '../s3/optional-bucket.ts';
import type { S3Settings } from '../s3/settings.ts';
import type { Schema } from '../schema.ts';
import { StorageError } from '../storage-error.ts';
import type { KeyDerivation, StorageEndpoint, CopyTarget } from './storage-endpoint.ts';
import { PROGRESS_TABLE } from './storage-endpoint.ts';

/** Differs from the name of server connections, which are searched for to find out whether the database is in use. */
const APPLICATION_NAME = 'toolyard copy';

/** Tables with references to rows of the same table. */
const REFERS_TO_ITSELF = {
  messages: 'FOREIGN KEY (conversation_id, parent_id) REFERENCES messages (conversation_id, id)',
  runs: 'FOREIGN KEY (parent_run_id) REFERENCES runs (id) ON DELETE CASCADE',
} as const;

type DatabaseAddress = { url: string; files?: S3Settings };

/** Reports an unreachable bucket before anything is copied. */
async function openFiles(files: S3Settings | undefined): Promise<Bucket | null> {
  const bucket = await openOptionalBucket(files);
  await bucket?.check();
  return bucket;
}

/** Opens a database as the source of a copy; no server may be using it. */
export async function openSourceDatabase({
  url,
  files,
}: DatabaseAddress): Promise<StorageEndpoint & { identity: string }> {
  const connection = await connect(url);
  try {
    if (!(await hasTable(connection, 'run_events'))) throw createEmptyDatabaseError(connection.where);
    if (await hasTable(connection, PROGRESS_TABLE)) throw createUnfinishedCopyError(connection.where);
    await migratePostgresToLatest(connection);
    return { ...createEndpoint(connection, await openFiles(files)), identity: connection.where };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Opens a database without data, or with the unfinished copy. */
export async function openTargetDatabase({ url, files }: DatabaseAddress, failpoint?: Failpoint): Promise<CopyTarget> {
  const connection = await connect(url, failpoint);
  let bucket: Bucket | null;
  try {
    bucket = await openFiles(files);
    await migratePostgresToLatest(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    ...createEndpoint(connection, bucket),
    hasUnfinishedCopy: () => hasTable(connection, PROGRESS_TABLE),
    begin: () => inTransaction(connection, [...dropReferences(), CREATE_PROGRESS]),
    async keepBytes(sha256, bytes) {
      const objectName = bucket && createObjectName(sha256);
      if (bucket && objectName !== null) await bucket.put(objectName, bytes, sha256);
      await connection.query(
        'INSERT INTO blob_bytes (sha256, bytes, object_name) VALUES ($1, $2, $3) ON CONFLICT (sha256) DO NOTHING',
        [sha256, bucket ? NO_BYTES : bytes, objectName],
      );
    },
    async finish({ lastNumbers, keyDerivation }) {
      await inTransaction(connection, [
        ...Object.entries(REFERS_TO_ITSELF).map(([table, rule]) => `ALTER TABLE ${table} ADD ${rule}`),
        ...[...lastNumbers].filter(([, last]) => last > 0).map(([table, last]) => setNumber(table, last)),
        ...(keyDerivation === null ? [] : [setKeyDerivation(keyDerivation)]),
        `DROP TABLE ${PROGRESS_TABLE}`,
      ]);
      await connection.query('ANALYZE', []);
      await connection.close();
    },
  };
}

const CREATE_PROGRESS = `CREATE TABLE IF NOT EXISTS ${PROGRESS_TABLE} (
  name TEXT COLLATE "C" NOT NULL PRIMARY KEY, value TEXT NOT NULL)`;

function dropReferences(): string[] {
  return Object.keys(REFERS_TO_ITSELF).map(
    (table) => `DO $$ DECLARE name TEXT; BEGIN
      FOR name IN SELECT conname FROM pg_constraint
        WHERE contype = 'f' AND conrelid = '${table}'::regclass AND confrelid = '${table}'::regclass
      LOOP EXECUTE format('ALTER TABLE ${table} DROP CONSTRAINT %I', name); END LOOP;
    END $$`,
  );
}

function setNumber(table: string, last: number): string {
  return `SELECT setval(pg_get_serial_sequence('${table}', 'position'), ${Math.trunc(last)})`;
}

function setKeyDerivation({ salt, fingerprint }: KeyDerivation): string {
  const known = fingerprint === null ? 'NULL' : `'${Buffer.from(fingerprint, 'hex').toString('hex')}'`;
  return `UPDATE installation SET salt = '${Buffer.from(salt).toString('hex')}', key_fingerprint = ${known}`;
}

async function connect(url: string, failpoint?: Failpoint): Promise<PostgresConnection> {
  const connection = new PostgresConnection({
    url,
    // A single connection: queries run one after the other.
    connections: 1,
    queryTimeoutMs: null,
    name: APPLICATION_NAME,
    ...defined({ failpoint }),
  });
  try {
    const others = await countOthers(connection);
    if (others > 0) throw createInUseError(connection.where, others);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Number of other Toolyard connections. A connection that was just closed is listed a moment longer. */
async function countOthers(connection: PostgresConnection): Promise<number> {
  for (let attempts = 20; ; attempts--) {
    const { rows } = await connection.query(
      `SELECT count(*) AS others FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'toolyard%'`,
      [],
    );
    const { others } = rows[0] as { others: number };
    if (others === 0 || attempts === 0) return others;
    await sleep(100);
  }
}

function createEndpoint(connection: PostgresConnection, bucket: Bucket | null): StorageEndpoint {
  const engine = createPostgresEngine(connection, new Kysely<Schema>({ dialect: createPostgresDialect(connection) }));
  const columns = engine.prepare<{ name: string }>(`
    SELECT CAST(column_name AS TEXT) COLLATE "C" AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = ? ORDER BY 1`);
  const bytes = engine.prepare<{ bytes: Uint8Array; objectName: string | null }>(
    'SELECT bytes, object_name AS "objectName" FROM blob_bytes WHERE sha256 = ?',
  );
  const installation = createInstallation(connection);
  return {
    where: `the database ${connection.where}`,
    engine,
    listColumns: async (table) => (await engine.perform(statements(() => columns.all(table)))).map(({ name }) => name),
    async readBytes(sha256) {
      const row = await engine.perform(statements(() => bytes.get(sha256)));
      if (!row) return null;
      return row.objectName === null ? row.bytes : readObject(bucket, row.objectName, sha256);
    },
    async lastNumber(table) {
      const { rows } = await connection.query(
        `SELECT coalesce(pg_sequence_last_value(CAST(pg_get_serial_sequence($1, 'position') AS regclass)), 0) AS last`,
        [table],
      );
      return Number((rows[0] as { last: number }).last);
    },
    keyDerivation: async () => ({
      salt: await installation.salt(),
      fingerprint: await installation.fingerprint(),
    }),
    close: () => connection.close(),
  };
}

async function inTransaction(connection: PostgresConnection, all: readonly string[]): Promise<void> {
  await connection.inTransaction(async (client) => {
    for (const statement of all) await client.query(statement);
  });
}

function createInUseError(where: string, others: number): StorageError {
  return new StorageError('in_use', {
    message: `The database ${where} is in use: Toolyard has ${others} ${others === 1 ? 'connection' : 'connections'} to it.`,
    hint: 'Stop the servers that use it, then copy again. Nothing was changed.',
  });
}

function createUnfinishedCopyError(where: string): StorageError {
  return new StorageError('corrupt', {
    message: `The database ${where} is itself an unfinished copy.`,
    hint: 'Finish it first, with the command that started it.',
  });
}
