import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** What is kept of a session for clients that come back, over all its streams. */
const MOST_EVENTS = 1_000;
const MOST_CHARACTERS = 4 * 1_024 * 1_024;

type Sent = { id: string; streamId: string; message: JSONRPCMessage; size: number };

/**
 * The last messages of one session, so that a client whose stream was cut gets the rest of it (`Last-Event-ID`). The
 * oldest are forgotten first; who asks for what came after a forgotten one is refused, and never told half.
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
    // The newest stays, however large: somebody is just about to be sent it.
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
    if (streamId === undefined) throw new Error('The event is not known, or no longer.');
    for (const one of this.#sent.slice(at + 1)) {
      // What only primes a stream carries no message.
      if (one.streamId === streamId && 'jsonrpc' in one.message) await send(one.id, one.message);
    }
    return streamId;
  }
}
