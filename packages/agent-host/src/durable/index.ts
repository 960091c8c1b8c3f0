/**
 * Runs whose events are committed before they are published: to a database of the process, or over HTTP from a tab.
 * @module
 */
export { CommitPump } from './commit-pump.ts';
export type { CommitPumpOptions } from './commit-pump.ts';
export { STORED_WITH_STEP } from './durable-journal.ts';
export { DurableRun } from './durable-run.ts';
export type { DurableAccess, StoppedRun } from './durable-run.ts';
export { isComplete, RunConversation } from './run-conversation.ts';
export type { SaveOutcome, StepStamp } from './run-draft.ts';
export { RunLost } from './run-lost.ts';
export type { RunWriter } from './run-writer.ts';
export type { StoredRun } from './stored-run.ts';
