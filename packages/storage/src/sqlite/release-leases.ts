import type { SqliteConnection } from './connection.ts';

/** Nobody else is alive once the folder is locked: what a dead process held is free. Its fences stay behind. */
export function releaseAllLeases(connection: SqliteConnection): void {
  connection.transaction('lease', 'normal', () =>
    connection.database.exec('UPDATE runs SET lease_owner = NULL, lease_until = NULL WHERE lease_owner IS NOT NULL'),
  );
}
