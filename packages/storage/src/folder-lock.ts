import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SQLITE, sqliteCode, storageError, toStorageError } from './storage-error.ts';

const LOCK_FILE = 'lock.db';

/**
 * Makes this process the only one with the folder open. The lock is the operating system's: it ends with the process,
 * however that ends, and leaves nothing to clean up.
 *
 * @returns gives the lock back.
 * @throws StorageError `in_use` where another holds it, also within this process.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, LOCK_FILE);
  let database: DatabaseSync | undefined;
  try {
    // No time-out: whoever holds it holds it as long as it runs.
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    throw sqliteCode(error) === SQLITE.busy ? storageError('in_use', folder) : toStorageError(error, file);
  }
  const held = database;
  return () => {
    if (held.isOpen) held.close();
  };
}
