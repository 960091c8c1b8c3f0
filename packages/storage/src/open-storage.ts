import { openFolder } from './sqlite/open-folder.ts';
import type { DatabaseOptions, DatabaseStorage, SharedStorage, Storage, StorageOptions } from './storage.ts';

/**
 * Opens a data folder with its SQLite database, migrates the tables and releases the leases of crashed processes; or,
 * with `url`, a PostgreSQL database, which many processes may open at once.
 *
 * @throws StorageError: in use, not writable, not reachable, disk full, damaged, of a newer version or of another
 * program. None of these changes anything.
 * @example const storage = await openStorage({ folder: dataDir, clock: systemClock });
 */
export function openStorage(options: StorageOptions): Promise<Storage>;
export function openStorage(options: DatabaseOptions): Promise<DatabaseStorage>;
export async function openStorage(options: StorageOptions | DatabaseOptions): Promise<SharedStorage> {
  if (!('url' in options)) return openFolder(options);
  // Loaded only for PostgreSQL.
  const { openDatabase } = await import('./postgres/open-database.ts');
  return openDatabase(options);
}
