import type { Clock, RunJournal, UserPart } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { SteeringMessage } from '../drive-run.ts';
import { addSteering } from '../steering.ts';
import type { RunConversation } from './run-conversation.ts';
import type { RunWriter } from './run-writer.ts';

/**
 * Finds a queued message, in the stored form and in the form that models can read; null: it was removed from the queue.
 */
export type FindQueued = (queuedMessageId: string) => Promise<{ parts: UserPart[]; readable: UserPart[] } | null>;

type RunSteeringOptions = {
  find: FindQueued;
  conversation: RunConversation;
  journal: Pick<RunJournal, 'append'>;
  writer: RunWriter;
  clock: Clock;
};

export type SteeringItem = { queuedMessageId: string; itemId?: string };

/** Messages that users send to a durable run in progress: each waits in the queue and is added before the next step. */
export class RunSteering {
  readonly #known = new Set<string>();
  #waiting: SteeringItem[] = [];

  /** Ids of queued messages that no inbox item names any more: the state of the run keeps them. */
  get unclaimed(): readonly string[] {
    return this.#waiting.flatMap(({ itemId, queuedMessageId }) => (itemId === undefined ? [queuedMessageId] : []));
  }

  /** Messages that were sent while the run was parked. */
  addUnclaimed(ids: readonly string[]): void {
    this.#waiting.push(...ids.map((queuedMessageId) => ({ queuedMessageId })));
  }

  listen(steers: readonly Required<SteeringItem>[]): void {
    for (const { itemId, queuedMessageId } of steers) {
      if (this.#known.has(itemId)) continue;
      this.#known.add(itemId);
      this.#waiting.push({ itemId, queuedMessageId });
    }
  }

  /**
   * Looks up the queued messages; the returned function adds them to the conversation, to be stored with the next step.
   */
  async poll({ find, writer, ...run }: RunSteeringOptions): Promise<SteeringMessage> {
    if (this.#waiting.length === 0) return null;
    const steers = this.#waiting;
    const found = await Promise.all(steers.map(({ queuedMessageId }) => find(queuedMessageId)));
    const take = (): void => {
      this.#waiting = this.#waiting.slice(steers.length);
      steers.forEach(({ itemId, queuedMessageId: id }, index) => {
        const queued = found[index];
        // Null if it was removed from the queue in the meantime.
        if (queued) addSteering(run, { id, ...queued });
        const taken = itemId === undefined ? undefined : [itemId];
        writer.keep({ ...defined({ taken }), ...(queued ? { unqueued: [id] } : {}) }, 'later');
      });
    };
    if (found.some((queued) => queued !== null)) return take;
    take();
    return null;
  }
}
