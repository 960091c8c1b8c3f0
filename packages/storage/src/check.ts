import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DatabaseSync } from 'node:sqlite';
import { blobPath } from './blobs.ts';
import { BLOBS_FOLDER, DATABASE_FILE } from './layout.ts';
import { refuseForeignDatabase } from './sqlite/migrate.ts';
import { StorageError, toStorageError } from './storage-error.ts';

/** Runs with missing events, compacted ones excepted. */
export const EVENT_GAPS_SQL = `
  SELECT r.id FROM runs AS r LEFT JOIN (
    SELECT run_id, count(*) AS events, max(seq) AS last FROM run_events GROUP BY run_id
  ) AS e ON e.run_id = r.id
  WHERE r.last_seq <> coalesce(e.events, 0) + coalesce(r.compacted, 0) OR r.last_seq < coalesce(e.last, 0)
  ORDER BY r.id`;

/** Each problem is a sentence for the user. */
export type CheckResult = { ok: true } | { ok: false; problems: string[] };

/**
 * Verifies a data folder or backup: database structure, references between rows, gaps in the events of runs, blobs.
 * Changes nothing and may run while the folder is open elsewhere.
 *
 * @throws StorageError if there is no database that can be checked.
 */
export async function checkStorage(folder: string): Promise<CheckResult> {
  const file = join(folder, DATABASE_FILE);
  if (!existsSync(file)) {
    throw new StorageError('not_ours', {
      message: `${folder} contains no Toolyard database.`,
      hint: 'Specify a data folder.',
    });
  }
  refuseForeignDatabase(file);
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    const problems = [...checkDatabase(database)];
    if (problems.length === 0) problems.push(...(await checkBlobs(database, join(folder, BLOBS_FOLDER))));
    return problems.length === 0 ? { ok: true } : { ok: false, problems };
  } catch (error) {
    return { ok: false, problems: [toStorageError(error, file).message] };
  } finally {
    database.close();
  }
}

function* checkDatabase(database: DatabaseSync): Iterable<string> {
  for (const row of database.prepare('PRAGMA integrity_check').all()) {
    const finding = String(row['integrity_check']);
    if (finding !== 'ok') yield `The database is damaged: ${finding}.`;
  }
  for (const row of database.prepare('PRAGMA foreign_key_check').all()) {
    yield `A row of ${String(row['table'])} references a missing row of ${String(row['parent'])}.`;
  }
  for (const row of database.prepare(EVENT_GAPS_SQL).all()) yield `Run ${String(row['id'])} has missing events.`;
}

async function checkBlobs(database: DatabaseSync, folder: string): Promise<string[]> {
  const problems: string[] = [];
  for (const row of database.prepare('SELECT DISTINCT sha256 FROM blobs ORDER BY sha256').all()) {
    const sha256 = String(row['sha256']);
    const found = await hashFile(join(folder, blobPath(sha256)));
    if (found === null) problems.push(`The file of blob ${sha256} is missing.`);
    else if (found !== sha256) problems.push(`The file of blob ${sha256} does not match its hash.`);
  }
  return problems;
}

async function hashFile(file: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), hash);
  } catch {
    return null;
  }
  return hash.digest('hex');
}
