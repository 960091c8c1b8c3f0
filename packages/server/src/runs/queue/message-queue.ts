import type {
  ChangeQueuedMessage,
  Clock,
  Owner,
  QueuedMessage,
  RunRecord,
  SendMessage,
  UserMessage,
  UserPart,
  ToolyardError,
} from '@toolyard/protocol';
import { defined, isStorageFault, messageOf, say } from '@toolyard/protocol';
import type { StoredConversation, SharedStorage } from '@toolyard/storage';
import { createNotFoundError } from '../../errors.ts';
import { readStoredConfiguration } from '../../config/agent-configuration.ts';
import type { LiveHub } from '../../services.ts';
import type { RunWorkerPool } from '../worker/run-worker-pool.ts';
import { queuedMessageBody } from './run-inbox.ts';
import { getMention } from '../start/mention.ts';
import type { StartOutcome, StartRun } from '../start/start-run.ts';

export type MessageQueueOptions = {
  storage: Pick<SharedStorage, 'queue' | 'conversations' | 'runs' | 'agents'>;
  pool: RunWorkerPool;
  hub: LiveHub;
  clock: Clock;
  /** Moves large media of the parts into the blob store. */
  keepMedia: (principal: Owner, parts: UserPart[]) => Promise<UserPart[]>;
  start: StartRun;
  log: (line: string) => void;
};

/** Messages sent during a run are queued here, and sent in order. */
export class MessageQueue {
  readonly #options: MessageQueueOptions;
  /**
   * Messages that failed to start a run: their owners see them in the queue, and they are not retried automatically.
   */
  readonly #refused = new Set<string>();

  constructor(options: MessageQueueOptions) {
    this.#options = options;
  }

  /** Null if the message has been sent already. */
  async add(principal: Owner, message: Omit<QueuedMessage, 'createdAt'>): Promise<QueuedMessage | null> {
    const { storage, clock, hub } = this.#options;
    const queued = await storage.queue.add(principal, { ...message, at: clock.now() });
    hub.changed(principal.ownerId, 'queue', message.conversationId);
    return queued;
  }

  async change(
    principal: Owner,
    conversationId: string,
    id: string,
    change: ChangeQueuedMessage,
  ): Promise<QueuedMessage> {
    const { storage, hub, keepMedia } = this.#options;
    const parts = change.parts && (await keepMedia(principal, change.parts));
    const changed = await storage.queue.change(principal, conversationId, id, {
      ...change,
      ...defined({ parts }),
    });
    if (!changed) throw createNotQueuedError(id);
    hub.changed(principal.ownerId, 'queue', conversationId);
    return changed;
  }

  async remove(principal: Owner, conversationId: string, id: string): Promise<void> {
    const { storage, hub } = this.#options;
    if (!(await storage.queue.remove(principal, conversationId, id))) throw createNotQueuedError(id);
    hub.changed(principal.ownerId, 'queue', conversationId);
  }

  /**
   * Sends a queued message now. The current run is cancelled, and the request is stored with it: the message is sent
   * even if the process crashes in between.
   */
  async sendNow(principal: Owner, conversationId: string, id: string): Promise<void> {
    await this.#putFirst(principal, conversationId, id);
    const outcome = await this.#send(principal, conversationId, id);
    if (outcome === 'gone') throw createNotQueuedError(id);
    if (outcome.started) return;
    const { storage, pool, clock } = this.#options;
    const item = { id: `send:${id}`, kind: 'message' as const, body: queuedMessageBody(id), at: clock.now() };
    const put = await storage.runs.putInbox(principal, outcome.busyWith, item);
    if (put.outcome === 'put' || put.outcome === 'exists') await pool.wake(outcome.busyWith);
    const run = await storage.runs.getRun(principal, outcome.busyWith);
    // The run ended by itself in the same moment.
    if (!run || run.endedAt !== null) await this.#send(principal, conversationId, id);
  }

  /** Applies what the sender wants of a queued message during a run. Idempotent. */
  async press(
    principal: Owner,
    { id, conversationId, agentId }: QueuedMessage,
    whenBusy: SendMessage['whenBusy'],
    busyWith: string,
  ): Promise<void> {
    if (whenBusy === 'interrupt') {
      await this.sendNow(principal, conversationId, id);
      return;
    }
    // Another agent does not answer within the run of this one.
    if (whenBusy === 'steer' && agentId === undefined) await this.#steer(principal, busyWith, id);
    // The run may have ended while the message was being stored.
    const busy = await this.#options.storage.runs.getRun(principal, busyWith);
    if (busy && busy.endedAt !== null) await this.afterRun(principal, conversationId, busy.status, null);
  }

  /**
   * The current run takes the queued message in before its next step; if it has ended, the message is sent in order.
   */
  async #steer(principal: Owner, runId: string, id: string): Promise<void> {
    const { storage, pool, hub, clock } = this.#options;
    const item = { id: `steer:${id}`, kind: 'steer' as const, body: queuedMessageBody(id), at: clock.now() };
    const { outcome } = await storage.runs.putInbox(principal, runId, item);
    if (outcome !== 'put' && outcome !== 'exists') return;
    await pool.wake(runId);
    const run = await storage.runs.getRun(principal, runId);
    if (run) hub.changed(principal.ownerId, 'queue', run.conversationId);
    // The run's tab polls for messages.
    if (run?.place === 'browser') hub.changed(principal.ownerId, 'tab_calls', run.conversationId);
  }

  /** After a run: sends the message it was cancelled for, or, if it completed, the next one. */
  async afterRun(
    principal: Owner,
    conversationId: string,
    status: RunRecord['status'],
    sendNext: string | null,
  ): Promise<void> {
    if (sendNext !== null) {
      const outcome = await this.#send(principal, conversationId, sendNext);
      if (outcome !== 'gone') return;
    }
    if (status !== 'done') return;
    const [next] = await this.#options.storage.queue.list(principal, conversationId);
    if (next) await this.#send(principal, conversationId, next.id);
  }

  /** Sends messages that a crashed process, or one without storage, could not send. */
  async sendDue(): Promise<void> {
    for (const { ownerId, conversationId, id } of await this.#options.storage.queue.due()) {
      if (this.#refused.has(id)) continue;
      try {
        await this.#send({ ownerId }, conversationId, id);
      } catch (error) {
        if (isStorageFault(error)) throw error;
        this.#refused.add(id);
        this.#options.log(`queued message ${id}: ${messageOf(error)}`);
      }
    }
  }

  async #putFirst(principal: Owner, conversationId: string, id: string): Promise<void> {
    const { queue } = this.#options.storage;
    const [first] = await queue.list(principal, conversationId);
    if (!first || first.id === id) return;
    await this.change(principal, conversationId, id, { before: first.id });
  }

  async #send(principal: Owner, conversationId: string, id: string): Promise<StartOutcome | 'gone'> {
    const { storage, clock, start } = this.#options;
    const conversation = await storage.conversations.get(principal, conversationId);
    const queued = conversation && (await storage.queue.get(principal, conversationId, id));
    if (!queued) return 'gone';
    const mention = await getMention(principal, queued.agentId, storage.agents);
    const userMessage: UserMessage = { ...toUserMessage(queued, conversation, clock.now()), ...mention };
    return start(principal, {
      runId: id,
      conversation,
      userMessage,
      begins: { with: 'message', queuedMessageId: id },
      configuration: readStoredConfiguration(queued.configuration),
      ...defined({ agentId: queued.agentId }),
    });
  }
}

function toUserMessage({ id, parts }: QueuedMessage, conversation: StoredConversation, createdAt: number): UserMessage {
  return { id, parentId: conversation.leafId, createdAt, role: 'user', parts };
}

function createNotQueuedError(id: string): ToolyardError {
  return createNotFoundError(say`There is no queued message ${id}.`, say`It was already sent or deleted.`);
}
