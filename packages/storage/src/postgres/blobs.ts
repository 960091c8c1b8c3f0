import { createHash } from 'node:crypto';
import type { BlobInfo } from '../blobs.ts';
import type { Engine } from '../engine/engine.ts';
import { statements, transaction } from '../engine/work.ts';
import type { SharedStorage } from '../storage.ts';
import { scrubText } from '../text.ts';

/** Blobs as rows, so that every process has them. */
export function createTableBlobs(engine: Engine): SharedStorage['blobs'] {
  // Written even where they are there: their removal waits, or they are stored again after it.
  const keepBytes = engine.prepare(`
    INSERT INTO blob_bytes (sha256, bytes) VALUES (?, ?)
    ON CONFLICT (sha256) DO UPDATE SET sha256 = excluded.sha256`);
  const insert = engine.prepare(`
    INSERT INTO blobs (owner_id, sha256, size, mime_type, created_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (owner_id, sha256) DO UPDATE SET created_at = excluded.created_at`);
  const touch = engine.prepare('UPDATE blobs SET created_at = ? WHERE owner_id = ? AND sha256 = ?');
  const select = engine.prepare<BlobInfo>(`
    SELECT sha256, size, mime_type AS "mimeType", created_at AS "createdAt" FROM blobs WHERE owner_id = ? AND sha256 = ?`);
  const bytesOf = engine.prepare<{ bytes: Uint8Array }>(`
    SELECT b.bytes FROM blobs AS o JOIN blob_bytes AS b ON b.sha256 = o.sha256 WHERE o.owner_id = ? AND o.sha256 = ?`);
  const remove = engine.prepare('DELETE FROM blobs WHERE owner_id = ? AND sha256 = ? AND created_at < ?');
  const claimBytes = engine.prepare(`SELECT 1 FROM blob_bytes WHERE sha256 = ?${engine.sql.claimRow}`);
  const removeBytes = engine.prepare(`
    DELETE FROM blob_bytes WHERE sha256 = ?1 AND NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.sha256 = ?1)`);

  const info = async (ownerId: string, sha256: string): Promise<BlobInfo | null> =>
    (await engine.perform(statements(() => select.get(ownerId, sha256)))) ?? null;

  const touched = async (ownerId: string, sha256: string, at: number): Promise<boolean> =>
    (await engine.perform(statements(() => touch.run(at, ownerId, sha256)))) === 1;

  return {
    touch: ({ ownerId }, sha256, at) => touched(ownerId, sha256, at),
    async put({ ownerId }, bytes, { mimeType, at }) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const known = (await touched(ownerId, sha256, at)) ? await info(ownerId, sha256) : null;
      if (known) return known;
      const row = { sha256, size: bytes.byteLength, mimeType: scrubText(mimeType), createdAt: at };
      const job = transaction('blob', 'full', function* () {
        yield* keepBytes.run(sha256, bytes);
        yield* insert.run(ownerId, sha256, row.size, row.mimeType, at);
        return (yield* select.get(ownerId, sha256)) ?? row;
      });
      return engine.perform(job);
    },
    info: ({ ownerId }, sha256) => info(ownerId, sha256),
    async read({ ownerId }, sha256) {
      const row = await engine.perform(statements(() => bytesOf.get(ownerId, sha256)));
      return row?.bytes ?? null;
    },
    remove({ ownerId }, sha256, unusedSince = Number.MAX_SAFE_INTEGER) {
      const job = transaction('blob', 'full', function* () {
        if (!(yield* claimBytes.get(sha256))) return false;
        if ((yield* remove.run(ownerId, sha256, unusedSince)) === 0) return false;
        yield* removeBytes.run(sha256);
        return true;
      });
      return engine.perform(job);
    },
  };
}
