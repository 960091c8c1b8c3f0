import type { Clock } from '@toolyard/protocol';
import { messageOf } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Retention of deltas after a run: a reader that reconnects within this time gets the exact events. */
const KEEP_DELTAS_MS = DAY_MS;
/** Retention of deleted conversations, which can be restored until then. */
const KEEP_DELETED_MS = 30 * DAY_MS;
/** Retention of temporary conversations that their page did not delete. */
const KEEP_TEMPORARY_MS = DAY_MS;
/** Retention of unreferenced files, which may belong to an unsent message. */
const KEEP_UNNAMED_MS = DAY_MS;
/** Retention of offers of a tab that is gone. Whether a tab is open is decided by a much shorter timeout. */
const KEEP_OFFERS_MS = HOUR_MS;
/** Retention of deliveries to incoming webhooks: a repeated one is recognized until then. */
const KEEP_DELIVERIES_MS = 30 * DAY_MS;
/** Finding unreferenced files reads all messages. */
const SWEEP_EVERY_MS = DAY_MS;
/** Long transactions block others, so use small ones. */
const RUNS_AT_ONCE = 20;
const CONVERSATIONS_AT_ONCE = 5;
const PAUSE_MS = 50;

/** Once an hour, deletes data past its retention. Returns a function that stops it. */
export function startHousekeeping(of: {
  storage: Pick<
    SharedStorage,
    'runs' | 'conversations' | 'tabs' | 'sessions' | 'sweepBlobs' | 'idempotencyKeys' | 'rateCounters' | 'triggers'
  >;
  clock: Clock;
  log: (line: string) => void;
}): () => void {
  const { storage, clock, log } = of;
  let cancel: () => void;
  const stopping = new AbortController();
  const { signal } = stopping;
  let next: 'runs' | 'conversations' | 'temporary' | 'blobs' = 'runs';
  let sweptAt = -Infinity;

  async function work(): Promise<void> {
    let wait = PAUSE_MS;
    try {
      if (next === 'runs') {
        const done = await storage.runs.compact(clock.now() - KEEP_DELTAS_MS, RUNS_AT_ONCE);
        if (done < RUNS_AT_ONCE) next = 'conversations';
      } else if (next === 'conversations') {
        const done = await storage.conversations.purgeDeleted(clock.now() - KEEP_DELETED_MS, CONVERSATIONS_AT_ONCE);
        if (done < CONVERSATIONS_AT_ONCE) next = 'temporary';
      } else if (next === 'temporary') {
        const done = await storage.conversations.purgeTemporary(clock.now() - KEEP_TEMPORARY_MS, CONVERSATIONS_AT_ONCE);
        if (done < CONVERSATIONS_AT_ONCE) next = 'blobs';
      } else {
        next = 'runs';
        wait = HOUR_MS;
        await storage.sessions.sweep(clock.now());
        await storage.idempotencyKeys.sweep(clock.now() - DAY_MS);
        await storage.rateCounters.sweep(clock.now() - 2 * DAY_MS);
        await storage.triggers.sweep(clock.now() - KEEP_DELIVERIES_MS);
        await storage.tabs.sweep(clock.now() - KEEP_OFFERS_MS);
        if (clock.monotonic() - sweptAt >= SWEEP_EVERY_MS) {
          sweptAt = clock.monotonic();
          await storage.sweepBlobs({ unusedSince: clock.now() - KEEP_UNNAMED_MS, signal });
        }
      }
    } catch (error) {
      // The storage is closed afterwards.
      if (signal.aborted) return;
      log(`housekeeping: ${messageOf(error)}`);
      wait = HOUR_MS;
    }
    if (!signal.aborted) plan(wait);
  }

  const plan = (ms: number): void => {
    cancel = clock.after(ms, () => void work());
  };
  plan(HOUR_MS);
  return () => {
    stopping.abort();
    cancel();
  };
}
