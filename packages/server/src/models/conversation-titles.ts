import type { Clock, Failpoint, Owner, RunRecord } from '@toolyard/protocol';
import { messageOf } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import type { LiveHub } from '../services.ts';
import type { PresetTasks } from './preset-tasks.ts';
import { SHORT_TASK_TIMEOUT_MS } from './preset-tasks.ts';

/** Longer than the task may take: the claim of a process that is alive does not expire. */
const CLAIM_MS = 2 * SHORT_TASK_TIMEOUT_MS;

/** Generates titles of conversations after an answer, in the background. */
export type ConversationTitles = {
  /** Call when a run has ended: names its conversation, unless it has a name. Never throws. */
  afterRun(run: RunRecord, status: RunRecord['status']): void;
  /** Call when a run starts: its model requests must not wait behind that of the title. */
  beforeRun(conversationId: string): void;
  /** Cancels what is in progress; a later answer generates those titles. */
  close(): Promise<void>;
};

export type ConversationTitlesOptions = {
  storage: { conversations: Pick<SharedStorage['conversations'], 'get' | 'claimTitle' | 'endTitleClaim'> };
  tasks: Pick<PresetTasks, 'run' | 'isAvailable'>;
  hub: Pick<LiveHub, 'changed'>;
  clock: Pick<Clock, 'now'>;
  log: (line: string) => void;
  /** Passed at `title:claimed`, before the model is asked, and at `title:stored`. */
  failpoint?: Failpoint;
};

type Outcome = { title: string } | 'failed' | 'cancelled';

export function createConversationTitles(options: ConversationTitlesOptions): ConversationTitles {
  const { storage, tasks, hub, clock, log, failpoint } = options;
  /** In progress, by conversation. */
  const jobs = new Map<string, { control: AbortController; ended: Promise<void> }>();
  let isClosed = false;

  async function name(principal: Owner, { id, conversationId }: RunRecord, signal: AbortSignal): Promise<void> {
    const { conversations } = storage;
    const conversation = await conversations.get(principal, conversationId);
    if (conversation?.titledBy !== 'message' || conversation.activeRun !== null) return;
    const call = { task: 'title', conversationId, traceId: id } as const;
    if (!(await tasks.isAvailable(principal, call)) || signal.aborted) return;
    // Another process, or this one after a restart, may have started as well.
    const at = clock.now();
    const until = at + CLAIM_MS;
    if (!(await conversations.claimTitle(principal, conversationId, { at, until }))) return;
    await failpoint?.('title:claimed');
    const outcome = await generate(principal, call, signal);
    const title = outcome === 'cancelled' ? {} : { title: outcome === 'failed' ? null : outcome.title };
    const isStored = await conversations.endTitleClaim(principal, conversationId, { until, ...title });
    await failpoint?.('title:stored');
    if (isStored && typeof outcome === 'object') hub.changed(principal.ownerId, 'conversations', conversationId);
  }

  async function generate(
    principal: Owner,
    call: Parameters<PresetTasks['run']>[1],
    cancelled: AbortSignal,
  ): Promise<Outcome> {
    try {
      if (cancelled.aborted) return 'cancelled';
      const events = await tasks.run(principal, call);
      for await (const { event, data } of events(cancelled)) {
        if (event === 'result' && data.task === 'title') return { title: data.value };
        if (event === 'error') return 'failed';
      }
      return cancelled.aborted ? 'cancelled' : 'failed';
    } catch {
      // No text to name, a budget, a missing provider: the beginning of the first message stays the title.
      return cancelled.aborted ? 'cancelled' : 'failed';
    }
  }

  return {
    afterRun(run, status) {
      const { ownerId, conversationId, parentRunId } = run;
      if (isClosed || status !== 'done' || parentRunId !== null || jobs.has(conversationId)) return;
      const control = new AbortController();
      const ended = name({ ownerId }, run, control.signal)
        .catch((error: unknown) => log(`title of conversation ${conversationId}: ${messageOf(error)}`))
        .finally(() => jobs.delete(conversationId));
      jobs.set(conversationId, { control, ended });
    },
    beforeRun: (conversationId) => jobs.get(conversationId)?.control.abort(),
    async close() {
      isClosed = true;
      const all = [...jobs.values()];
      for (const { control } of all) control.abort();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}
