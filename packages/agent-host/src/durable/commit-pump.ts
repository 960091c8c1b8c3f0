import type { Clock, CommitOutcome, Failpoint, RunCommit, RunEvent, RunStore } from '@toolyard/protocol';

/** A run as the pump sees it. */
export type PumpSource = {
  readonly ownerId: string;
  /** The data to write; null if there is nothing to write. It is in progress until `settled` or `failed` is called. */
  collect(): RunCommit | null;
  settled(outcome: CommitOutcome): void;
  /** The database failed and stored nothing of the collected data. */
  failed(error: unknown): void;
};

/**
 * - `now`: a caller waits for the commit, or a reader for the first words
 * - `soon`: after the delay, or with the next commit of the run
 */
export type Urgency = 'now' | 'soon';

/** What a {@link CommitPump} stores to, and what it notifies. */
export type CommitPumpOptions = {
  store: Pick<RunStore, 'commit'>;
  clock: Clock;
  /** Receives events once they are stored. */
  publish: (ownerId: string, events: readonly RunEvent[]) => void;
  /** Called when the database fails; the affected runs are notified separately. */
  onFailure: (error: unknown) => void;
  /** Called after a commit with the number of runs and the duration. */
  onStored?: (runs: number, ms: number) => void;
  failpoint?: Failpoint;
};

/**
 * How long the deltas of a run are collected, in milliseconds: two at 50 tokens per second, which means half the commits
 * and half the writes to readers. Two frames of a screen pass meanwhile.
 */
const DELAY_MS = 30;
/** Interval between groups, in milliseconds: small groups block the event loop only briefly. */
const INTERVAL_MS = 8;
/** Maximum time left to other work after a slow commit, in milliseconds. */
const MAX_REST_MS = 15;
/** Timers may fire this much too early. */
const EARLY_MS = 1;

/**
 * Commits the data of all runs of the process in groups: one transaction at a time, and no event is published before it
 * is stored.
 *
 * A run is written when its oldest delta is 30 ms old. Runs do not wait for each other: a group contains those whose
 * delay has passed.
 *
 * @example
 * const publish = (_ownerId: string, events: readonly RunEvent[]): void => show(events);
 * const pump = new CommitPump({ store, clock: systemClock, publish, onFailure: log });
 * await pump.drain();
 */
export class CommitPump {
  readonly #options: CommitPumpOptions;
  /** When each run is due by the monotonic clock; `-Infinity` if a caller waits. */
  readonly #due = new Map<PumpSource, number>();
  #timer: { due: number; cancel: () => void } | null = null;
  #queued = false;
  /** Another group was requested during a commit. */
  #again = false;
  #flushing: Promise<void> | null = null;
  /** Earliest start of the next group. */
  #notBefore = -Infinity;

  constructor(options: CommitPumpOptions) {
    this.#options = options;
  }

  /** Schedules a commit of `source`. */
  need(source: PumpSource, urgency: Urgency): void {
    if (urgency === 'now') {
      this.#due.set(source, -Infinity);
      this.#queue();
      return;
    }
    const now = this.#options.clock.monotonic();
    if (this.#due.has(source)) return;
    this.#due.set(source, now + DELAY_MS);
    if (!this.#queued && !this.#flushing) this.#wakeFor(now + DELAY_MS, now);
  }

  /** Resolves once all data that waits now is stored or rejected. */
  async drain(): Promise<void> {
    while (this.#due.size > 0 || this.#flushing) {
      for (const source of this.#due.keys()) this.#due.set(source, -Infinity);
      this.#queue();
      await (this.#flushing ?? Promise.resolve());
    }
  }

  /** Schedules a group for when a run is due, and not before the next interval. */
  #wakeFor(runDue: number, now: number): void {
    const due = Math.max(runDue, this.#notBefore);
    if (due <= now) {
      this.#queue();
      return;
    }
    if (this.#timer && this.#timer.due <= due) return;
    this.#timer?.cancel();
    this.#timer = { due, cancel: this.#options.clock.after(due - now, () => this.#wake()) };
  }

  /** An earlier group may have taken the data: the timer still fires, which is cheaper than replacing it each time. */
  #wake(): void {
    this.#timer = null;
    // Another group follows anyway.
    if (this.#queued || this.#flushing) return;
    this.#wakeForOldest(this.#options.clock.monotonic() + EARLY_MS);
  }

  #wakeForOldest(now: number): void {
    if (this.#due.size > 0) this.#wakeFor(Math.min(...this.#due.values()), now);
  }

  /** In a microtask, so that writes of several runs in the same turn become one transaction. */
  #queue(): void {
    if (this.#queued) return;
    this.#queued = true;
    queueMicrotask(() => {
      this.#queued = false;
      if (this.#flushing) {
        this.#again = true;
        return;
      }
      this.#flushing = this.#flush().finally(() => {
        this.#flushing = null;
        if (this.#again) this.#queue();
        else this.#wakeForOldest(this.#options.clock.monotonic());
        this.#again = false;
      });
    });
  }

  async #flush(): Promise<void> {
    const sources: PumpSource[] = [];
    const items: RunCommit[] = [];
    const now = this.#options.clock.monotonic();
    for (const [source, due] of this.#due) {
      if (due > now + EARLY_MS) continue;
      this.#due.delete(source);
      const item = source.collect();
      if (!item) continue;
      sources.push(source);
      items.push(item);
    }
    if (items.length === 0) return;

    const outcomes = await this.#commit(items, sources);
    for (const [index, outcome] of outcomes.entries()) {
      const source = sources[index];
      const item = items[index];
      if (!source || !item) continue;
      if (outcome.outcome === 'committed' && item.events.length > 0) {
        this.#options.publish(source.ownerId, item.events);
      }
      source.settled(outcome);
    }
  }

  async #commit(items: readonly RunCommit[], sources: readonly PumpSource[]): Promise<readonly CommitOutcome[]> {
    const { store, clock, failpoint, onFailure } = this.#options;
    try {
      if (failpoint) for (const item of items) for (const place of placesBefore(item)) await failpoint(place);
      const startedAt = clock.monotonic();
      const committed = store.commit(items);
      const outcomes = committed instanceof Promise ? await committed : committed;
      const cost = clock.monotonic() - startedAt;
      this.#notBefore = startedAt + Math.max(INTERVAL_MS, cost + Math.min(cost, MAX_REST_MS));
      this.#options.onStored?.(items.length, cost);
      if (failpoint) for (const item of items) for (const place of placesAfter(item)) await failpoint(place);
      return outcomes;
    } catch (error) {
      for (const source of sources) source.failed(error);
      onFailure(error);
      return [];
    }
  }
}

function placesBefore(item: RunCommit): string[] {
  const streaming = item.events.some(({ type }) => type === 'text_delta' || type === 'reasoning_delta');
  return [...(streaming ? ['run:streaming'] : []), ...(item.state ? ['run:step'] : [])];
}

function placesAfter({ state, status }: RunCommit): string[] {
  const places = state ? ['run:stepped'] : [];
  if (status === 'parked') places.push('run:parked');
  if (status === 'done' || status === 'failed' || status === 'cancelled') places.push('run:finished');
  return places;
}
