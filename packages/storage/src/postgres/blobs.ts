import { createHash, randomUUID } from 'node:crypto';
import type { BlobInfo } from '../blobs.ts';
import type { StorageEngine } from '../engine/engine.ts';
import { statements, transaction } from '../engine/work.ts';
import type { Bucket } from '../s3/bucket.ts';
import type { SharedStorage } from '../storage.ts';
import { StorageError } from '../storage-error.ts';
import { scrubText } from '../text.ts';

type BytesRow = { bytes: Uint8Array; objectName: string | null };

/**
 * Blobs for all processes: as rows, or, with a bucket, as objects referenced by rows. Blobs stored before the bucket
 * was configured stay in rows.
 *  Each upload becomes an object with a new name, and a row references one of them, so deleting an object never affects
 *  a row written concurrently. A crash leaves an unreferenced object, never a row without its object.
 */
export function createTableBlobs(engine: StorageEngine, bucket: Bucket | null): SharedStorage['blobs'] {
  // Written even if they exist: a concurrent removal waits for it, or the bytes are inserted again after it.
  const keepBytes = engine.prepare(`
    INSERT INTO blob_bytes (sha256, bytes, object_name) VALUES (?, ?, ?)
    ON CONFLICT (sha256) DO UPDATE SET sha256 = excluded.sha256`);
  const nameOf = engine.prepare<{ objectName: string | null }>(
    'SELECT object_name AS "objectName" FROM blob_bytes WHERE sha256 = ?',
  );
  const insert = engine.prepare(`
    INSERT INTO blobs (owner_id, sha256, size, mime_type, created_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (owner_id, sha256) DO UPDATE SET created_at = excluded.created_at`);
  const touch = engine.prepare('UPDATE blobs SET created_at = ? WHERE owner_id = ? AND sha256 = ?');
  const select = engine.prepare<BlobInfo>(`
    SELECT sha256, size, mime_type AS "mimeType", created_at AS "createdAt" FROM blobs WHERE owner_id = ? AND sha256 = ?`);
  const bytesOf = engine.prepare<BytesRow>(`
    SELECT b.bytes, b.object_name AS "objectName"
    FROM blobs AS o JOIN blob_bytes AS b ON b.sha256 = o.sha256 WHERE o.owner_id = ? AND o.sha256 = ?`);
  const remove = engine.prepare('DELETE FROM blobs WHERE owner_id = ? AND sha256 = ? AND created_at < ?');
  const claimBytes = engine.prepare<{ objectName: string | null }>(
    `SELECT object_name AS "objectName" FROM blob_bytes WHERE sha256 = ?${engine.sql.claimRow}`,
  );
  const removeBytes = engine.prepare(`
    DELETE FROM blob_bytes WHERE sha256 = ?1 AND NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.sha256 = ?1)`);

  const sizeSince = engine.prepare<{ size: number }>(
    'SELECT CAST(coalesce(sum(size), 0) AS BIGINT) AS size FROM blobs WHERE owner_id = ? AND created_at >= ?',
  );

  const info = async (ownerId: string, sha256: string): Promise<BlobInfo | null> =>
    (await engine.perform(statements(() => select.get(ownerId, sha256)))) ?? null;

  const touched = async (ownerId: string, sha256: string, at: number): Promise<boolean> =>
    (await engine.perform(statements(() => touch.run(at, ownerId, sha256)))) === 1;

  const readRow = (ownerId: string, sha256: string): Promise<BytesRow | undefined> =>
    engine.perform(statements(() => bytesOf.get(ownerId, sha256)));

  /** Best effort: an unreferenced object only takes space. */
  const forget = async (objectName: string): Promise<void> => {
    await bucket?.remove(objectName).catch(() => {});
  };

  return {
    touch: ({ ownerId }, sha256, at) => touched(ownerId, sha256, at),
    async put({ ownerId }, bytes, { mimeType, at }) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const known = (await touched(ownerId, sha256, at)) ? await info(ownerId, sha256) : null;
      if (known) return known;
      const objectName = bucket && createObjectName(sha256);
      if (bucket && objectName !== null) await bucket.put(objectName, bytes, sha256);
      const row = { sha256, size: bytes.byteLength, mimeType: scrubText(mimeType), createdAt: at };
      const job = transaction('blob', 'full', function* () {
        yield* keepBytes.run(sha256, bucket ? NO_BYTES : bytes, objectName);
        yield* insert.run(ownerId, sha256, row.size, row.mimeType, at);
        const stored = yield* nameOf.get(sha256);
        return { stored: (yield* select.get(ownerId, sha256)) ?? row, kept: stored?.objectName ?? null };
      });
      const { stored, kept } = await engine.perform(job);
      // The bytes were already stored by another upload.
      if (objectName !== null && kept !== objectName) await forget(objectName);
      return stored;
    },
    sizeSince: async ({ ownerId }, since) =>
      (await engine.perform(statements(() => sizeSince.get(ownerId, since))))?.size ?? 0,
    info: ({ ownerId }, sha256) => info(ownerId, sha256),
    async read({ ownerId }, sha256) {
      const row = await readRow(ownerId, sha256);
      if (!row) return null;
      if (row.objectName === null) return row.bytes;
      const bytes = await readObject(bucket, row.objectName, sha256);
      if (bytes) return bytes;
      // Removed during the read: report it as absent, not as an error.
      const now = await readRow(ownerId, sha256);
      if (!now) return null;
      const again = now.objectName === null ? now.bytes : await readObject(bucket, now.objectName, sha256);
      if (again) return again;
      throw createMissingObjectError(bucket, sha256);
    },
    async remove({ ownerId }, sha256, unusedSince = Number.MAX_SAFE_INTEGER) {
      const job = transaction('blob', 'full', function* () {
        const claimed = yield* claimBytes.get(sha256);
        if (!claimed || (yield* remove.run(ownerId, sha256, unusedSince)) === 0)
          return { removed: false, unnamed: null };
        const wasLast = (yield* removeBytes.run(sha256)) === 1;
        return { removed: true, unnamed: wasLast ? claimed.objectName : null };
      });
      const { removed, unnamed } = await engine.perform(job);
      if (unnamed !== null) await forget(unnamed);
      return removed;
    },
  };
}

/** Value of the `bytes` column of a blob stored as an object. */
export const NO_BYTES = new Uint8Array();

/** A new name for each upload. */
export function createObjectName(sha256: string): string {
  return `${sha256.slice(0, 2)}/${sha256}.${randomUUID()}`;
}

/**
 * Null if the object is missing.
 *
 * @throws StorageError if no bucket is configured.
 */
export async function readObject(
  bucket: Bucket | null,
  objectName: string,
  sha256: string,
): Promise<Uint8Array | null> {
  if (bucket) return bucket.get(objectName);
  throw new StorageError('bad_url', {
    message: `The bytes of the file ${sha256} are in a bucket, but no bucket is configured.`,
    hint: 'Set TOOLYARD_BLOBS_URL to the value used when the file was stored.',
  });
}

function createMissingObjectError(bucket: Bucket | null, sha256: string): StorageError {
  return new StorageError('corrupt', {
    message: `The file ${sha256} is missing from ${bucket?.where ?? 'its bucket'}.`,
    hint: 'Restore it from a backup of the bucket.',
  });
}
