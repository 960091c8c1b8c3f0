import type { LogEntry } from '../types.ts';

const EVENTS_KEPT = 100;
const SERVER_LINES_KEPT = 100;
const MAX_TEXT_LENGTH = 2_000;

/** An entry with its number, which increases with every entry of the server. */
export type NumberedEntry = LogEntry & { number: number };

/**
 * The log of one server, bounded. Output of the server has a limit of its own, so that it cannot displace the events
 * that explain a failure.
 */
export class ServerLog {
  #events: NumberedEntry[] = [];
  #serverLines: NumberedEntry[] = [];
  #last = 0;

  add(entry: LogEntry, source?: 'server'): void {
    const text = entry.text.length > MAX_TEXT_LENGTH ? `${entry.text.slice(0, MAX_TEXT_LENGTH)} …` : entry.text;
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
