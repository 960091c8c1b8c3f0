import type { RunStore } from '@toolyard/protocol';
import type { Engine } from '../engine/engine.ts';
import type { RunJobs } from '../runs/run-jobs.ts';

/** A {@link RunStore} that answers over a socket. */
export function createPostgresRunStore({ perform }: Engine, jobs: RunJobs): RunStore {
  return {
    commit: (...given) => perform(jobs.commit(...given)),
    createRun: (...given) => perform(jobs.createRun(...given)),
    getRun: (...given) => perform(jobs.getRun(...given)),
    listRuns: (...given) => perform(jobs.listRuns(...given)),
    readEvents: (...given) => perform(jobs.readEvents(...given)),
    readWholeEvents: (...given) => perform(jobs.readWholeEvents(...given)),
    acquireLease: (...given) => perform(jobs.acquireLease(...given)),
    renewLeases: (...given) => perform(jobs.renewLeases(...given)),
    releaseLease: (...given) => perform(jobs.releaseLease(...given)),
    takeOver: (...given) => perform(jobs.takeOver(...given)),
    putInbox: (...given) => perform(jobs.putInbox(...given)),
    readInbox: (...given) => perform(jobs.readInbox(...given)),
    withdrawInbox: (...given) => perform(jobs.withdrawInbox(...given)),
    compact: (...given) => perform(jobs.compact(...given)),
    readLedger: (...given) => perform(jobs.readLedger(...given)),
    listInterrupts: (...given) => perform(jobs.listInterrupts(...given)),
    countInterrupts: (...given) => perform(jobs.countInterrupts(...given)),
    answerInterrupt: (...given) => perform(jobs.answerInterrupt(...given)),
  };
}
