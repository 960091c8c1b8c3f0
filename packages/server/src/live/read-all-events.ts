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

/** A run is stored a little before the first that is heard of it, maybe after one that began later. */
const SLACK_MS = 1_000;
const PAGE = 100;
/** Who was away for longer than so many runs begins anew with what goes on now. */
const MOST_RUNS = 1_000;
const WAITING: readonly RunStatus[] = ['parked', 'waiting_for_tab'];
const ACTIVE: readonly RunStatus[] = ['queued', 'running', 'parked', 'waiting_for_tab'];

/** Everything of one owner: the runs that go on, those missed since the cursor, and all that comes. */
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
    max: options.maxBacklog,
  });
  const unsubscribe = hub.listen(principal.ownerId, {
    heard: (events) => backlog.push(events),
    missed: () => backlog.lose(),
  });
  /** Runs read to their end: what is still told of them is known. */
  const over = new Set<string>();
  /** When those of them began that the cursor has to name: a reader who comes back would take them for missed. */
  const lately = new Map<string, number>();

  async function batch(events: readonly LiveEvent[]): Promise<LiveBatch> {
    for (const live of events) {
      if (live.type !== 'run' || live.event.type !== 'run_finished') continue;
      await settle(live.event.runId, await store.getRun(principal, live.event.runId));
    }
    return { events, cursor: formatCursor({ settledUntil, runs: seqs }) };
  }

  /** Notes what of `events` is new to this reader. */
  function fresh(events: readonly RunEvent[]): RunEvent[] {
    return events.filter(({ runId, seq, type }) => {
      if (over.has(runId) || seq <= (seqs.get(runId) ?? 0)) return false;
      if (type === 'run_finished') over.add(runId);
      seqs.set(runId, seq);
      return true;
    });
  }

  /** Moves on to when this run began; what ended before is not named any more. */
  async function settle(runId: string, run: RunRecord | null): Promise<void> {
    if (run === null) seqs.delete(runId);
    else lately.set(runId, run.createdAt);
    if (run !== null && run.createdAt > settledUntil) {
      // What waits to begin has told nothing so far: it is named, for it was stored before that time.
      for (const { id } of await listWhile(store, principal, ACTIVE, () => true)) if (!seqs.has(id)) seqs.set(id, 0);
      settledUntil = run.createdAt;
    }
    for (const [id, createdAt] of lately) {
      if (createdAt >= settledUntil - SLACK_MS) continue;
      lately.delete(id);
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
      // All that was missed is named in the cursor from here on.
      seqs = await startingPoints(store, principal, settledUntil, seqs);
      yield await batch([{ type: 'hello', boot, version: VERSION }]);
      for (const runId of [...seqs.keys()]) {
        if (signal.aborted) return;
        yield* replay(runId);
      }
      while (!signal.aborted && !backlog.overrun) {
        const came = await backlog.take(signal);
        if (came.length === 0) continue;
        const events: LiveEvent[] = [];
        for (const event of came) {
          if (event.type !== 'run') {
            events.push(event);
            continue;
          }
          const { runId, seq } = event.event;
          if (!over.has(runId) && seq > (seqs.get(runId) ?? 0) + 1) {
            // Something came before this reader listened: it is stored.
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
 * Where a new reader stands: behind runs that are over, and at the end of those that wait for somebody. Opening the
 * conversation brings what was said in them; each stream would bring it again to everyone.
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

/** Which runs are to be read, and from where: those named, those that go on, and those begun since. */
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
  // The oldest first, as they began.
  for (const { id } of runs.sort((a, b) => a.createdAt - b.createdAt)) if (!seqs.has(id)) seqs.set(id, 0);
  return seqs;
}

async function listWhile(
  store: Pick<RunStore, 'listRuns'>,
  principal: Owner,
  statuses: readonly RunStatus[] | undefined,
  wanted: (run: RunRecord) => boolean,
): Promise<RunRecord[]> {
  const found: RunRecord[] = [];
  let before: string | undefined;
  while (found.length < MOST_RUNS) {
    const query = { limit: PAGE, ...defined({ statuses, before }) };
    const page = await store.listRuns(principal, query);
    const kept = page.filter(wanted);
    found.push(...kept);
    before = page.at(-1)?.id;
    if (page.length < PAGE || kept.length < page.length) break;
  }
  return found;
}
