import type { Clock, LiveEvent, Owner, RunEvent, RunRecord, RunStatus, RunStore } from '@toolyard/protocol';
import { defined, VERSION } from '@toolyard/protocol';
import type { LiveBatch } from '../services.ts';
import { isInboxEvent } from './inbox-events.ts';
import { EventBacklog } from './backlog.ts';
import type { LivePosition } from './cursor.ts';
import { formatCursor, parseCursor } from './cursor.ts';
import type { RunHub } from './hub.ts';
import { toLiveEvent } from './hub.ts';
import { isOverAt, storedEvents } from './stored-events.ts';

type AllReaderOptions = {
  store: Pick<RunStore, 'getRun' | 'listRuns' | 'readEvents'>;
  hub: RunHub;
  clock: Clock;
  boot: string;
  maxBacklog?: number;
};

/** A run is stored slightly before its first event is published, maybe after a run that started later. */
const SLACK_MS = 1_000;
const PAGE = 100;
/** A reader that missed more runs than this starts again with the active ones. */
const MOST_RUNS = 1_000;
const WAITING: readonly RunStatus[] = ['parked', 'waiting_for_tab'];
const ACTIVE: readonly RunStatus[] = ['queued', 'running', 'parked', 'waiting_for_tab'];

/** All events of one owner: of active runs, of runs missed since the cursor, and live ones. */
export async function* readAllEvents(
  options: AllReaderOptions,
  principal: Owner,
  cursor: string | null,
  signal: AbortSignal,
): AsyncGenerator<LiveBatch, undefined> {
  const { store, hub, clock, boot } = options;
  const position = (cursor === null ? null : parseCursor(cursor)) ?? (await positionNow(store, principal));
  let { settledUntil } = position;
  let seqs = new Map(position.runs);
  const backlog = new EventBacklog<LiveEvent>({
    clock,
    isUrgent: (live) => live.type === 'run' && isInboxEvent(live.event),
    signal,
    max: options.maxBacklog,
  });
  const unsubscribe = hub.listen(principal.ownerId, {
    receive: (events) => backlog.push(events),
    missed: () => backlog.lose(),
  });
  /** Completely read runs: their late notifications are ignored. */
  const over = new Set<string>();
  /** Start times of runs that the cursor must contain, because a reader that reconnects would consider them missed. */
  const recentlyStarted = new Map<string, number>();

  async function batch(events: readonly LiveEvent[]): Promise<LiveBatch> {
    for (const live of events) {
      if (live.type !== 'run' || live.event.type !== 'run_finished') continue;
      await settle(live.event.runId, await store.getRun(principal, live.event.runId));
    }
    return { events, cursor: formatCursor({ settledUntil, runs: seqs }) };
  }

  /** Returns the `events` that this reader has not had, and records them. */
  function fresh(events: readonly RunEvent[]): RunEvent[] {
    return events.filter(({ runId, seq, type }) => {
      if (over.has(runId) || seq <= (seqs.get(runId) ?? 0)) return false;
      if (type === 'run_finished') over.add(runId);
      seqs.set(runId, seq);
      return true;
    });
  }

  /** Advances to the start of this run; runs that ended before are dropped from the cursor. */
  async function settle(runId: string, run: RunRecord | null): Promise<void> {
    if (run === null) seqs.delete(runId);
    else recentlyStarted.set(runId, run.createdAt);
    if (run !== null && run.createdAt > settledUntil) {
      // Pending runs have no events yet but were stored before that time, so the cursor must contain them.
      for (const { id } of await listWhile(store, principal, ACTIVE, () => true)) if (!seqs.has(id)) seqs.set(id, 0);
      settledUntil = run.createdAt;
    }
    for (const [id, createdAt] of recentlyStarted) {
      if (createdAt >= settledUntil - SLACK_MS) continue;
      recentlyStarted.delete(id);
      seqs.delete(id);
    }
  }

  async function* replay(runId: string): AsyncGenerator<LiveBatch, undefined> {
    for await (const stored of storedEvents(store, principal, runId, seqs.get(runId) ?? 0)) {
      const events = fresh(stored);
      if (events.length > 0) yield await batch(events.map(toLiveEvent));
    }
    const run = await store.getRun(principal, runId);
    if (run !== null && !isOverAt(run, seqs.get(runId) ?? 0)) return;
    over.add(runId);
    await settle(runId, run);
  }

  try {
    while (!signal.aborted) {
      backlog.restart();
      // From here on the cursor contains all missed runs.
      seqs = await startingPoints(store, principal, settledUntil, seqs);
      yield await batch([{ type: 'hello', boot, version: VERSION }]);
      for (const runId of [...seqs.keys()]) {
        if (signal.aborted) return;
        yield* replay(runId);
      }
      while (!signal.aborted && !backlog.overrun) {
        const newEvents = await backlog.take();
        if (newEvents.length === 0) continue;
        const events: LiveEvent[] = [];
        for (const event of newEvents) {
          if (event.type !== 'run') {
            events.push(event);
            continue;
          }
          const { runId, seq } = event.event;
          if (!over.has(runId) && seq > (seqs.get(runId) ?? 0) + 1) {
            // Events published before this reader subscribed are in the store.
            if (events.length > 0) yield await batch(events.splice(0));
            yield* replay(runId);
          } else if (fresh([event.event]).length > 0) {
            events.push(event);
          }
        }
        if (events.length > 0) yield await batch(events);
      }
    }
  } finally {
    unsubscribe();
  }
}

/**
 * Position of a new reader: after ended runs, and at the end of parked ones. Their content is loaded with the
 * conversation; streams need not repeat it.
 */
async function positionNow(store: Pick<RunStore, 'listRuns'>, principal: Owner): Promise<LivePosition> {
  const [newest] = await store.listRuns(principal, { limit: 1 });
  const settledUntil = newest?.createdAt ?? 0;
  const since = settledUntil - SLACK_MS;
  const latest = await listWhile(store, principal, undefined, ({ createdAt }) => createdAt >= since);
  const ended = latest.filter(({ endedAt }) => endedAt !== null);
  const waiting = await listWhile(store, principal, WAITING, () => true);
  return { settledUntil, runs: new Map([...ended, ...waiting].map(({ id, lastSeq }) => [id, lastSeq])) };
}

/** The runs to read and their positions: those of the cursor, active ones, and those started since. */
async function startingPoints(
  store: Pick<RunStore, 'listRuns'>,
  principal: Owner,
  settledUntil: number,
  named: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const runs = await listWhile(store, principal, ACTIVE, () => true);
  const since = settledUntil - SLACK_MS;
  runs.push(...(await listWhile(store, principal, undefined, ({ createdAt }) => createdAt >= since)));
  const seqs = new Map(named);
  // In order of their start.
  for (const { id } of runs.sort((a, b) => a.createdAt - b.createdAt)) if (!seqs.has(id)) seqs.set(id, 0);
  return seqs;
}

async function listWhile(
  store: Pick<RunStore, 'listRuns'>,
  principal: Owner,
  statuses: readonly RunStatus[] | undefined,
  isWanted: (run: RunRecord) => boolean,
): Promise<RunRecord[]> {
  const found: RunRecord[] = [];
  let before: string | undefined;
  while (found.length < MOST_RUNS) {
    const query = { limit: PAGE, ...defined({ statuses, before }) };
    const page = await store.listRuns(principal, query);
    const kept = page.filter(isWanted);
    found.push(...kept);
    before = page.at(-1)?.id;
    if (page.length < PAGE || kept.length < page.length) break;
  }
  return found;
}
