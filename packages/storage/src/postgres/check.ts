import { createHash } from 'node:crypto';
import { Kysely } from 'kysely';
import type { CheckResult } from '../check.ts';
import { EVENT_GAPS_SQL } from '../check.ts';
import { PROGRESS_TABLE } from '../copy/storage-endpoint.ts';
import type { StorageEngine } from '../engine/engine.ts';
import { statements } from '../engine/work.ts';
import type { Schema } from '../schema.ts';
import { StorageError, createUnfinishedCopyError } from '../storage-error.ts';
import type { Bucket } from '../s3/bucket.ts';
import { openOptionalBucket } from '../s3/optional-bucket.ts';
import type { S3Settings } from '../s3/settings.ts';
import { readObject } from './blobs.ts';
import { PostgresConnection } from './connection.ts';
import { createPostgresEngine } from './engine.ts';
import { createPostgresDialect } from './kysely-dialect.ts';
import { refuseForeignTables } from './migrate.ts';
import { hasTable } from './tables.ts';

/**
 * Reports gaps in the events of runs, and blobs that are missing or damaged. Conditions that the tables enforce are not
 * checked.
 */
export async function checkDatabase(engine: StorageEngine, bucket: Bucket | null): Promise<CheckResult> {
  const gaps = engine.prepare<{ id: string }>(EVENT_GAPS_SQL);
  const changed = engine.prepare<{ sha256: string }>(
    `SELECT sha256 FROM blob_bytes WHERE object_name IS NULL AND encode(sha256(bytes), 'hex') <> sha256 ORDER BY sha256`,
  );
  const runs = await engine.perform(statements(() => gaps.all()));
  const blobs = await engine.perform(statements(() => changed.all()));
  const problems = [
    ...runs.map(({ id }) => `Run ${id} has missing events.`),
    ...blobs.map(({ sha256 }) => `Blob ${sha256} does not match its hash.`),
    ...(await checkObjects(engine, bucket)),
  ];
  return problems.length === 0 ? { ok: true } : { ok: false, problems };
}

/** Reads every referenced object. */
async function checkObjects(engine: StorageEngine, bucket: Bucket | null): Promise<string[]> {
  const next = engine.prepare<{ sha256: string; objectName: string }>(`
    SELECT sha256, object_name AS "objectName" FROM blob_bytes
    WHERE object_name IS NOT NULL AND sha256 > ? ORDER BY sha256 LIMIT 100`);
  const problems: string[] = [];
  let after: string | undefined = '';
  while (after !== undefined) {
    const from: string = after;
    const page: { sha256: string; objectName: string }[] = await engine.perform(statements(() => next.all(from)));
    if (page.length > 0 && !bucket) return ['Blobs in a bucket were not checked: set TOOLYARD_BLOBS_URL.'];
    for (const { sha256, objectName } of page) {
      const bytes = await readObject(bucket, objectName, sha256);
      if (bytes === null) problems.push(`Blob ${sha256} is missing from ${bucket?.where ?? 'its bucket'}.`);
      else if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
        problems.push(`Blob ${sha256} does not match its hash.`);
      }
    }
    after = page.at(-1)?.sha256;
  }
  return problems;
}

/** See `checkDatabaseAt`. */
export async function checkAt(url: string, files?: S3Settings): Promise<{ where: string; result: CheckResult }> {
  const connection = new PostgresConnection({ url, connections: 1, queryTimeoutMs: null, name: 'toolyard check' });
  try {
    const where = `the database ${connection.where}`;
    if (await hasTable(connection, PROGRESS_TABLE)) throw createUnfinishedCopyError(where);
    if (!(await hasTable(connection, 'run_events'))) throw createEmptyDatabaseError(connection.where);
    await refuseForeignTables(connection);
    const db = new Kysely<Schema>({ dialect: createPostgresDialect(connection) });
    return {
      where,
      result: await checkDatabase(createPostgresEngine(connection, db), await openOptionalBucket(files)),
    };
  } finally {
    await connection.close();
  }
}

/** The error for a database without Toolyard data. */
export function createEmptyDatabaseError(where: string): StorageError {
  return new StorageError('not_ours', {
    message: `The database ${where} contains no Toolyard data.`,
    hint: 'Correct its name in the URL.',
  });
}
