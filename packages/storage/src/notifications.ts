import type { RunEvent } from '@toolyard/protocol';

/** A run that a process follows, and the last event it has. */
export type NotifiedRun = { ownerId: string; runId: string; afterSeq: number };

/**
 * Notifications between the processes that share a database, so that they react at once instead of at their next poll.
 * May be lost: anything that must not be is stored elsewhere.
 */
export type NotificationChannel = {
  /** Notifies all other listening processes. Throws if the database cannot be reached. */
  send(body: string): Promise<void>;
  /**
   * Receives the notifications of other processes, each once.
   *
   * @param onMissed Called if notifications may have been lost: check everything.
   */
  listen(onMessages: (bodies: readonly string[]) => void, onMissed: () => void): void;
  /** Reads the events of many runs after their last known one, run by run in order, at most `limit` events. */
  readEvents(runs: readonly NotifiedRun[], limit: number): Promise<readonly RunEvent[]>;
  /** Stops listening. May be called again. */
  close(): Promise<void>;
};
