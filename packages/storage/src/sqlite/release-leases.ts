import type { SqliteConnection } from './connection.ts';

/**
 * The lock on the folder proves that no other process is running, so leases of crashed processes can be released.
 * Fences keep their values.
 */
export function releaseAllLeases(connection: SqliteConnection): void {
  connection.transaction('lease', 'normal', () =>
    connection.database.exec('UPDATE runs SET lease_owner = NULL, lease_until = NULL WHERE lease_owner IS NOT NULL'),
  );
}
