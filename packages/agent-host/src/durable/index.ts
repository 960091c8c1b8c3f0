/**
 * A run that is committed before anybody hears of it: to a database in the same process, or over HTTP from a tab.
 * @module
 */
export { CommitPump } from './commit-pump.ts';
export type { CommitPumpOptions } from './commit-pump.ts';
export { STORED_WITH_STEP } from './durable-journal.ts';
export { DurableRun } from './durable-run.ts';
export type { DurableAccess } from './durable-run.ts';
export { isSaid, RunConversation, unanswered } from './run-conversation.ts';
export type { Saved, Stamp } from './run-draft.ts';
export { RunLost } from './run-lost.ts';
export { RunWriter } from './run-writer.ts';
export type { StoredRun } from './stored-run.ts';
