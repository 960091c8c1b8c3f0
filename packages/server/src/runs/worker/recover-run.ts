import type { RunConversation, RunWriter, StepStamp, StoredRun } from '@toolyard/agent-host/durable';
import { STORED_WITH_STEP } from '@toolyard/agent-host/durable';
import type { Ending, RunPoint } from '@toolyard/agent-runtime';
import { answerInterrupts, parkedStatus } from '@toolyard/agent-runtime';
import { messageIdOf } from '@toolyard/agent-host';
import type { Clock, LeasedRun, Owner, RunStore } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { allInterrupts } from '../read/all-interrupts.ts';
import type { LastAttempt } from './last-attempt.ts';
import type { ChildRun, ChildUsage } from '../sub-agents/child-usage.ts';
import { listChildren, withUsage } from '../sub-agents/child-usage.ts';
import { readLastAttempt } from './last-attempt.ts';
import type { RunInboxItems } from '../queue/run-inbox.ts';
import type { readStoredRun } from './stored-run.ts';
import { placeholder } from './stored-run.ts';

export type RecoverRunOptions = {
  run: LeasedRun;
  stored: Pick<ReturnType<typeof readStoredRun>, 'point' | 'steers' | 'configuration'>;
  store: Pick<RunStore, 'readEvents' | 'listInterrupts'>;
  writer: RunWriter;
  conversation: RunConversation;
  clock: Clock;
  inboxItems: RunInboxItems;
  /** The pending end of the run, if one was requested before it was claimed. */
  ending: Ending | null;
  /** Reads the usage of child runs that have ended, with that of their own children. */
  readUsage: (children: readonly ChildRun[]) => Promise<ChildUsage>;
};

/** Where the run continues. `parked`: it still waits for the user; `inboxWaits`: and messages have arrived since. */
export type RecoveredRun =
  | { parked: false; point: RunPoint; attempt: number }
  | { parked: true; point: RunPoint; inboxWaits: boolean };

/** Closes what a crashed process left open and applies messages received since, in one commit before anything else. */
export async function recoverRun(options: RecoverRunOptions): Promise<RecoveredRun> {
  const { run, stored, store, writer, conversation, inboxItems, ending } = options;
  const principal: Owner = { ownerId: run.ownerId };
  const { step } = stored.point.state;
  const last = await readLastAttempt(store, principal, run, step);
  const attempt = last.attempt + 1;
  const closes = last.attempt > 0 && !last.closed;
  if (closes) {
    await withdrawInterrupts(options, { step, attempt: last.attempt });
    closeAttempt(options, last, attempt);
  }

  const wasParked = stored.point.state.status === 'parked';
  const point = wasParked ? await resume(options, attempt) : stored.point;
  const parked = point.state.status === 'parked';
  if (!closes && !wasParked && run.status === 'running') return { parked: false, point, attempt };

  // A parked run stores its messages: anything left in the inbox would resume it again.
  const steering = parked ? inboxItems.steers : [];
  const steers = [...(stored.steers ?? []), ...steering.map(({ queuedMessageId }) => queuedMessageId)];
  const { leafId, shownId } = conversation;
  const state: StoredRun = { point, leafId, shownId, ...(steers.length > 0 ? { steers } : {}) };
  const answers = wasParked && !ending ? inboxItems.answers : [];
  const children = wasParked && !ending ? inboxItems.children : [];
  const pauses = wasParked && !ending ? inboxItems.pauses : [];
  const taken = [...answers, ...steering, ...children, ...pauses].map(({ itemId }) => itemId);
  const { inboxWaits } = await writer.save({ state, status: parked ? parkedStatus(point.state) : 'running', taken });
  return parked ? { parked: true, point, inboxWaits } : { parked: false, point, attempt };
}

/** Withdraws interrupts of servers inside calls that ended with their process; a repeated call opens new ones. */
async function withdrawInterrupts({ run, store, writer }: RecoverRunOptions, stamp: StepStamp): Promise<void> {
  const query = { runId: run.id, status: 'open' } as const;
  for await (const { id, interrupt } of allInterrupts(store, { ownerId: run.ownerId }, query)) {
    if (STORED_WITH_STEP.has(interrupt.kind)) continue;
    writer.event({ type: 'interrupt_withdrawn', interruptId: id }, stamp, 'later');
    writer.withdrawn(id);
  }
}

/** Keeps the partial answer: as cancelled, or marked as abandoned beside the repeated one. */
function closeAttempt(options: RecoverRunOptions, last: LastAttempt, attempt: number): void {
  const { run, stored, writer, conversation, clock, ending } = options;
  const { step } = stored.point.state;
  const stamp = { step, attempt: last.attempt };
  // The request was sent, but its usage is unknown, which is not zero.
  if (last.partial && !last.isComplete) {
    const { createdAt: at } = last.partial;
    writer.used({ kind: 'model', at, durationMs: 0, ...stored.configuration.model, usage: null, cost: null });
  }
  const partial = last.partial ?? withoutContent(options);
  if (partial && ending?.status === 'cancelled') {
    const message = { ...partial, finishReason: 'cancelled' as const };
    conversation.add(message);
    writer.event({ type: 'message_finished', message }, stamp, 'later');
    writer.event({ type: 'attempt_abandoned', messageId: null }, stamp, 'later');
    return;
  }
  writer.event({ type: 'attempt_abandoned', messageId: partial?.id ?? null }, stamp, 'later');
  if (!partial) return;
  const isShown = conversation.shownId === partial.id;
  writer.message({ ...partial, finishReason: 'abandoned' }, null);
  if (!isShown) return;
  conversation.show(
    placeholder({
      id: messageIdOf({ runId: run.id, step }, attempt),
      parentId: conversation.leafId,
      runId: run.id,
      model: stored.configuration.model.modelId,
      ...defined({ agent: stored.configuration.agent }),
      createdAt: clock.now(),
    }),
  );
}

/** The placeholder of an answer without content. */
function withoutContent({ run, stored, conversation, clock }: RecoverRunOptions): LastAttempt['partial'] {
  if (!conversation.hasPlaceholder) return null;
  const { shownId: id, leafId: parentId } = conversation;
  return {
    id,
    parentId,
    createdAt: clock.now(),
    role: 'assistant',
    parts: [],
    runId: run.id,
    model: stored.configuration.model.modelId,
    ...defined({ agent: stored.configuration.agent }),
  };
}

/** The run of a group after requests to pause and to continue it. */
function withPauses(point: RunPoint, pauses: RunInboxItems['pauses']): RunPoint {
  const last = pauses.at(-1);
  const { group } = point.state;
  if (!last || !group) return point;
  const { paused: _before, ...rest } = group;
  return { ...point, state: { ...point.state, group: last.pauses ? { ...rest, paused: true } : rest } };
}

/**
 * A parked run with the answers received so far, and the child runs that have ended; it continues once none is missing,
 * or ends.
 */
async function resume(
  { run, stored, writer, clock, inboxItems, ending, readUsage }: RecoverRunOptions,
  attempt: number,
): Promise<RunPoint> {
  const over = new Set(inboxItems.children.map(({ runId }) => runId));
  const ended = listChildren(stored.point.state).filter((child) => over.has(child.runId));
  const used = ended.length === 0 ? stored.point : withUsage(stored.point, await readUsage(ended));
  const point = withPauses(used, inboxItems.pauses);
  const stamp = { step: point.state.step, attempt };
  if (ending) {
    writer.event({ type: 'run_resumed' }, stamp, 'later');
    return { state: { ...point.state, status: 'running' }, context: { phase: 'ending', ending } };
  }
  // Only the user continues a paused group; answers of members are taken first.
  if (point.state.group?.paused && point.state.pending.length === 0 && !point.state.budgetInterrupt) return point;
  const answersById = new Map(inboxItems.answers.map(({ interruptId, answer }) => [interruptId, answer]));
  const { point: next, answered, stillOpen } = answerInterrupts(point, answersById, over);
  for (const { interruptId, answer } of answered) {
    writer.event({ type: 'interrupt_answered', interruptId, answer }, stamp, 'later');
    if (!answersById.has(interruptId)) writer.answered(interruptId, answer);
  }
  if (stillOpen.length > 0) return next;
  writer.event({ type: 'run_resumed' }, stamp, 'later');
  // Time spent waiting for the user does not count towards the time limit.
  const startedAt = next.state.startedAt + Math.max(0, clock.now() - run.updatedAt);
  return { ...next, state: { ...next.state, startedAt } };
}
