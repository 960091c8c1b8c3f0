import { openFolder } from './sqlite/open-folder.ts';
import type { DatabaseOptions, DatabaseStorage, SharedStorage, Storage, StorageOptions } from './storage.ts';

/**
 * Opens a data folder with its SQLite database, brings the tables to this version and frees the runs a dead process
 * held; or, with `url`, a PostgreSQL database, which many processes may have open at once.
 *
 * @throws StorageError: in use, not writable, not reachable, disk full, damaged, of a newer version or of another
 * program. None of these changes anything.
 * @example
 * const storage = await openStorage({ folder: dataDir, clock: systemClock });
 * const runs = storage.runs.takeOver({ owner: processId, ms: 15_000 }, 100);
 */
export function openStorage(options: StorageOptions): Promise<Storage>;
export function openStorage(options: DatabaseOptions): Promise<DatabaseStorage>;
export async function openStorage(options: StorageOptions | DatabaseOptions): Promise<SharedStorage> {
  if (!('url' in options)) return openFolder(options);
  // Who keeps a folder need not load it.
  const { openDatabase } = await import('./postgres/open-database.ts');
  return openDatabase(options);
}
