import type { Clock, RunJournal, UserMessage, UserPart } from '@toolyard/protocol';
import type { Heard } from '../drive-run.ts';
import type { RunConversation } from './run-conversation.ts';
import type { RunWriter } from './run-writer.ts';

/** Finds a queued message, as it is stored and in the form a model can read; null: it was removed from the queue. */
export type FindQueued = (queuedMessageId: string) => Promise<{ parts: UserPart[]; readable: UserPart[] } | null>;

type RunSteeringOptions = {
  find: FindQueued;
  conversation: RunConversation;
  journal: Pick<RunJournal, 'append'>;
  writer: RunWriter;
  clock: Clock;
};

export type Steer = { queuedMessageId: string; itemId?: string };

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

  listen(steers: readonly Required<Steer>[]): void {
    for (const { itemId, queuedMessageId } of steers) {
      if (this.#heard.has(itemId)) continue;
      this.#heard.add(itemId);
      this.#waiting.push({ itemId, queuedMessageId });
    }
  }

  /** Looks for what was said; what it gives puts that into the conversation, to be stored with the step that hears it. */
  async hear({ find, conversation, journal, writer, clock }: RunSteeringOptions): Promise<Heard> {
    if (this.#waiting.length === 0) return null;
    const steers = this.#waiting;
    const found = await Promise.all(steers.map(({ queuedMessageId }) => find(queuedMessageId)));
    const take = (): void => {
      this.#waiting = this.#waiting.slice(steers.length);
      steers.forEach(({ itemId, queuedMessageId: id }, index) => {
        const queued = found[index];
        // What was taken back in the meantime is not said.
        if (queued) {
          const { parts, readable } = queued;
          const at = { parentId: conversation.leafId, createdAt: clock.now() };
          const message: UserMessage = { id, ...at, role: 'user', parts };
          conversation.hear(message, { ...message, parts: readable });
          journal.append({ type: 'steered', message });
        }
        writer.keep({
          ...(itemId === undefined ? {} : { taken: [itemId] }),
          ...(queued ? { unqueued: [id] } : {}),
        });
      });
    };
    if (found.some((queued) => queued !== null)) return take;
    take();
    return null;
  }
}
