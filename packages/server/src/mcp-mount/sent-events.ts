import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** Maximum number of messages kept per session, across all its streams. */
const MOST_EVENTS = 1_000;
const MOST_CHARACTERS = 4 * 1_024 * 1_024;

type Sent = { id: string; streamId: string; message: JSONRPCMessage; size: number };

/**
 * The last messages of one session, so that a client can resume a broken stream (`Last-Event-ID`). The oldest are
 * dropped first; resuming after a dropped one is rejected, so that no message is skipped.
 */
export class SentEvents implements EventStore {
  readonly #sent: Sent[] = [];
  #last = 0;
  #size = 0;

  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const id = String(++this.#last);
    const size = JSON.stringify(message).length;
    this.#sent.push({ id, streamId, message, size });
    this.#size += size;
    // Always keep the newest, which is about to be sent.
    while (this.#sent.length > 1 && (this.#sent.length > MOST_EVENTS || this.#size > MOST_CHARACTERS)) {
      this.#size -= this.#sent.shift()?.size ?? 0;
    }
    return Promise.resolve(id);
  }

  getStreamIdForEventId(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#sent.find((one) => one.id === id)?.streamId);
  }

  async replayEventsAfter(
    id: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.#sent.findIndex((one) => one.id === id);
    const streamId = this.#sent[at]?.streamId;
    if (streamId === undefined) throw new Error('The event is unknown or was dropped.');
    for (const one of this.#sent.slice(at + 1)) {
      // Events that only prime a stream contain no message.
      if (one.streamId === streamId && 'jsonrpc' in one.message) await send(one.id, one.message);
    }
    return streamId;
  }
}
