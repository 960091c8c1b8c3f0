import type { SweepOptions } from '../blob-sweep.ts';
import type { StorageEngine } from '../engine/engine.ts';
import { statements } from '../engine/work.ts';
import type { Bucket } from './bucket.ts';

/** Names created by `objectNameOf`: all other objects belong to other programs. */
const OBJECT_NAME = /^[0-9a-f]{2}\/([0-9a-f]{64})\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Deletes objects without a row: leftovers of a process that crashed, or lost the database, before it inserted the row.
 * Skips recent ones, whose row may be about to be inserted.
 *
 * @returns Number of deleted objects.
 */
export async function sweepStrayObjects(
  engine: StorageEngine,
  bucket: Bucket,
  { unusedSince, signal }: SweepOptions,
): Promise<number> {
  const isReferenced = engine.prepare('SELECT 1 FROM blob_bytes WHERE sha256 = ? AND object_name = ?');
  let removed = 0;
  let after: string | undefined;
  do {
    const page = await bucket.list(after);
    for (const { name, storedAt } of page.objects) {
      if (signal?.aborted) return removed;
      const sha256 = OBJECT_NAME.exec(name)?.[1];
      if (sha256 === undefined || storedAt >= unusedSince) continue;
      if (await engine.perform(statements(() => isReferenced.get(sha256, name)))) continue;
      await bucket.remove(name);
      removed++;
    }
    after = page.next;
  } while (after !== undefined);
  return removed;
}
