import type { LogEntry } from '../types.ts';
import { cut, SERVER_LIMITS } from '../values/server-limits.ts';

const EVENTS_KEPT = 100;
const SERVER_LINES_KEPT = 100;

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

  /** Returns the entry as it was added. */
  add(entry: LogEntry, source?: 'server'): LogEntry {
    const added = { ...entry, text: cut(entry.text, SERVER_LIMITS.logLine) };
    const ring = source === 'server' ? this.#serverLines : this.#events;
    ring.push({ ...added, number: ++this.#last });
    if (ring.length > (source === 'server' ? SERVER_LINES_KEPT : EVENTS_KEPT)) ring.shift();
    return added;
  }

  /** Oldest first. */
  entries(): LogEntry[] {
    return this.numbered().map(({ number: _number, ...entry }) => entry);
  }

  numbered(): NumberedEntry[] {
    return [...this.#events, ...this.#serverLines].sort((a, b) => a.number - b.number);
  }
}
