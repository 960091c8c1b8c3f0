import type { Clock } from '@toolyard/protocol';
import { createCommit } from './commit.ts';
import { createCompaction } from './compaction.ts';
import type { SqliteConnection } from './connection.ts';
import { createRunCreator } from './create-run.ts';
import { createInbox } from './inbox.ts';
import { createInterruptDoor } from './interrupts.ts';
import { createLeases } from './leases.ts';
import { createLedgerReader } from './ledger.ts';
import { createRunReader } from './run-reader.ts';
import type { SyncRunStore } from './run-rows.ts';

/** The {@link SyncRunStore} of a migrated database: hand-written statements, prepared once. */
export function createSqliteRunStore(connection: SqliteConnection, clock: Clock): SyncRunStore {
  return {
    commit: createCommit(connection, clock),
    createRun: createRunCreator(connection, clock),
    compact: createCompaction(connection),
    readLedger: createLedgerReader(connection),
    ...createRunReader(connection),
    ...createLeases(connection, clock),
    ...createInbox(connection),
    ...createInterruptDoor(connection),
  };
}
