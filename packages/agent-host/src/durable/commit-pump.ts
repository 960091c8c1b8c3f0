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
  /** The longest a word waits for others of its run, in milliseconds; about. */
  longestRestMs?: number;
  failpoint?: Failpoint;
};

/** Of a quiet process a word rests no longer, in milliseconds. */
const SHORTEST_REST_MS = 15;
const LONGEST_REST_MS = 40;
/** Where storing takes so much of the time a word rests the longest: half the words are half the commits. */
const SHARE_OF_LONGEST = 0.4;
/** The share of the last moments counts, so many milliseconds. */
const SHARE_OVER_MS = 250;
/** Of a busy process groups are small and come at this interval: each is a moment in which nothing else goes on. */
const SHORTEST_INTERVAL_MS = 8;
/** A timer comes so much too early at times. */
const EARLY_MS = 1;

/**
 * Commits what all runs of the process have to write, in groups: one transaction at a time, and nobody sees an event
 * before it is stored.
 *
 * A quiet process writes everything at once, and again 15 ms later. The more of the time storing takes, the longer a
 * word waits for others of its run: that is where the work is, in how often each run is written. Runs do not wait for
 * each other: a group has those whose words have waited long enough.
 */
export class CommitPump {
  readonly #options: CommitPumpOptions;
  /** Since when, by the monotonic clock; since ever where somebody waits for it. */
  readonly #waiting = new Map<PumpSource, number>();
  #timer: { due: number; cancel: () => void } | null = null;
  #queued = false;
  /** Asked for while a group was under way. */
  #again = false;
  #flushing: Promise<void> | null = null;
  #begun = -Infinity;
  #ended = -Infinity;
  #cost = 0;
  #share = 0;
  /** How old a word has to be to go with a group. */
  #ripeMs = 0;
  #intervalMs = SHORTEST_REST_MS;

  constructor(options: CommitPumpOptions) {
    this.#options = options;
  }

  /** `source` has something to write. */
  need(source: PumpSource, urgency: Urgency): void {
    if (urgency === 'now') {
      this.#waiting.set(source, -Infinity);
      this.#queue();
      return;
    }
    const now = this.#options.clock.monotonic();
    if (this.#ripeMs > 0 && now - this.#ended > SHARE_OVER_MS && !this.#flushing) this.#rest(0);
    const since = urgency === 'soon' ? now : now + this.#intervalMs;
    const known = this.#waiting.get(source);
    if (known !== undefined && known <= since) return;
    this.#waiting.set(source, since);
    if (!this.#queued && !this.#flushing) this.#wakeFor(since, now);
  }

  /** Resolves once everything that waits now is stored, or refused. */
  async drain(): Promise<void> {
    while (this.#waiting.size > 0 || this.#flushing) {
      for (const source of this.#waiting.keys()) this.#waiting.set(source, -Infinity);
      this.#queue();
      await (this.#flushing ?? Promise.resolve());
    }
  }

  /** A group when what has waited since then is ripe, and no sooner after the last one than groups come. */
  #wakeFor(since: number, now: number): void {
    const next = Math.max(this.#begun + this.#intervalMs, this.#ended + Math.min(this.#cost, SHORTEST_REST_MS));
    const due = Math.max(since + this.#ripeMs, next);
    if (due <= now) {
      this.#queue();
      return;
    }
    if (this.#timer && this.#timer.due <= due) return;
    this.#timer?.cancel();
    this.#timer = { due, cancel: this.#options.clock.after(due - now, () => this.#wake()) };
  }

  /** A group may have come in between: the timer is left to run then, which costs less than a new one each time. */
  #wake(): void {
    this.#timer = null;
    // Another one follows then.
    if (this.#queued || this.#flushing) return;
    this.#wakeForOldest(this.#options.clock.monotonic() + EARLY_MS);
  }

  #wakeForOldest(now: number): void {
    if (this.#waiting.size > 0) this.#wakeFor(Math.min(...this.#waiting.values()), now);
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
        else this.#wakeForOldest(this.#options.clock.monotonic());
        this.#again = false;
      });
    });
  }

  async #flush(): Promise<void> {
    const sources: PumpSource[] = [];
    const items: RunCommit[] = [];
    const ripe = this.#options.clock.monotonic() + EARLY_MS - this.#ripeMs;
    for (const [source, since] of this.#waiting) {
      if (since > ripe && this.#ripeMs > 0) continue;
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
      this.#begun = clock.monotonic();
      const given = store.commit(items);
      const outcomes = given instanceof Promise ? await given : given;
      const cost = clock.monotonic() - this.#begun;
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
    const now = this.#options.clock.monotonic();
    const since = now - this.#ended;
    this.#ended = now;
    this.#cost = cost;
    if (since <= 0) return;
    this.#rest(this.#share + (cost / since - this.#share) * Math.min(1, since / SHARE_OVER_MS));
  }

  /** As long as fits a process that stores for such a share of its time. */
  #rest(share: number): void {
    this.#share = share;
    const longest = this.#options.longestRestMs ?? LONGEST_REST_MS;
    const rest = Math.min(longest, Math.max(SHORTEST_REST_MS, (share / SHARE_OF_LONGEST) * longest));
    this.#intervalMs = Math.max(SHORTEST_INTERVAL_MS, 2 * SHORTEST_REST_MS - rest);
    this.#ripeMs = rest - this.#intervalMs;
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
