import { partialAnswer } from '@toolyard/agent-host';
import type { Clock, IdSource, Message, Owner, RunRecord, UserMessage, AnyText } from '@toolyard/protocol';
import { defined, ToolyardError, say } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { groupRunView } from '../../groups/group-run-view.ts';
import { answeringAgent } from '../start/answering-agent.ts';
import type { RunWorkerPool } from './run-worker-pool.ts';
import type { CanContinue, StartRequest, StartRun } from '../start/start-run.ts';
import { createNoConversationError } from '../start/start-run.ts';

export type ResumeServices = {
  storage: Pick<SharedStorage, 'runs' | 'conversations' | 'messages' | 'agents' | 'runStates'>;
  clock: Clock;
  ids: IdSource;
  pool: Pick<RunWorkerPool, 'wake'>;
  start: StartRun;
  canContinue: CanContinue;
};

/**
 * Resumes a run. A parked one is only woken. One that failed or was cancelled does not change: another run continues
 * where it ended, under an id derived from its id, so that repeated requests start only one.
 *
 * @throws ToolyardError `not_found`, or `conflict` if there is nothing to resume, or a continuing run has ended too
 */
export async function resumeRun(principal: Owner, runId: string, services: ResumeServices): Promise<RunRecord> {
  const { storage, pool, start } = services;
  const run = await storage.runs.getRun(principal, runId);
  if (run === null) throw new ToolyardError({ code: 'not_found', message: say`There is no run ${runId}.` });
  if (run.parentRunId !== null)
    throw createConflictError(say`This run is part of another run; resume that one instead.`);
  switch (run.status) {
    case 'done':
      throw createConflictError(say`This run has completed: there is nothing to resume.`, say`Send a new message.`);
    case 'queued':
    case 'running':
    case 'waiting_for_tab':
      throw createConflictError(say`This run is in progress.`);
    case 'parked': {
      // Also while members have their turn: the group does not pause after it.
      if (await isPausedGroup(principal, run, storage)) return resumeGroup(principal, run, services);
      const open = await storage.runs.listInterrupts(principal, { runId, status: 'open', limit: 1 });
      if (open.length > 0) {
        throw createConflictError(
          say`This run waits for the user.`,
          say`Answer its open interrupts: on the page, or with toolyard interrupts list.`,
        );
      }
      await pool.wake(runId);
      return (await storage.runs.getRun(principal, runId)) ?? run;
    }
    case 'failed':
    case 'cancelled': {
      const last = await lastFollower(principal, runId, storage);
      if (last?.status === 'failed' || last?.status === 'cancelled') {
        const message =
          last.status === 'failed'
            ? say`Another run has already continued this one, and failed.`
            : say`Another run has already continued this one, and was cancelled.`;
        throw createConflictError(message, `Resume that run: ${last.id}`);
      }
      if (last !== null) return last;
      const outcome = await start(principal, await requestFor(principal, run, services));
      if (outcome.started) return outcome.run;
      throw createConflictError(
        say`Another answer is in progress in this conversation.`,
        say`Stop it first, or wait until it ends.`,
      );
    }
  }
}

/** True for the run of a group that pauses, or will pause after the turns in progress. */
async function isPausedGroup(
  principal: Owner,
  { id, conversationId }: RunRecord,
  { conversations, runStates, runs }: ResumeServices['storage'],
): Promise<boolean> {
  if ((await conversations.get(principal, conversationId))?.groupId == null) return false;
  return (await groupRunView({ runStates, runs }, principal, id))?.paused === true;
}

async function resumeGroup(
  principal: Owner,
  run: RunRecord,
  { storage, pool, clock, ids }: ResumeServices,
): Promise<RunRecord> {
  const item = { id: `resume:${ids.next()}`, kind: 'resume' as const, body: {}, at: clock.now() };
  await storage.runs.putInbox(principal, run.id, item);
  await pool.wake(run.id);
  return (await storage.runs.getRun(principal, run.id)) ?? run;
}

/** The last run in the chain of continuing runs; null if the run was not continued. */
async function lastFollower(
  principal: Owner,
  runId: string,
  { runs }: Pick<ResumeServices['storage'], 'runs'>,
): Promise<RunRecord | null> {
  let last: RunRecord | null = null;
  for (;;) {
    const next: RunRecord | null = await runs.getRun(principal, nextId(last?.id ?? runId));
    if (next === null) return last;
    last = next;
  }
}

async function requestFor(
  principal: Owner,
  run: RunRecord,
  { storage, canContinue }: ResumeServices,
): Promise<StartRequest> {
  const { conversationId } = run;
  const conversation = await storage.conversations.get(principal, conversationId);
  if (conversation === null) throw createNoConversationError(conversationId);
  const branch = await storage.messages.branch(principal, conversationId, conversation.leafId ?? undefined);
  const asked = branch.findLastIndex((message) => message.role === 'user');
  const userMessage = branch[asked];
  const answer = branch.slice(asked + 1);
  if (userMessage?.role !== 'user' || !answer.some((message) => isAnswerInRun(message, run.id))) {
    throw createConflictError(
      say`The conversation has newer messages than this run, or shows another branch.`,
      say`Switch to its branch, or regenerate its answer.`,
    );
  }
  const { id: leafId } = goodUntil(userMessage, answer);
  const cut = answer.at(-1);
  const partial = cut?.role === 'assistant' && cut.parentId === leafId ? partialAnswer(cut) : null;
  const agent = await answeringAgent(storage, principal, conversation, answer);
  const parts = partial && (await canContinue(principal, conversation, agent)) ? partial : undefined;
  const begins = { with: 'answer' as const, leafId, ...defined({ parts }) };
  return { runId: nextId(run.id), conversation, userMessage, begins, ...agent };
}

function isAnswerInRun(message: Message, runId: string): boolean {
  return message.role === 'assistant' && message.runId === runId;
}

/** A partial answer is regenerated beside the old one, or continued if the model supports it; tool results are kept. */
function goodUntil(userMessage: UserMessage, answer: readonly Message[]): Message {
  return answer.findLast((message) => message.role === 'tool') ?? userMessage;
}

/** Run `x` is continued by `x~2`, that one by `x~3`. */
function nextId(runId: string): string {
  const [, begin = runId, count = '1'] = /^(.*)~(\d{1,6})$/s.exec(runId) ?? [];
  return `${begin}~${Number(count) + 1}`;
}

function createConflictError(message: AnyText, hint?: AnyText): ToolyardError {
  return new ToolyardError({ code: 'conflict', message, ...defined({ hint }) });
}
