import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { createParser } from 'eventsource-parser';
import { within } from '@toolyard/testing';

/** When a connection is cut, and how: `how` does it at the other end. */
export type ConnectionCut =
  | { afterBytes: number; how: 'by the reader' | (() => void) }
  /** By the reader, once this is true. */
  | { when: () => boolean };

/** Reads a stream across any number of connections, as an EventSource does: with the id of the last complete event. */
export class ReconnectingReader {
  readonly frames: { event: string; data: unknown }[] = [];
  lastEventId: string | null;

  constructor(lastEventId: string | null = null) {
    this.lastEventId = lastEventId;
  }

  /** One connection, for a minute at most. `over`: the server has ended the stream; `cut`: any other end. */
  read(url: string, path: string, cut?: ConnectionCut): Promise<'over' | 'cut'> {
    return within(this.#read(url, path, cut), { what: `the end of a connection to ${path} after ${this.lastEventId}` });
  }

  async #read(url: string, path: string, cut?: ConnectionCut): Promise<'over' | 'cut'> {
    const headers = this.lastEventId === null ? {} : { 'last-event-id': this.lastEventId };
    const response = await open(`${url}${path}`, headers);
    if (response === null) return 'cut';
    if (response.statusCode === 204) return 'over';
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
    let over = false;
    const parser = createParser({
      onEvent: ({ id, event = '', data }) => {
        if (id !== undefined) this.lastEventId = id;
        over ||= event === 'end';
        this.frames.push({ event, data: JSON.parse(data) });
      },
    });
    const decoder = new TextDecoder();
    let left = cut && 'afterBytes' in cut ? cut.afterBytes : Infinity;
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        const atOther = cut && 'how' in cut && cut.how !== 'by the reader' ? cut.how : null;
        parser.feed(decoder.decode(atOther ? chunk : chunk.subarray(0, left), { stream: true }));
        left -= chunk.length;
        if (cut && 'when' in cut && cut.when()) break;
        if (left > 0) continue;
        if (!atOther) break;
        atOther();
        left = Infinity;
      }
    } catch {
      // Connection reset: data received before counts.
    }
    response.destroy();
    return over ? 'over' : 'cut';
  }
}

/** Null if the server does not accept connections. */
function open(url: string, headers: Record<string, string>): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    request(url, { headers, agent: false })
      .on('response', resolve)
      .on('error', () => resolve(null))
      .end();
  });
}
