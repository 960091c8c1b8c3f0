import type { IframeReport } from '../../frames/messages.ts';
import type { BlockedOrigin } from './blocked-requests.ts';
import { addBlocked } from './blocked-requests.ts';

/** What a document reported or wrote to its console: untrusted text. */
export type LogEntry = {
  id: number;
  level: 'error' | 'warn' | 'info';
  text: string;
  line: number | null;
  stack: string;
  /** How often in a row. */
  count: number;
};

const MAX_ENTRIES = 200;

/** The console, the blocked requests and the last link of a frame, since it was loaded. */
export class IframeLog {
  entries: readonly LogEntry[] = $state.raw([]);
  /** Entries that were removed for newer ones. */
  omitted = $state(0);
  blocked: readonly BlockedOrigin[] = $state.raw([]);
  /** A link the document wants to open. */
  link: string | null = $state(null);
  /** Messages were too many or too large. */
  isIncomplete = $state(false);
  readonly errors: number = $derived.by(() => this.entries.filter(({ level }) => level === 'error').length);
  #lastId = 0;

  take(report: IframeReport): void {
    switch (report.kind) {
      case 'console': {
        const level = report.level === 'error' || report.level === 'warn' ? report.level : 'info';
        return this.#add({ level, text: report.text, line: null, stack: '' });
      }
      case 'error':
        return this.#add({ level: 'error', text: report.text, line: report.line, stack: report.stack });
      case 'blocked':
        this.blocked = addBlocked(this.blocked, report.url);
        return;
      case 'link':
        this.link = report.url;
        return;
      case 'size':
        return;
    }
  }

  clear(): void {
    this.entries = [];
    this.omitted = 0;
    this.blocked = [];
    this.link = null;
    this.isIncomplete = false;
  }

  #add(entry: Omit<LogEntry, 'id' | 'count'>): void {
    const last = this.entries.at(-1);
    if (last?.level === entry.level && last.text === entry.text && last.line === entry.line) {
      this.entries = this.entries.with(-1, { ...last, count: last.count + 1 });
      return;
    }
    this.#lastId += 1;
    const entries = [...this.entries, { ...entry, id: this.#lastId, count: 1 }];
    this.omitted += Math.max(0, entries.length - MAX_ENTRIES);
    this.entries = entries.slice(-MAX_ENTRIES);
  }
}
