import { untrack } from 'svelte';
import type { RunEvent } from '@toolyard/protocol';
import type { ApiError } from '../api/error.ts';
import { toApiError } from './failure.ts';
import type { LiveChange, live as realLive } from '../live/live.svelte.ts';

export type ResourceLive = Pick<typeof realLive, 'onChanged' | 'onHello' | 'status'> &
  Partial<Pick<typeof realLive, 'onRun'>>;

/** When the page loads a resource again: on these events of the live stream, and after a reconnect. */
export type Refresh = {
  live: ResourceLive;
  changes: readonly LiveChange['what'][] | ((change: LiveChange) => boolean);
  /** True for events of runs after which it is out of date. */
  runs?: (event: RunEvent) => boolean;
  /** Events come in bursts; one request after this delay, in milliseconds, covers all of them. */
  delayMs?: number;
};

/**
 * A response of the API that the page shows. While it loads again the last response stays; a late response to an
 * earlier request is dropped. A failure is kept in `error` until the next response.
 *
 * @example const keys = new Loaded(async () => (await api.get('/api/access/keys')).items);
 */
export class Loaded<T, Options = unknown> {
  /** Null until the first response. */
  data: T | null = $state.raw(null);
  loading = $state(false);
  error: ApiError | null = $state.raw(null);
  readonly #read: (options?: Options) => Promise<T>;
  readonly #refresh: Refresh | undefined;
  #latest = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWatched = false;

  constructor(read: (options?: Options) => Promise<T>, refresh?: Refresh) {
    this.#read = read;
    this.#refresh = refresh;
  }

  /** True once there was a response. */
  get known(): boolean {
    return this.data !== null;
  }

  /** Loads the resource and refreshes it from then on. Every component that shows it may call this. */
  watch(): void {
    if (this.#refresh === undefined || this.#isWatched) return;
    this.#isWatched = true;
    this.#listen(this.#refresh);
    // Otherwise the first event of the stream loads it.
    if (this.#refresh.live.status === 'open') void this.load();
  }

  /** For the only component that shows it: loads it, if nothing has, and refreshes it until the returned function is called. */
  follow(): () => void {
    if (!untrack(() => this.loading || this.known)) void this.load();
    const stops = this.#refresh === undefined ? [] : this.#listen(this.#refresh);
    return () => {
      this.cancelRefresh();
      for (const stop of stops) stop();
    };
  }

  #listen({ live, changes, runs }: Refresh): (() => void)[] {
    const ofRuns = (event: RunEvent): void => {
      if (runs?.(event) === true) this.refresh();
    };
    return [
      live.onHello(() => this.refresh()),
      live.onChanged((change) => {
        if (typeof changes === 'function' ? changes(change) : changes.includes(change.what)) this.refresh();
      }),
      ...(runs && live.onRun ? [live.onRun(ofRuns)] : []),
    ];
  }

  /** Loads after the delay, once for all calls until then. */
  refresh(): void {
    const delay = this.#refresh?.delayMs ?? 0;
    if (delay === 0) void this.load();
    else this.#timer ??= setTimeout(() => void this.load(), delay);
  }

  cancelRefresh(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async load(options?: Options): Promise<void> {
    this.cancelRefresh();
    const request = ++this.#latest;
    this.loading = true;
    try {
      const data = await this.#read(options);
      if (request !== this.#latest) return;
      this.data = data;
      this.error = null;
      this.loaded(data);
    } catch (thrown) {
      if (request === this.#latest) this.error = toApiError(thrown);
    } finally {
      if (request === this.#latest) this.loading = false;
    }
  }

  /**
   * Replaces the data with the result of a change; the response to a request that began before the change is dropped.
   */
  set(data: T): void {
    this.#latest += 1;
    this.loading = false;
    this.data = data;
  }

  /** Shows the data as if the change had succeeded, and the previous data if it fails. */
  async optimistic(data: T, change: () => Promise<unknown>): Promise<void> {
    const before = this.data;
    this.set(data);
    try {
      await change();
    } catch (thrown) {
      if (before !== null && this.data === data) this.set(before);
      // A response that was dropped in favour of the change may have been newer.
      this.refresh();
      throw thrown;
    }
  }

  /** Makes a change and loads the resource; a rejected change is the `error`. True if the change was made. */
  async change(change: () => Promise<unknown>): Promise<boolean> {
    try {
      this.error = null;
      await change();
    } catch (thrown) {
      this.error = toApiError(thrown);
      return false;
    }
    await this.load();
    return true;
  }

  /** Waits for a change, loads the resource and returns the result of the change; rejects if the change was rejected. */
  async reloadAfter<Result>(change: Promise<Result>): Promise<Result> {
    const result = await change;
    await this.load();
    return result;
  }

  /** For subclasses: called with every response that is shown. */
  protected loaded(_data: T): void {
    // Most resources need nothing else.
  }
}

/** A list of the API; empty until the first response. */
export class LoadedList<T extends { id: string }> extends Loaded<T[]> {
  get list(): readonly T[] {
    return this.data ?? [];
  }

  byId(wanted: string | null | undefined): T | undefined {
    return this.data?.find(({ id }) => id === wanted);
  }
}
