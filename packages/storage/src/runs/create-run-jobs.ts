import type { Clock } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import { createCommit } from './commit.ts';
import { createCompaction } from './compaction.ts';
import { createRunCreator } from './create-run.ts';
import { createInbox } from './inbox.ts';
import { createInterruptCommands } from './interrupts.ts';
import { createLeases } from './leases.ts';
import { createLedgerReader } from './ledger.ts';
import type { RunJobs } from './run-jobs.ts';
import { createRunReader } from './run-reader.ts';

/** The {@link RunJobs} of a migrated database, with prepared SQL statements. */
export function createRunJobs(engine: StorageEngine, clock: Clock): RunJobs {
  return {
    commit: createCommit(engine, clock),
    createRun: createRunCreator(engine),
    compact: createCompaction(engine),
    readLedger: createLedgerReader(engine),
    ...createRunReader(engine),
    ...createLeases(engine),
    ...createInbox(engine),
    ...createInterruptCommands(engine),
  };
}
