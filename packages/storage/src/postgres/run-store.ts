import type { RunStore } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { RunJobs } from '../runs/run-jobs.ts';

/** A {@link RunStore} over PostgreSQL. */
export function createPostgresRunStore({ perform }: StorageEngine, jobs: RunJobs): RunStore {
  // Both write many runs of this process in arbitrary order: concurrently they could deadlock.
  const inTurn = takingTurns();
  return {
    commit: (...given) => inTurn(() => perform(jobs.commit(...given))),
    createRun: (...given) => perform(jobs.createRun(...given)),
    getRun: (...given) => perform(jobs.getRun(...given)),
    listRuns: (...given) => perform(jobs.listRuns(...given)),
    readEvents: (...given) => perform(jobs.readEvents(...given)),
    readWholeEvents: (...given) => perform(jobs.readWholeEvents(...given)),
    acquireLease: (...given) => perform(jobs.acquireLease(...given)),
    renewLeases: (...given) => inTurn(() => perform(jobs.renewLeases(...given))),
    renewLease: (...given) => perform(jobs.renewLease(...given)),
    releaseLease: (...given) => perform(jobs.releaseLease(...given)),
    takeOver: (...given) => perform(jobs.takeOver(...given)),
    putInbox: (...given) => perform(jobs.putInbox(...given)),
    readInbox: (...given) => perform(jobs.readInbox(...given)),
    withdrawInbox: (...given) => perform(jobs.withdrawInbox(...given)),
    compact: (...given) => perform(jobs.compact(...given)),
    readLedger: (...given) => perform(jobs.readLedger(...given)),
    listInterrupts: (...given) => perform(jobs.listInterrupts(...given)),
    getInterrupt: (...given) => perform(jobs.getInterrupt(...given)),
    countInterrupts: (...given) => perform(jobs.countInterrupts(...given)),
    answerInterrupt: (...given) => perform(jobs.answerInterrupt(...given)),
  };
}

/** Runs tasks one after the other, whatever their outcome. */
function takingTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}
