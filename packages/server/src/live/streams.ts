import type { Clock, Owner, RunEvent, RunStore } from '@toolyard/protocol';
import type { LiveStreams } from '../services.ts';
import { readAllEvents } from './read-all-events.ts';
import { isInboxEvent } from './inbox-events.ts';
import { EventBacklog } from './backlog.ts';
import type { RunHub } from './hub.ts';
import { isOver, storedEvents } from './stored-events.ts';

export type LiveStreamsOptions = {
  store: Pick<RunStore, 'getRun' | 'listRuns' | 'readEvents'>;
  hub: RunHub;
  clock: Clock;
  /** Identifies this start of the process: a client that sees another value reloads its data. */
  boot: string;
  /** Maximum number of unread events of a slow reader, for tests. */
  maxBacklog?: number;
};

/** Streams that join stored and live events without gaps or duplicates. */
export function createLiveStreams(options: LiveStreamsOptions): LiveStreams {
  return {
    async readRun(principal, runId, afterSeq, signal) {
      if (!(await options.store.getRun(principal, runId))) return null;
      return readRun(options, principal, { runId, afterSeq, signal });
    },
    readAll: (principal, cursor, signal) => readAllEvents(options, principal, cursor, signal),
  };
}

async function* readRun(
  { store, hub, clock, maxBacklog }: LiveStreamsOptions,
  principal: Owner,
  { runId, afterSeq, signal }: { runId: string; afterSeq: number; signal: AbortSignal },
): AsyncGenerator<readonly RunEvent[], undefined> {
  const backlog = new EventBacklog<RunEvent>({ clock, isUrgent: isInboxEvent, signal, max: maxBacklog });
  // Subscribe before reading, so that no event stored from here on is missed.
  const unsubscribe = hub.listenToRun(principal.ownerId, runId, {
    receive: (events) => backlog.push(events),
    missed: () => backlog.lose(),
  });
  let seq = afterSeq;
  try {
    while (!signal.aborted) {
      backlog.restart();
      for await (const events of storedEvents(store, principal, runId, seq)) {
        seq = events.at(-1)?.seq ?? seq;
        yield events;
        if (signal.aborted || events.some(({ type }) => type === 'run_finished')) return;
      }
      // Ended before the cursor, or deleted: no event follows.
      if (await isOver(store, principal, runId, seq)) return;
      while (!signal.aborted && !backlog.overrun) {
        const events = (await backlog.take()).filter((event) => event.seq > seq);
        if (events.length === 0) continue;
        // The events in between were stored by another process.
        if (events[0] !== undefined && events[0].seq > seq + 1) break;
        seq = events.at(-1)?.seq ?? seq;
        yield events;
        if (events.some(({ type }) => type === 'run_finished')) return;
      }
    }
  } finally {
    unsubscribe();
  }
}
