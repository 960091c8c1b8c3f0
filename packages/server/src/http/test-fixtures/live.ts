import type { LiveEvent, RunEvent } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import type { LiveBatch, LiveHub, LiveStreams } from '../../services.ts';

/** Live services for tests of the door: what is stored, then what comes, without the care the real ones take. */
export function createTestLive(storage: Storage): { hub: LiveHub; streams: LiveStreams } {
  const listeners = new Set<{ ownerId: string; tell: (events: readonly LiveEvent[]) => void }>();
  const tell = (ownerId: string | null, events: readonly LiveEvent[]): void => {
    for (const listener of listeners) if (ownerId === null || listener.ownerId === ownerId) listener.tell(events);
  };

  const hub: LiveHub = {
    subscribe(ownerId, listener) {
      const entry = { ownerId, tell: listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    runEvents: (ownerId, events) =>
      tell(
        ownerId,
        events.map((event) => ({ type: 'run', event })),
      ),
    changed: (ownerId, what, id) => tell(ownerId, [{ type: 'changed', what, ...(id === undefined ? {} : { id }) }]),
  };

  /** What is told to an owner from now on, until the signal. */
  async function* listen(ownerId: string, signal: AbortSignal): AsyncGenerator<readonly LiveEvent[]> {
    const waiting: (readonly LiveEvent[])[] = [];
    let wake = (): void => {};
    const stop = hub.subscribe(ownerId, (events) => {
      waiting.push(events);
      wake();
    });
    signal.addEventListener('abort', () => wake(), { once: true });
    try {
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next) yield next;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      stop();
    }
  }

  return {
    hub,
    streams: {
      async readRun(principal, runId, afterSeq, signal) {
        const stored = storage.runs.readEvents(principal, runId, afterSeq, 1000);
        return stored === null ? null : readRun(stored, runId, listen(principal.ownerId, signal));
      },
      async *readAll(principal, cursor, signal): AsyncGenerator<LiveBatch> {
        let count = Number(cursor ?? 0);
        yield { events: [{ type: 'hello', boot: 'boot-1', version: 'test' }], cursor: String(count) };
        for await (const events of listen(principal.ownerId, signal)) yield { events, cursor: String(++count) };
      },
    },
  };
}

async function* readRun(
  stored: readonly RunEvent[],
  runId: string,
  coming: AsyncIterable<readonly LiveEvent[]>,
): AsyncGenerator<readonly RunEvent[]> {
  yield stored;
  if (stored.at(-1)?.type === 'run_finished') return;
  for await (const events of coming) {
    const own = events.flatMap((each) => (each.type === 'run' && each.event.runId === runId ? [each.event] : []));
    yield own;
    if (own.at(-1)?.type === 'run_finished') return;
  }
}
