import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue, Owner } from '@toolyard/protocol';
import { DATABASE_FILE } from '../layout.ts';
import { decodeJson } from '../text.ts';
import { ReadConnection } from './read-connection.ts';

/**
 * A setting of a data folder, which another process may have open; undefined if it was never set.
 *
 * @throws StorageError if the database cannot be read
 */
export function readSetting(folder: string, { ownerId }: Owner, key: string): JsonValue | undefined {
  const file = join(folder, DATABASE_FILE);
  if (!existsSync(file)) return undefined;
  const connection = new ReadConnection(file);
  try {
    const select = connection.prepare('SELECT value FROM settings WHERE owner_id = ? AND key = ?');
    const row = connection.guard(() => select.get(ownerId, key));
    return typeof row?.['value'] === 'string' ? decodeJson(row['value']) : undefined;
  } finally {
    connection.close();
  }
}
