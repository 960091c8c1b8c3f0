import type { RunStore } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { RunJobs } from '../runs/run-jobs.ts';

/** A {@link RunStore} over PostgreSQL. */
export function createPostgresRunStore({ perform }: StorageEngine, jobs: RunJobs): RunStore {
  // Both write many runs of this process in arbitrary order: concurrently they could deadlock.
  const serialize = createQueue();
  return {
    commit: (...args) => serialize(() => perform(jobs.commit(...args))),
    createRun: (...args) => perform(jobs.createRun(...args)),
    getRun: (...args) => perform(jobs.getRun(...args)),
    listRuns: (...args) => perform(jobs.listRuns(...args)),
    readEvents: (...args) => perform(jobs.readEvents(...args)),
    readWholeEvents: (...args) => perform(jobs.readWholeEvents(...args)),
    acquireLease: (...args) => perform(jobs.acquireLease(...args)),
    renewLeases: (...args) => serialize(() => perform(jobs.renewLeases(...args))),
    renewLease: (...args) => perform(jobs.renewLease(...args)),
    releaseLease: (...args) => perform(jobs.releaseLease(...args)),
    claimExpired: (...args) => perform(jobs.claimExpired(...args)),
    putInbox: (...args) => perform(jobs.putInbox(...args)),
    readInbox: (...args) => perform(jobs.readInbox(...args)),
    withdrawInbox: (...args) => perform(jobs.withdrawInbox(...args)),
    compact: (...args) => perform(jobs.compact(...args)),
    readLedger: (...args) => perform(jobs.readLedger(...args)),
    listInterrupts: (...args) => perform(jobs.listInterrupts(...args)),
    getInterrupt: (...args) => perform(jobs.getInterrupt(...args)),
    countInterrupts: (...args) => perform(jobs.countInterrupts(...args)),
    answerInterrupt: (...args) => perform(jobs.answerInterrupt(...args)),
  };
}

/** Runs tasks one after the other, whatever their outcome. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}
