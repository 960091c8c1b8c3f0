import { defined } from '@toolyard/protocol';
import { Kysely } from 'kysely';
import { jsonColumns } from '../json-columns.ts';
import { sweepBlobs } from '../blob-sweep.ts';
import { PROGRESS_TABLE } from '../copy/storage-endpoint.ts';
import { createRepositories } from '../repositories/create-repositories.ts';
import { createCounts } from '../runs/counts.ts';
import { createRunJobs } from '../runs/create-run-jobs.ts';
import type { Schema } from '../schema.ts';
import { createUnfinishedCopyError } from '../storage-error.ts';
import type { DatabaseOptions, DatabaseStorage } from '../storage.ts';
import { createTableBlobs } from './blobs.ts';
import { sweepStrayObjects } from '../s3/stray-objects.ts';
import { openOptionalBucket } from '../s3/optional-bucket.ts';
import { createNotificationChannel } from './notifications.ts';
import { checkDatabase } from './check.ts';
import { PostgresConnection } from './connection.ts';
import { createPostgresEngine } from './engine.ts';
import { createInstallation } from './installation.ts';
import { createPostgresDialect } from './kysely-dialect.ts';
import { migratePostgresToLatest } from './migrate.ts';
import { createProcesses } from './processes.ts';
import { hasTable } from './tables.ts';
import { createPostgresRunStore } from './run-store.ts';
import { createPostgresSearch } from './search.ts';
import { createPostgresUsageReport } from './usage-report.ts';

/**
 * Opens a PostgreSQL database; see `openStorage`.
 *
 * @param leaseTime SQL expression for the lease clock in milliseconds; default: the clock of the database
 */
export async function openDatabase(options: DatabaseOptions, leaseTime?: string): Promise<DatabaseStorage> {
  await migrate(options);
  const bucket = await openOptionalBucket(options.files);
  await bucket?.check();
  const connection = new PostgresConnection(options);
  const db = new Kysely<Schema>({ dialect: createPostgresDialect(connection), plugins: [jsonColumns] });
  const { url, notify } = options;
  const notifications = createNotificationChannel({ url, connection, ...defined({ notify }) });
  const engine = createPostgresEngine(connection, db, leaseTime);
  const blobs = createTableBlobs(engine, bucket);
  const counts = createCounts(engine);
  return {
    runs: createPostgresRunStore(engine, createRunJobs(engine, options.clock)),
    ...createRepositories(engine, createPostgresSearch(engine), createPostgresUsageReport(engine)),
    blobs,
    async sweepBlobs(of) {
      const removed = await sweepBlobs(engine, (...blob) => blobs.remove(...blob), of);
      return bucket ? removed + (await sweepStrayObjects(engine, bucket, of)) : removed;
    },
    counts: () => engine.perform(counts()),
    check: () => checkDatabase(engine, bucket),
    notifications,
    processes: createProcesses(connection, leaseTime),
    installation: createInstallation(connection),
    async close() {
      await notifications.close();
      await connection.close();
    },
  };
}

async function migrate({ url }: DatabaseOptions): Promise<void> {
  // No timeout: migrating a large database takes time, and other processes wait for it.
  const connection = new PostgresConnection({ url, connections: 1, queryTimeoutMs: null });
  try {
    if (await hasTable(connection, PROGRESS_TABLE)) throw createUnfinishedCopyError(`The database ${connection.where}`);
    await migratePostgresToLatest(connection);
  } finally {
    await connection.close();
  }
}
