import type { McpLogEntry, McpLogPage } from '@toolyard/protocol';
import type { FailureText } from '../attempt.svelte.ts';
import { failureText } from '../attempt.svelte.ts';

/** Maximum number of entries; the oldest are dropped. */
const MAX_ENTRIES = 1000;
const EVERY_MS = 1000;

/** Source of a log: entries after `after`, or all for null. `whole` replaces the known entries. */
export type ReadLog = (after: string | null) => Promise<McpLogPage & { whole?: true }>;

/** The growing log of a server, polled while it is shown. */
export class LogFollower {
  entries: readonly McpLogEntry[] = $state.raw([]);
  /** False until the first response. */
  known = $state(false);
  error: FailureText | null = $state.raw(null);
  readonly #read: ReadLog;
  #after: string | null = null;

  constructor(read: ReadLog) {
    this.#read = read;
  }

  /** Polls until the returned function is called. */
  start(everyMs = EVERY_MS): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over = false;
    const turn = async (): Promise<void> => {
      // A hidden tab sends no requests.
      if (typeof document === 'undefined' || document.visibilityState === 'visible') await this.read();
      if (!over) timer = setTimeout(() => void turn(), everyMs);
    };
    void turn();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }

  async read(): Promise<void> {
    try {
      const { items, next, whole = false } = await this.#read(this.#after);
      this.#after = next;
      if (whole) this.entries = items;
      else if (items.length > 0) this.#add(items);
      this.known = true;
      this.error = null;
    } catch (thrown) {
      this.error = failureText(thrown);
    }
  }

  /** An entry received twice, as after a restart of the server, is listed once. */
  #add(items: readonly McpLogEntry[]): void {
    const ids = new Set(items.map(({ id }) => id));
    this.entries = [...this.entries.filter(({ id }) => !ids.has(id)), ...items].slice(-MAX_ENTRIES);
  }
}
