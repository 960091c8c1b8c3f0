import type { RunConversation, RunWriter } from '@toolyard/agent-host/durable';
import type { Clock, Principal, QueuedMessage, RunJournal, UserMessage } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import type { RunWishes } from './run-inbox.ts';
import { withBlobsInPlace } from './run-media.ts';

export type RunSteeringOptions = {
  principal: Principal;
  storage: Pick<SharedStorage, 'queue' | 'blobs'>;
  conversation: RunConversation;
  journal: Pick<RunJournal, 'append'>;
  writer: RunWriter;
  clock: Clock;
};

type Steer = { queuedMessageId: string; itemId?: string };

/** What a person says to a run under way: it waits in the queue, and stands in the conversation before the next step. */
export class RunSteering {
  readonly #heard = new Set<string>();
  #waiting: Steer[] = [];

  /** Ids of queued messages of which only the state of the run still tells. */
  get carried(): readonly string[] {
    return this.#waiting.flatMap(({ itemId, queuedMessageId }) => (itemId === undefined ? [queuedMessageId] : []));
  }

  /** What a run that rested was told meanwhile. */
  carry(ids: readonly string[]): void {
    this.#waiting.push(...ids.map((queuedMessageId) => ({ queuedMessageId })));
  }

  listen(steers: RunWishes['steers']): void {
    for (const steer of steers) {
      if (this.#heard.has(steer.itemId)) continue;
      this.#heard.add(steer.itemId);
      this.#waiting.push(steer);
    }
  }

  /** Puts into the conversation what was said; true where there was anything. */
  async hear(options: RunSteeringOptions): Promise<boolean> {
    if (this.#waiting.length === 0) return false;
    const { principal, storage, conversation, journal, writer, clock } = options;
    const steers = this.#waiting;
    const found = await Promise.all(
      steers.map(({ queuedMessageId }) => storage.queue.get(principal, conversation.id, queuedMessageId)),
    );
    const readable = await Promise.all(
      found.map(async (queued) =>
        queued ? withBlobsInPlace(messageOf(queued, null, 0), storage.blobs, principal) : null,
      ),
    );
    // From here on nothing is waited for: all of it is stored at once.
    this.#waiting = this.#waiting.slice(steers.length);
    let isSaid = false;
    steers.forEach(({ itemId }, index) => {
      const queued = found[index];
      const parts = readable[index]?.role === 'user' ? readable[index].parts : [];
      // What was taken back in the meantime is not said.
      if (queued) {
        const message = messageOf(queued, conversation.leafId, clock.now());
        conversation.hear(message, { ...message, parts });
        journal.append({ type: 'steered', message });
        isSaid = true;
      }
      writer.keep({
        ...(itemId === undefined ? {} : { taken: [itemId] }),
        ...(queued ? { unqueued: [queued.id] } : {}),
      });
    });
    return isSaid;
  }
}

function messageOf({ id, parts }: QueuedMessage, parentId: string | null, createdAt: number): UserMessage {
  return { id, parentId, createdAt, role: 'user', parts };
}
