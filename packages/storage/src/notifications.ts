import type { RunEvent } from '@toolyard/protocol';

/** A run of which somebody was told, and the last event of it he knows. */
export type NotifiedRun = { ownerId: string; runId: string; afterSeq: number };

/**
 * Words between the processes that share a database: what happened, so that others look at once and not at their next
 * turn. Whatever must not be lost is stored elsewhere.
 */
export type NotificationChannel = {
  /** To every other process that listens. Throws where the database cannot be reached. */
  tell(body: string): Promise<void>;
  /**
   * Hears what others tell, each word once.
   *
   * @param missed Called where words may have been lost: look at everything.
   */
  listen(heard: (bodies: readonly string[]) => void, missed: () => void): void;
  /** Reads on in many runs at once: what is stored of each after what is known, run by run in order, up to `limit` events. */
  readOn(runs: readonly NotifiedRun[], limit: number): Promise<readonly RunEvent[]>;
  /** Ends the listening. May be called again. */
  close(): Promise<void>;
};
