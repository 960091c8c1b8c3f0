import type { LogEntry } from '../types.ts';

const EVENTS_KEPT = 100;
const SERVER_LINES_KEPT = 100;
const LONGEST_TEXT = 2_000;

/** A line with its number, which grows with every line of the server. */
export type NumberedEntry = LogEntry & { number: number };

/**
 * What happened on one connection, bounded. What the server prints is counted apart from our own events, so that a
 * chatty server cannot push out the account of why it failed.
 */
export class ServerLog {
  #events: NumberedEntry[] = [];
  #serverLines: NumberedEntry[] = [];
  #last = 0;

  add(entry: LogEntry, source?: 'server'): void {
    const text = entry.text.length > LONGEST_TEXT ? `${entry.text.slice(0, LONGEST_TEXT)} …` : entry.text;
    const ring = source === 'server' ? this.#serverLines : this.#events;
    ring.push({ ...entry, text, number: ++this.#last });
    if (ring.length > (source === 'server' ? SERVER_LINES_KEPT : EVENTS_KEPT)) ring.shift();
  }

  /** Oldest first. */
  entries(): LogEntry[] {
    return this.numbered().map(({ number: _number, ...entry }) => entry);
  }

  numbered(): NumberedEntry[] {
    return [...this.#events, ...this.#serverLines].sort((a, b) => a.number - b.number);
  }
}
