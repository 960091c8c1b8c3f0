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
 * - `now`: a caller waits for the commit
 * - `soon`: a reader waits for the event: at once after a pause, otherwise with the next group
 * - `later`: with the next group
 */
export type Urgency = 'now' | 'soon' | 'later';

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
  /** Maximum delay of a delta before it is written, in milliseconds; approximate. */
  maxDelayMs?: number;
  failpoint?: Failpoint;
};

/** Maximum delay of a delta in an idle process, in milliseconds. */
const MIN_DELAY_MS = 15;
const MAX_DELAY_MS = 40;
/** Share of time spent storing at which the delay reaches its maximum: half the deltas mean half the commits. */
const SHARE_AT_MAX_DELAY = 0.25;
/** Time constant of the moving average of that share, in milliseconds. */
const SHARE_OVER_MS = 250;
/** Interval between groups in a busy process, in milliseconds: small groups block the event loop only briefly. */
const MIN_INTERVAL_MS = 8;
/** Timers may fire this much too early. */
const EARLY_MS = 1;

/**
 * Commits the data of all runs of the process in groups: one transaction at a time, and no event is published before it
 * is stored.
 *
 * An idle process writes at once, and again 15 ms later. The larger the share of time spent storing, the longer a run's
 * deltas are delayed, since the cost depends on how often each run is written. Runs do not wait for each other: a group
 * contains those whose delay has passed.
 *
 * @example
 * const publish = (_ownerId: string, events: readonly RunEvent[]): void => show(events);
 * const pump = new CommitPump({ store, clock: systemClock, publish, onFailure: log });
 * await pump.drain();
 */
export class CommitPump {
  readonly #options: CommitPumpOptions;
  /** Start of the wait by the monotonic clock; `-Infinity` if a caller waits. */
  readonly #waiting = new Map<PumpSource, number>();
  #timer: { due: number; cancel: () => void } | null = null;
  #queued = false;
  /** Another group was requested during a commit. */
  #again = false;
  #flushing: Promise<void> | null = null;
  #startedAt = -Infinity;
  #endedAt = -Infinity;
  #cost = 0;
  #share = 0;
  /** Minimum age of a delta to be part of a group. */
  #minAgeMs = 0;
  #intervalMs = MIN_DELAY_MS;

  constructor(options: CommitPumpOptions) {
    this.#options = options;
  }

  /** Schedules a commit of `source`. */
  need(source: PumpSource, urgency: Urgency): void {
    if (urgency === 'now') {
      this.#waiting.set(source, -Infinity);
      this.#queue();
      return;
    }
    const now = this.#options.clock.monotonic();
    if (this.#minAgeMs > 0 && now - this.#endedAt > SHARE_OVER_MS && !this.#flushing) this.#setDelay(0);
    const since = urgency === 'soon' ? now : now + this.#intervalMs;
    const known = this.#waiting.get(source);
    if (known !== undefined && known <= since) return;
    this.#waiting.set(source, since);
    if (!this.#queued && !this.#flushing) this.#wakeFor(since, now);
  }

  /** Resolves once all data that waits now is stored or rejected. */
  async drain(): Promise<void> {
    while (this.#waiting.size > 0 || this.#flushing) {
      for (const source of this.#waiting.keys()) this.#waiting.set(source, -Infinity);
      this.#queue();
      await (this.#flushing ?? Promise.resolve());
    }
  }

  /** Schedules a group for when the delay since then has passed, and not before the next interval. */
  #wakeFor(since: number, now: number): void {
    const next = Math.max(this.#startedAt + this.#intervalMs, this.#endedAt + Math.min(this.#cost, MIN_DELAY_MS));
    const due = Math.max(since + this.#minAgeMs, next);
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
    if (this.#waiting.size > 0) this.#wakeFor(Math.min(...this.#waiting.values()), now);
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
    const minSince = this.#options.clock.monotonic() + EARLY_MS - this.#minAgeMs;
    for (const [source, since] of this.#waiting) {
      if (since > minSince && this.#minAgeMs > 0) continue;
      this.#waiting.delete(source);
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
      this.#startedAt = clock.monotonic();
      const committed = store.commit(items);
      const outcomes = committed instanceof Promise ? await committed : committed;
      const cost = clock.monotonic() - this.#startedAt;
      this.#recordCommit(cost);
      this.#options.onStored?.(items.length, cost);
      if (failpoint) for (const item of items) for (const place of placesAfter(item)) await failpoint(place);
      return outcomes;
    } catch (error) {
      this.#recordCommit(0);
      for (const source of sources) source.failed(error);
      onFailure(error);
      return [];
    }
  }

  #recordCommit(cost: number): void {
    const now = this.#options.clock.monotonic();
    const since = now - this.#endedAt;
    this.#endedAt = now;
    this.#cost = cost;
    if (since <= 0) return;
    this.#setDelay(this.#share + (cost / since - this.#share) * Math.min(1, since / SHARE_OVER_MS));
  }

  /** Sets the delay for the share of time spent storing. */
  #setDelay(share: number): void {
    this.#share = share;
    const maxDelay = this.#options.maxDelayMs ?? MAX_DELAY_MS;
    const delay = Math.min(maxDelay, Math.max(MIN_DELAY_MS, (share / SHARE_AT_MAX_DELAY) * maxDelay));
    this.#intervalMs = Math.max(MIN_INTERVAL_MS, 2 * MIN_DELAY_MS - delay);
    this.#minAgeMs = delay - this.#intervalMs;
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
