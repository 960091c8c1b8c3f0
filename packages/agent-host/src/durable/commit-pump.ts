import type { Clock, CommitOutcome, Failpoint, RunCommit, RunEvent, RunStore } from '@toolyard/protocol';

/** One run's side of the pump. */
export type PumpSource = {
  readonly ownerId: string;
  /** What there is to write; null where there is nothing. It is under way until the pump says what became of it. */
  collect(): RunCommit | null;
  settled(outcome: CommitOutcome): void;
  /** The engine failed and stored nothing of what was collected. */
  failed(error: unknown): void;
};

/**
 * - `now`: somebody waits for it to be stored
 * - `soon`: a reader waits for it: at once after a pause, else with the next group
 * - `later`: with the next group
 */
export type Urgency = 'now' | 'soon' | 'later';

export type CommitPumpOptions = {
  store: Pick<RunStore, 'commit'>;
  clock: Clock;
  /** Called with what is stored, and only then. */
  publish: (ownerId: string, events: readonly RunEvent[]) => void;
  /** Told that the engine failed; the runs concerned know already. */
  onFailure: (error: unknown) => void;
  /** Told how many runs were stored together, and how long that took. */
  onStored?: (runs: number, ms: number) => void;
  /** The longest rest between two groups, in milliseconds. */
  longestRestMs?: number;
  failpoint?: Failpoint;
};

/** The groups of a quiet process come at this interval, in milliseconds. */
const SHORTEST_INTERVAL_MS = 15;
const LONGEST_INTERVAL_MS = 60;
/** Between two groups lies so many times what a group costs: up to the longest, committing takes a sixth of the time. */
const REST_PER_COST = 5;
const WEIGHT_OF_LAST = 0.2;

/**
 * Commits what all runs of the process have to write, in groups: one transaction at a time, and nobody sees an event
 * before it is stored.
 */
export class CommitPump {
  readonly #options: CommitPumpOptions;
  readonly #waiting = new Set<PumpSource>();
  #timer: { due: number; cancel: () => void } | null = null;
  #queued = false;
  /** Asked for while a group was under way. */
  #again = false;
  #flushing: Promise<void> | null = null;
  #lastFlush = -Infinity;
  #cost = 0;
  #interval = SHORTEST_INTERVAL_MS;

  constructor(options: CommitPumpOptions) {
    this.#options = options;
  }

  /** `source` has something to write. */
  need(source: PumpSource, urgency: Urgency): void {
    this.#waiting.add(source);
    if (this.#queued) return;
    const now = this.#options.clock.monotonic();
    const next = Math.max(now, this.#lastFlush + this.#interval);
    if (urgency === 'now' || (urgency === 'soon' && next === now)) this.#queue();
    else this.#wakeAt(urgency === 'soon' ? next : now + this.#interval, now);
  }

  /** Resolves once everything that waits now is stored, or refused. */
  async drain(): Promise<void> {
    while (this.#waiting.size > 0 || this.#flushing) {
      this.#queue();
      await (this.#flushing ?? Promise.resolve());
    }
  }

  #wakeAt(due: number, now: number): void {
    if (this.#timer && this.#timer.due <= due) return;
    this.#timer?.cancel();
    this.#timer = { due, cancel: this.#options.clock.after(due - now, () => this.#wake()) };
  }

  /** A group may have come in between: the timer is left to run then, which costs less than a new one each time. */
  #wake(): void {
    this.#timer = null;
    if (this.#waiting.size === 0) return;
    const now = this.#options.clock.monotonic();
    const next = this.#lastFlush + this.#interval;
    if (next > now) this.#wakeAt(next, now);
    else this.#queue();
  }

  /** In a microtask: what several runs have to write in the same turn becomes one transaction. */
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
        this.#again = false;
      });
    });
  }

  async #flush(): Promise<void> {
    const sources: PumpSource[] = [];
    const items: RunCommit[] = [];
    for (const source of this.#waiting) {
      const item = source.collect();
      if (!item) continue;
      sources.push(source);
      items.push(item);
    }
    this.#waiting.clear();
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
      const begun = clock.monotonic();
      const given = store.commit(items);
      const outcomes = given instanceof Promise ? await given : given;
      const cost = clock.monotonic() - begun;
      this.#learn(cost);
      this.#options.onStored?.(items.length, cost);
      if (failpoint) for (const item of items) for (const place of placesAfter(item)) await failpoint(place);
      return outcomes;
    } catch (error) {
      this.#learn(0);
      for (const source of sources) source.failed(error);
      onFailure(error);
      return [];
    }
  }

  #learn(cost: number): void {
    this.#lastFlush = this.#options.clock.monotonic();
    this.#cost += (cost - this.#cost) * WEIGHT_OF_LAST;
    const longest = this.#options.longestRestMs ?? LONGEST_INTERVAL_MS;
    this.#interval = Math.min(longest, Math.max(SHORTEST_INTERVAL_MS, this.#cost * REST_PER_COST));
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
