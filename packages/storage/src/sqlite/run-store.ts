import type { RunStore } from '@toolyard/protocol';
import type { RunJobs } from '../runs/run-jobs.ts';
import type { SqliteEngine } from './engine.ts';

/** A synchronous {@link RunStore}: no other code runs between two calls. */
export type SyncRunStore = {
  [K in keyof RunStore]: (...parameters: Parameters<RunStore[K]>) => Awaited<ReturnType<RunStore[K]>>;
};

export function createSqliteRunStore({ performSync }: SqliteEngine, jobs: RunJobs): SyncRunStore {
  return {
    commit: (...args) => performSync(jobs.commit(...args)),
    createRun: (...args) => performSync(jobs.createRun(...args)),
    getRun: (...args) => performSync(jobs.getRun(...args)),
    listRuns: (...args) => performSync(jobs.listRuns(...args)),
    readEvents: (...args) => performSync(jobs.readEvents(...args)),
    readWholeEvents: (...args) => performSync(jobs.readWholeEvents(...args)),
    acquireLease: (...args) => performSync(jobs.acquireLease(...args)),
    renewLeases: (...args) => performSync(jobs.renewLeases(...args)),
    renewLease: (...args) => performSync(jobs.renewLease(...args)),
    releaseLease: (...args) => performSync(jobs.releaseLease(...args)),
    claimExpired: (...args) => performSync(jobs.claimExpired(...args)),
    putInbox: (...args) => performSync(jobs.putInbox(...args)),
    readInbox: (...args) => performSync(jobs.readInbox(...args)),
    withdrawInbox: (...args) => performSync(jobs.withdrawInbox(...args)),
    compact: (...args) => performSync(jobs.compact(...args)),
    readLedger: (...args) => performSync(jobs.readLedger(...args)),
    listInterrupts: (...args) => performSync(jobs.listInterrupts(...args)),
    getInterrupt: (...args) => performSync(jobs.getInterrupt(...args)),
    countInterrupts: (...args) => performSync(jobs.countInterrupts(...args)),
    answerInterrupt: (...args) => performSync(jobs.answerInterrupt(...args)),
  };
}
