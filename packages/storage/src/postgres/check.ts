import { Kysely } from 'kysely';
import type { CheckResult } from '../check.ts';
import { GAPS } from '../check.ts';
import { PROGRESS_TABLE } from '../copy/place.ts';
import type { Engine } from '../engine/engine.ts';
import { statements } from '../engine/work.ts';
import type { Schema } from '../schema.ts';
import { StorageError, unfinishedCopy } from '../storage-error.ts';
import { PostgresConnection } from './connection.ts';
import { createPostgresEngine } from './engine.ts';
import { createPostgresDialect } from './kysely-dialect.ts';
import { hasTable } from './tables.ts';

/** Gaps in the events of a run, and blobs that hold something else. What the tables themselves forbid is not looked at. */
export async function checkDatabase(engine: Engine): Promise<CheckResult> {
  const gaps = engine.prepare<{ id: string }>(GAPS);
  const changed = engine.prepare<{ sha256: string }>(
    `SELECT sha256 FROM blob_bytes WHERE encode(sha256(bytes), 'hex') <> sha256 ORDER BY sha256`,
  );
  const runs = await engine.perform(statements(() => gaps.all()));
  const blobs = await engine.perform(statements(() => changed.all()));
  const problems = [
    ...runs.map(({ id }) => `The events of run ${id} are not whole.`),
    ...blobs.map(({ sha256 }) => `Blob ${sha256} holds something else.`),
  ];
  return problems.length === 0 ? { ok: true } : { ok: false, problems };
}

/** See `checkDatabaseAt`. */
export async function checkAt(url: string): Promise<{ where: string; result: CheckResult }> {
  const connection = new PostgresConnection({ url, connections: 1, answerWithinMs: null, name: 'toolyard check' });
  try {
    const where = `the database ${connection.where}`;
    if (await hasTable(connection, PROGRESS_TABLE)) throw unfinishedCopy(where);
    if (!(await hasTable(connection, 'run_events'))) throw nothingThere(connection.where);
    const db = new Kysely<Schema>({ dialect: createPostgresDialect(connection) });
    return { where, result: await checkDatabase(createPostgresEngine(connection, db)) };
  } finally {
    await connection.close();
  }
}

/** For a database in which nothing was ever kept. */
export function nothingThere(where: string): StorageError {
  return new StorageError('not_ours', {
    message: `The database ${where} holds nothing of Toolyard.`,
    hint: 'Correct its name in the address.',
  });
}
