/**
 * A run that is committed before anybody hears of it: to a database in the same process, or over HTTP from a tab.
 * @module
 */
export { CommitPump } from './commit-pump.ts';
export type { CommitPumpOptions } from './commit-pump.ts';
export { DurableJournal, STORED_WITH_STEP } from './durable-journal.ts';
export { LiveQuestions } from './live-questions.ts';
export { isSaid, RunConversation, unanswered } from './run-conversation.ts';
export type { RunConversationOptions } from './run-conversation.ts';
export type { Saved, Stamp } from './run-draft.ts';
export { RunLedger } from './run-ledger.ts';
export { RunLost } from './run-lost.ts';
export { RunSteering } from './run-steering.ts';
export { RunTime } from './run-time.ts';
export { RunWriter } from './run-writer.ts';
export type { StoredRun } from './stored-run.ts';
