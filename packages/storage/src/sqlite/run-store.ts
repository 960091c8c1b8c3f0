import type { RunStore } from '@toolyard/protocol';
import type { RunJobs } from '../runs/run-jobs.ts';
import type { SqliteEngine } from './engine.ts';

/** A synchronous {@link RunStore}: no other code runs between two calls. */
export type SyncRunStore = {
  [K in keyof RunStore]: (...parameters: Parameters<RunStore[K]>) => Awaited<ReturnType<RunStore[K]>>;
};

export function createSqliteRunStore({ performNow }: SqliteEngine, jobs: RunJobs): SyncRunStore {
  return {
    commit: (...given) => performNow(jobs.commit(...given)),
    createRun: (...given) => performNow(jobs.createRun(...given)),
    getRun: (...given) => performNow(jobs.getRun(...given)),
    listRuns: (...given) => performNow(jobs.listRuns(...given)),
    readEvents: (...given) => performNow(jobs.readEvents(...given)),
    readWholeEvents: (...given) => performNow(jobs.readWholeEvents(...given)),
    acquireLease: (...given) => performNow(jobs.acquireLease(...given)),
    renewLeases: (...given) => performNow(jobs.renewLeases(...given)),
    renewLease: (...given) => performNow(jobs.renewLease(...given)),
    releaseLease: (...given) => performNow(jobs.releaseLease(...given)),
    takeOver: (...given) => performNow(jobs.takeOver(...given)),
    putInbox: (...given) => performNow(jobs.putInbox(...given)),
    readInbox: (...given) => performNow(jobs.readInbox(...given)),
    withdrawInbox: (...given) => performNow(jobs.withdrawInbox(...given)),
    compact: (...given) => performNow(jobs.compact(...given)),
    readLedger: (...given) => performNow(jobs.readLedger(...given)),
    listInterrupts: (...given) => performNow(jobs.listInterrupts(...given)),
    getInterrupt: (...given) => performNow(jobs.getInterrupt(...given)),
    countInterrupts: (...given) => performNow(jobs.countInterrupts(...given)),
    answerInterrupt: (...given) => performNow(jobs.answerInterrupt(...given)),
  };
}
