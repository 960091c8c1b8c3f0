import type { InboxItem, InterruptAnswer, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

/** Messages for a run that it acts on. */
export type RunInboxItems = {
  /** Ids of the items that request cancellation; removed when the run ends. */
  cancels: string[];
  /** The queued message to send in its place. */
  sendNext: string | null;
  /** Queued messages to take in before the next step. */
  steers: { itemId: string; queuedMessageId: string }[];
  answers: { itemId: string; interruptId: string; answer: InterruptAnswer }[];
  /** Child runs that have ended. */
  children: { itemId: string; runId: string }[];
  /** Requests to pause the run of a group, or to continue it, in order. */
  pauses: { itemId: string; pauses: boolean }[];
  /** Ids of the items that end a wait for MCP servers. */
  skips: string[];
};

/**
 * Body of the inbox item (kind `message`) that cancels a run for a queued message, and of the one (kind `steer`) that
 * makes the run take it in.
 */
export function queuedMessageBody(queuedMessageId: string): JsonValue {
  return { queuedMessageId };
}

export function readInboxItems(items: readonly InboxItem[]): RunInboxItems {
  const inbox: RunInboxItems = {
    cancels: [],
    sendNext: null,
    steers: [],
    answers: [],
    children: [],
    pauses: [],
    skips: [],
  };
  for (const { id, kind, body } of items) {
    switch (kind) {
      case 'cancel':
        inbox.cancels.push(id);
        break;
      // Stays in the inbox until the message is sent, even if the process crashes in between.
      case 'message':
        if (isJsonObject(body) && typeof body['queuedMessageId'] === 'string') inbox.sendNext = body['queuedMessageId'];
        break;
      case 'answer':
        if (isJsonObject(body) && typeof body['interruptId'] === 'string') {
          // Validated before it was stored.
          const answer = body['answer'] as InterruptAnswer;
          inbox.answers.push({ itemId: id, interruptId: body['interruptId'], answer });
        }
        break;
      case 'child':
        if (isJsonObject(body) && typeof body['runId'] === 'string') {
          inbox.children.push({ itemId: id, runId: body['runId'] });
        }
        break;
      case 'pause':
      case 'resume':
        inbox.pauses.push({ itemId: id, pauses: kind === 'pause' });
        break;
      case 'skip_servers':
        inbox.skips.push(id);
        break;
      // Removed once the message is in the conversation; until then it is queued like any other.
      case 'steer':
        if (isJsonObject(body) && typeof body['queuedMessageId'] === 'string') {
          inbox.steers.push({ itemId: id, queuedMessageId: body['queuedMessageId'] });
        }
        break;
    }
  }
  return inbox;
}
