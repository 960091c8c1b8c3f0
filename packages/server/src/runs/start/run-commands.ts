import type {
  AnswerSideEffect,
  Clock,
  IdSource,
  Interrupt,
  InterruptAnswer,
  Owner,
  Regenerate,
  RunRecord,
  SendMessage,
  ShownCall,
  StoredInterrupt,
  ToolResult,
  UserMessage,
  UserPart,
  AnyText,
} from '@toolyard/protocol';
import { canonicalJson, defined, ToolyardError, say } from '@toolyard/protocol';
import type { StoredConversation, SharedStorage } from '@toolyard/storage';
import { createConflictError, createInvalidError, createNotFoundError } from '../../errors.ts';
import type { Configurations, LiveHub, RunsInTabs, RunService, RunServers } from '../../services.ts';
import type { TabToolSource } from '../../tabs/tab-tool-source.ts';
import { answeringAgent } from './answering-agent.ts';
import { regenerateConfiguration } from './regenerate.ts';
import { continueRun, refuseContinue } from './continue-run.ts';
import { makeUnmadeCall } from './make-unmade-call.ts';
import { checkAnswer } from '../check-answer.ts';
import { allInterrupts } from '../read/all-interrupts.ts';
import type { MessageQueue } from '../queue/message-queue.ts';
import type { RunWorkerPool } from '../worker/run-worker-pool.ts';
import { resumeRun } from '../worker/resume-run.ts';
import { findSentMessage } from './find-sent-message.ts';
import { toDecision } from '../read/decision-of.ts';
import { getMention } from './mention.ts';
import type { CanContinue, StartRequest, StartRun } from './start-run.ts';
import { createNoConversationError } from './start-run.ts';

export type RunCommandsOptions = {
  storage: Pick<SharedStorage, 'runs' | 'conversations' | 'messages' | 'queue' | 'agents' | 'runStates'>;
  servers: Pick<RunServers, 'approve'>;
  configurations: Pick<Configurations, 'whereToRaise'>;
  tabs: Pick<TabToolSource, 'approve'>;
  queue: MessageQueue;
  pool: RunWorkerPool;
  hub: LiveHub;
  clock: Clock;
  ids: IdSource;
  keepMedia: (principal: Owner, parts: UserPart[]) => Promise<UserPart[]>;
  start: StartRun;
  canContinue: CanContinue;
};

/**
 * Commands of users about runs. A run that a message starts has the id of that message, so that sending the message
 * again finds the run instead of starting another.
 */
export function createRunCommands(options: RunCommandsOptions): Omit<RunService, keyof RunsInTabs> {
  const { storage, servers, configurations, tabs, queue, pool, hub, clock, ids, keepMedia, start, canContinue } =
    options;

  async function getConversation(principal: Owner, id: string): Promise<StoredConversation> {
    const conversation = await storage.conversations.get(principal, id);
    if (!conversation) throw createNoConversationError(id);
    return conversation;
  }

  /** Where to store a budget raised beyond the run. */
  async function whereToKeep(
    principal: Owner,
    { interrupt, conversationId }: StoredInterrupt,
    response: InterruptAnswer,
  ): Promise<AnswerSideEffect | null> {
    if (interrupt.kind !== 'budget' || response.decision !== 'raise') return null;
    const { scope = 'run', limit } = response;
    if (scope === 'run') return null;
    const { budget, measure } = interrupt;
    return configurations.whereToRaise(principal, conversationId, scope, { budget, measure, limit });
  }

  async function answer(
    principal: Owner,
    interruptId: string,
    original: InterruptAnswer,
    shown?: ShownCall,
  ): Promise<StoredInterrupt> {
    const asked = await storage.runs.getInterrupt(principal, interruptId);
    if (!asked) throw createNoInterruptError(interruptId);
    checkAnswer(asked.interrupt, original, shown);
    const effective = withoutUnchanged(asked.interrupt, original);
    const sideEffect = await whereToKeep(principal, asked, effective);
    const at = clock.now();
    const permission = toDecision(asked, effective, at);
    const outcome = await storage.runs.answerInterrupt(principal, interruptId, effective, at, {
      ...defined({ permission }),
      ...(sideEffect ? { sideEffect } : {}),
    });
    switch (outcome.outcome) {
      case 'not_found':
        throw createNoInterruptError(interruptId);
      case 'closed':
        throw createConflictError(
          outcome.answer
            ? say`This interrupt was already answered.`
            : say`This interrupt is closed: its call or its run has ended.`,
        );
      case 'no_place':
        throw createConflictError(
          say`The configuration with this budget does not exist any more: nothing was answered.`,
          say`Raise the budget for this run only.`,
        );
      case 'answered':
        if (permission?.decision === 'allow' && asked.interrupt.kind === 'approval') {
          if (asked.interrupt.tool.origin === 'tab') {
            await tabs.approve(principal, asked.conversationId, asked.interrupt);
          } else servers.approve(asked.interrupt);
        }
        if (sideEffect) hub.changed(principal.ownerId, sideEffect.what, sideEffect.id);
        hub.changed(principal.ownerId, 'interrupts', asked.conversationId);
        await pool.wake(outcome.runId);
        return { ...asked, status: 'answered', answer: effective, answeredAt: at };
    }
  }

  async function isGroupRun(principal: Owner, { conversationId, parentRunId }: RunRecord): Promise<boolean> {
    if (parentRunId !== null) return false;
    return (await storage.conversations.get(principal, conversationId))?.groupId != null;
  }

  /** Answers automatically, unless the interrupt was closed in the meantime. */
  async function answerUnlessClosed(principal: Owner, id: string, response: InterruptAnswer): Promise<void> {
    await answer(principal, id, response).catch((thrown: unknown) => {
      if (!ToolyardError.isInstance(thrown) || thrown.code !== 'conflict') throw thrown;
    });
  }

  return {
    async send(principal, conversationId, message, startedAs = {}) {
      const conversation = await getConversation(principal, conversationId);
      if (message.id !== undefined) {
        const before = await findSentMessage(storage, principal, conversationId, message.id);
        if (before) {
          // The process that was asked first may have crashed before it continued.
          const { activeRun } = conversation;
          if ('queued' in before && activeRun)
            await queue.press(principal, before.queued, message.whenBusy, activeRun.id);
          return before;
        }
      }
      const { parentId = conversation.leafId, configuration, agentId } = message;
      const userMessage: UserMessage = {
        id: message.id ?? ids.next(),
        parentId,
        createdAt: clock.now(),
        role: 'user',
        parts: await keepMedia(principal, message.parts),
        ...(await getMention(principal, agentId, storage.agents)),
      };
      const request: StartRequest = {
        runId: userMessage.id,
        conversation,
        userMessage,
        begins: { with: 'message' },
        ...defined({ configuration, agentId, delegate: message.delegate }),
        ...startedAs,
      };
      const outcome = await start(principal, request);
      if (outcome.started) return { run: outcome.run, message: userMessage };

      if (message.delegate) throw createBusyError('Tasks cannot be delegated while an answer is in progress.');
      refuseWhereItCannotWait(message, conversation);
      const { id, parts } = userMessage;
      const kept = defined({ configuration, agentId });
      const queued = await queue.add(principal, { id, conversationId, parts, ...kept });
      if (queued) {
        await queue.press(principal, queued, message.whenBusy, outcome.busyWith);
        return { queued };
      }
      const previous = await findSentMessage(storage, principal, conversationId, id);
      if (previous) return previous;
      throw createInvalidError(say`The id ${id} is already used.`);
    },

    async regenerate(principal, conversationId, { messageId, configuration }: Regenerate) {
      const conversation = await getConversation(principal, conversationId);
      const kept = configuration ? { configuration } : {};
      const request = { runId: ids.next(), conversation, messageId, ...kept };
      const outcome = await start(principal, await regenerateConfiguration(storage, principal, request));
      if (!outcome.started) throw createBusyError(say`An answer is in progress.`);
      return { run: outcome.run };
    },

    async continue(principal, conversationId, { messageId, configuration }) {
      const conversation = await getConversation(principal, conversationId);
      refuseContinue(conversation, messageId);
      const branch = await storage.messages.branch(principal, conversationId);
      const kept = {
        ...defined({ configuration }),
        ...(await answeringAgent(storage, principal, conversation, branch)),
      };
      const { request, how } = continueRun({
        runId: ids.next(),
        conversation,
        branch,
        canContinue: await canContinue(principal, conversation, kept),
        ...kept,
      });
      const outcome = await start(principal, request);
      if (!outcome.started) throw createBusyError(say`An answer is in progress.`);
      return { run: outcome.run, how };
    },

    async makeCall(principal, conversationId, { messageId, index = 0 }, starter) {
      const conversation = await getConversation(principal, conversationId);
      refuseContinue(conversation, messageId);
      const branch = await storage.messages.branch(principal, conversationId);
      const request = makeUnmadeCall({ runId: ids.next(), conversation, branch, messageId, index });
      const answering = await answeringAgent(storage, principal, conversation, branch);
      const outcome = await start(principal, { ...request, ...answering, ...defined({ starter }) });
      if (!outcome.started) throw createBusyError(say`An answer is in progress.`);
      return { run: outcome.run };
    },

    async cancel(principal, runId) {
      const item = { id: 'cancel', kind: 'cancel' as const, body: {}, at: clock.now() };
      const { outcome } = await storage.runs.putInbox(principal, runId, item);
      if (outcome === 'put' || outcome === 'exists') await pool.wake(runId);
      const run: RunRecord | null = await storage.runs.getRun(principal, runId);
      // The run's tab polls for messages.
      if (run?.place === 'browser') hub.changed(principal.ownerId, 'tab_calls', run.conversationId);
      if (run) return run;
      throw createNotFoundError(say`There is no run ${runId}.`);
    },

    async skipServers(principal, runId) {
      const item = { id: `skip_servers:${ids.next()}`, kind: 'skip_servers' as const, body: {}, at: clock.now() };
      const run = await storage.runs.getRun(principal, runId);
      if (run === null) throw createNotFoundError(say`There is no run ${runId}.`);
      // Others wait for no servers, and nothing would read the item, or it would wake a parked run.
      if (run.place !== 'server' || (run.status !== 'running' && run.status !== 'queued')) return run;
      const { outcome } = await storage.runs.putInbox(principal, runId, item);
      if (outcome === 'put') await pool.wake(runId);
      return run;
    },

    async pause(principal, runId) {
      const run = await storage.runs.getRun(principal, runId);
      if (run === null) throw createNotFoundError(say`There is no run ${runId}.`);
      if (run.endedAt !== null) throw createConflictError(say`This run has ended.`);
      if (!(await isGroupRun(principal, run))) throw new ToolyardError(ONLY_GROUPS_PAUSE);
      const item = { id: `pause:${ids.next()}`, kind: 'pause' as const, body: {}, at: clock.now() };
      const { outcome } = await storage.runs.putInbox(principal, runId, item);
      if (outcome === 'put') await pool.wake(runId);
      return run;
    },

    resume: (principal, runId) => resumeRun(principal, runId, { storage, pool, start, canContinue, clock, ids }),

    answer,

    async signedIn(principal, serverId) {
      for await (const { id, interrupt } of allInterrupts(storage.runs, principal, { status: 'open' })) {
        if (interrupt.kind !== 'sign_in' || interrupt.tool.serverId !== serverId) continue;
        await answerUnlessClosed(principal, id, { decision: 'signed_in' });
      }
    },

    async resumeForTab(principal, conversationId, has) {
      const query = { status: 'open', conversationId } as const;
      for await (const { id, interrupt } of allInterrupts(storage.runs, principal, query)) {
        if (interrupt.kind !== 'tab' || !has(interrupt.tool)) continue;
        await answerUnlessClosed(principal, id, { decision: 'tab_here' });
      }
    },

    async tabReturned(principal, { runId, callId }, result) {
      const query = { status: 'open', runId } as const;
      for await (const { id, interrupt } of allInterrupts(storage.runs, principal, query)) {
        if (interrupt.kind !== 'in_doubt' || interrupt.callId !== callId) continue;
        await answerUnlessClosed(principal, id, { decision: 'result', text: resultText(result), result });
      }
    },

    changeQueued: (principal, conversationId, id, change) => queue.change(principal, conversationId, id, change),
    removeQueued: (principal, conversationId, id) => queue.remove(principal, conversationId, id),
    sendQueued: (principal, conversationId, id) => queue.sendNow(principal, conversationId, id),
  };
}

function resultText({ content }: ToolResult): string {
  return content.flatMap((part) => ('text' in part && part.text !== undefined ? [part.text] : [])).join('\n');
}

function refuseWhereItCannotWait(message: SendMessage, conversation: StoredConversation): void {
  if (message.whenBusy === 'refuse') throw createBusyError(say`An answer is in progress.`);
  // A queued message follows whatever message is last when it is sent.
  if (message.parentId === undefined || message.parentId === conversation.leafId) return;
  throw createBusyError(say`A message cannot be edited while an answer is in progress.`);
}

function createBusyError(message: AnyText): ToolyardError {
  return createConflictError(message, say`Stop it first, or wait until it ends.`);
}

/** Drops edited arguments that equal those of the call. */
function withoutUnchanged(interrupt: Interrupt, answer: InterruptAnswer): InterruptAnswer {
  if (interrupt.kind !== 'approval' || answer.decision !== 'approve' || answer.arguments === undefined) return answer;
  const isChanged = canonicalJson(answer.arguments) !== canonicalJson(interrupt.arguments);
  return isChanged ? answer : { decision: 'approve', scope: answer.scope };
}

const ONLY_GROUPS_PAUSE = {
  code: 'bad_request',
  message: say`Only the run of a group can be paused.`,
} as const;

function createNoInterruptError(id: string): ToolyardError {
  return createNotFoundError(say`There is no interrupt ${id}.`);
}
