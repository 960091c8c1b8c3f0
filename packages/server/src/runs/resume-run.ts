import { partialAnswer } from '@toolyard/agent-host';
import type { Message, Owner, RunRecord, UserMessage } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { StoredConversation, SharedStorage } from '@toolyard/storage';
import type { RunWorkerPool } from './run-worker-pool.ts';
import type { StartOutcome, StartRequest } from './start-run.ts';
import { noConversation } from './start-run.ts';

export type ResumeServices = {
  storage: Pick<SharedStorage, 'runs' | 'conversations' | 'messages'>;
  pool: Pick<RunWorkerPool, 'wake'>;
  start: (principal: Owner, request: StartRequest) => Promise<StartOutcome>;
  /** True where the model of the next run can go on with an answer that was begun. */
  canContinue: (principal: Owner, conversation: StoredConversation) => Promise<boolean>;
};

/**
 * Lets a run go on. One that rests is only woken. One that failed or was cancelled stays as it is: another run goes on
 * where it ended, under an id made of its own, so that asking twice begins no two.
 *
 * @throws ToolyardError `not_found`, or `conflict` where there is nothing to go on with, or another went on and ended too
 */
export async function resumeRun(principal: Owner, runId: string, services: ResumeServices): Promise<RunRecord> {
  const { storage, pool, start } = services;
  const run = await storage.runs.getRun(principal, runId);
  if (run === null) throw new ToolyardError({ code: 'not_found', message: `There is no run ${runId}.` });
  if (run.parentRunId !== null) throw refused('This run is part of another one, which goes on instead of it.');
  switch (run.status) {
    case 'done':
      throw refused('This run has come to its end: there is nothing to go on with.', 'Say something new.');
    case 'queued':
    case 'running':
    case 'waiting_for_tab':
      throw refused('This run is under way.');
    case 'parked': {
      const open = await storage.runs.listInterrupts(principal, { runId, status: 'open', limit: 1 });
      if (open.length > 0) {
        throw refused('This run waits for a person.', 'Answer its questions: toolyard interrupts list, or the page.');
      }
      await pool.wake(runId);
      return (await storage.runs.getRun(principal, runId)) ?? run;
    }
    case 'failed':
    case 'cancelled': {
      const last = await lastFollower(principal, runId, storage);
      if (last?.status === 'failed' || last?.status === 'cancelled') {
        const how = last.status === 'failed' ? 'it failed' : 'it was cancelled';
        throw refused(`Another run has gone on with this one already, and ${how}.`, `Let that one go on: ${last.id}`);
      }
      if (last !== null) return last;
      const outcome = await start(principal, await requestFor(principal, run, services));
      if (outcome.started) return outcome.run;
      throw refused('Another answer is being written in this conversation.', 'Stop it first, or wait for its end.');
    }
  }
}

/** The last of those that went on, each with the one before; null where none has. */
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
  if (conversation === null) throw noConversation(conversationId);
  const branch = await storage.messages.branch(principal, conversationId, conversation.leafId ?? undefined);
  const asked = branch.findLastIndex((message) => message.role === 'user');
  const question = branch[asked];
  const answer = branch.slice(asked + 1);
  if (question?.role !== 'user' || !answer.some((message) => isOf(message, run.id))) {
    throw refused(
      'The conversation has gone on since this run, or shows another branch.',
      'Show the branch it is on, or have its answer made anew.',
    );
  }
  const { id: leafId } = goodUntil(question, answer);
  const cut = answer.at(-1);
  const begun = cut?.role === 'assistant' && cut.parentId === leafId ? partialAnswer(cut) : null;
  const parts = begun && (await canContinue(principal, conversation)) ? begun : undefined;
  const begins = { with: 'answer' as const, leafId, ...defined({ parts }) };
  return { runId: nextId(run.id), conversation, question, begins };
}

function isOf(message: Message, runId: string): boolean {
  return message.role === 'assistant' && message.runId === runId;
}

/**
 * An answer that broke off stands beside the one that is made in its place, or goes on with it where the model can; what
 * tools have answered is kept.
 */
function goodUntil(question: UserMessage, answer: readonly Message[]): Message {
  return answer.findLast((message) => message.role === 'tool') ?? question;
}

/** `x` is gone on with by `x~2`, that by `x~3`. */
function nextId(runId: string): string {
  const [, begin = runId, count = '1'] = /^(.*)~(\d{1,6})$/s.exec(runId) ?? [];
  return `${begin}~${Number(count) + 1}`;
}

function refused(message: string, hint?: string): ToolyardError {
  return new ToolyardError({ code: 'conflict', message, ...defined({ hint }) });
}
