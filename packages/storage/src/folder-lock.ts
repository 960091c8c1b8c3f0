import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SQLITE, sqliteCode, createStorageError, toStorageError } from './storage-error.ts';

const LOCK_FILE = 'lock.db';

/**
 * Locks the folder for this process. The lock is held by the operating system, so it ends with the process in every
 * case and leaves nothing to clean up.
 *
 * @returns Function that releases the lock.
 * @throws StorageError `in_use` if the folder is locked, also by this process.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, LOCK_FILE);
  let database: DatabaseSync | undefined;
  try {
    // No timeout: a process holds the lock as long as it runs.
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    throw sqliteCode(error) === SQLITE.busy ? createStorageError('in_use', folder) : toStorageError(error, file);
  }
  const lock = database;
  return () => {
    if (lock.isOpen) lock.close();
  };
}
