import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Owner } from '@toolyard/protocol';
import type { SqliteConnection } from './sqlite/connection.ts';
import { toStorageError } from './storage-error.ts';
import { scrubText } from './text.ts';

/** `createdAt` is the time of the last put or touch. */
export type BlobInfo = { sha256: string; size: number; mimeType: string; createdAt: number };

/** Bytes addressed by their sha256 (64 hex digits). Equal bytes are stored once for all owners. */
export type BlobStore = {
  /** Stores the bytes for the owner; resolves when they are on disk. */
  put(principal: Owner, bytes: Uint8Array, of: { mimeType: string; at: number }): Promise<BlobInfo>;
  /** Marks a blob as about to be referenced: no sweep deletes it for a day. False if there is no such blob. */
  touch(principal: Owner, sha256: string, at: number): boolean;
  /** Null if the owner has no such blob. */
  info(principal: Owner, sha256: string): BlobInfo | null;
  /** Bytes of the blobs that the owner has put or touched since that time. */
  sizeSince(principal: Owner, since: number): number;
  /** Null if the owner has no such blob; throws StorageError if its file is missing. */
  read(principal: Owner, sha256: string): Promise<Uint8Array | null>;
  /**
   * False if the owner had no such blob, or, with `unusedSince`, has put or touched it since. The file is deleted with
   * the last owner.
   */
  remove(principal: Owner, sha256: string, unusedSince?: number): boolean;
};

/** A {@link BlobStore} whose files can be kept unchanged during a copy. */
export type HoldableBlobStore = BlobStore & {
  /** No file is deleted until the returned function is called. */
  holdDeletions(): () => void;
  /**
   * Deletes files without a row, and partial files, of processes that exited before they inserted the row. Only files
   * written before that time.
   *
   * @returns Number of deleted files.
   */
  sweepStrays(of: { unusedSince: number; signal?: AbortSignal }): Promise<number>;
};

const DRAFT = 'draft-';
const HASH = /^[0-9a-f]{64}$/;

/** Path of a blob's file, relative to the folder of blobs. */
export function blobPath(sha256: string): string {
  return join(sha256.slice(0, 2), sha256.slice(2));
}

/** Stores blobs as files in `folder`, with rows in the database. */
export function createBlobStore(connection: SqliteConnection, folder: string): HoldableBlobStore {
  const insert = connection.prepare(`
    INSERT INTO blobs (owner_id, sha256, size, mime_type, created_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (owner_id, sha256) DO UPDATE SET created_at = excluded.created_at`);
  const touch = connection.prepare('UPDATE blobs SET created_at = ? WHERE owner_id = ? AND sha256 = ?');
  const select = connection.prepare(`
    SELECT sha256, size, mime_type AS mimeType, created_at AS createdAt FROM blobs WHERE owner_id = ? AND sha256 = ?`);
  const remove = connection.prepare('DELETE FROM blobs WHERE owner_id = ? AND sha256 = ? AND created_at < ?');
  const others = connection.prepare('SELECT 1 FROM blobs WHERE sha256 = ? LIMIT 1');
  const sizeSince = connection.prepare(
    'SELECT coalesce(sum(size), 0) AS size FROM blobs WHERE owner_id = ? AND created_at >= ?',
  );
  const deferred = new Set<string>();
  let holds = 0;

  const info = ({ ownerId }: Owner, sha256: string): BlobInfo | null =>
    connection.guard(() => (select.get(ownerId, sha256) as BlobInfo | undefined) ?? null);

  function deleteUnowned(sha256: string): void {
    if (!others.get(sha256)) rmSync(join(folder, blobPath(sha256)), { force: true });
  }

  return {
    info,
    touch: ({ ownerId }, sha256, at) => connection.guard(() => touch.run(at, ownerId, sha256).changes === 1),
    sizeSince: ({ ownerId }, since) => connection.guard(() => Number(sizeSince.get(ownerId, since)?.['size'])),
    async put(principal, bytes, { mimeType, at }) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      connection.guard(() => touch.run(at, principal.ownerId, sha256));
      const known = info(principal, sha256);
      if (known) return known;
      const file = join(folder, blobPath(sha256));
      const draft = join(folder, `${DRAFT}${randomUUID()}`);
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        await writeSynced(draft, bytes);
        // Synchronous from here on: otherwise a removal could delete the file of the new row.
        renameSync(draft, file);
        connection.transaction('blob', 'full', () =>
          insert.run(principal.ownerId, sha256, bytes.byteLength, scrubText(mimeType), at),
        );
      } catch (error) {
        // Report the original error, not one of the cleanup.
        await rm(draft, { force: true }).catch(() => {});
        throw toStorageError(error, file);
      }
      return info(principal, sha256) ?? { sha256, size: bytes.byteLength, mimeType, createdAt: at };
    },
    async read(principal, sha256) {
      if (!info(principal, sha256)) return null;
      const file = join(folder, blobPath(sha256));
      try {
        return await readFile(file);
      } catch (error) {
        // Removed during the read: report it as absent, not as an error.
        if (!info(principal, sha256)) return null;
        throw toStorageError(error, file);
      }
    },
    remove({ ownerId }, sha256, unusedSince = Number.MAX_SAFE_INTEGER) {
      const removed = connection.guard(() => remove.run(ownerId, sha256, unusedSince).changes === 1);
      if (!removed) return false;
      if (holds > 0) deferred.add(sha256);
      else deleteUnowned(sha256);
      return true;
    },
    async sweepStrays({ unusedSince, signal }) {
      let deleted = 0;
      for (const path of await filesBelow(folder)) {
        const { mtimeMs } = await stat(join(folder, path)).catch(() => ({ mtimeMs: Infinity }));
        if (signal?.aborted || holds > 0) return deleted;
        const [sha256] = HASH.exec(path.replaceAll(sep, '')) ?? [];
        const isOurs = sha256 === undefined ? path.startsWith(DRAFT) : path === blobPath(sha256);
        if (!isOurs || mtimeMs >= unusedSince) continue;
        // Synchronous, like the write.
        if (sha256 !== undefined && connection.guard(() => others.get(sha256))) continue;
        rmSync(join(folder, path), { force: true });
        deleted++;
      }
      return deleted;
    },
    holdDeletions() {
      holds++;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        if (--holds > 0) return;
        for (const sha256 of deferred) deleteUnowned(sha256);
        deferred.clear();
      };
    },
  };
}

async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** Writes the bytes to the path of the blob; resolves when they are on disk. */
export async function keepBlobFile(folder: string, sha256: string, bytes: Uint8Array): Promise<void> {
  const file = join(folder, blobPath(sha256));
  const draft = join(folder, `${DRAFT}${randomUUID()}`);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    await writeSynced(draft, bytes);
    renameSync(draft, file);
  } catch (error) {
    // Report the original error, not one of the cleanup.
    await rm(draft, { force: true }).catch(() => {});
    throw toStorageError(error, file);
  }
}

async function writeSynced(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
