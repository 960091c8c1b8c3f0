import type { InboxItem, InterruptAnswer, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

/** What others have said to a run, as far as it acts on it. */
export type RunInboxItems = {
  /** Ids of the items that ask it to stop; they are taken with its end. */
  cancels: string[];
  /** The queued message that is to be sent in its place. */
  sendNext: string | null;
  /** Queued messages the run is to take in before its next step. */
  steers: { itemId: string; queuedMessageId: string }[];
  answers: { itemId: string; interruptId: string; answer: InterruptAnswer }[];
};

/**
 * The body of the inbox item (kind `message`) that stops a run for the sake of a queued message, and of the one (kind
 * `steer`) that has the run take it in.
 */
export function queuedMessageBody(queuedMessageId: string): JsonValue {
  return { queuedMessageId };
}

export function readInboxItems(items: readonly InboxItem[]): RunInboxItems {
  const wishes: RunInboxItems = { cancels: [], sendNext: null, steers: [], answers: [] };
  for (const { id, kind, body } of items) {
    switch (kind) {
      case 'cancel':
        wishes.cancels.push(id);
        break;
      // Not taken by this run: it counts until the message is sent, even if the process dies in between.
      case 'message':
        if (isJsonObject(body) && typeof body['queuedMessageId'] === 'string')
          wishes.sendNext = body['queuedMessageId'];
        break;
      case 'answer':
        if (isJsonObject(body) && typeof body['interruptId'] === 'string') {
          // Stored by the door that checked it.
          const answer = body['answer'] as InterruptAnswer;
          wishes.answers.push({ itemId: id, interruptId: body['interruptId'], answer });
        }
        break;
      // Taken once the message stands in the conversation; until then it waits in the queue as any other.
      case 'steer':
        if (isJsonObject(body) && typeof body['queuedMessageId'] === 'string') {
          wishes.steers.push({ itemId: id, queuedMessageId: body['queuedMessageId'] });
        }
        break;
    }
  }
  return wishes;
}
