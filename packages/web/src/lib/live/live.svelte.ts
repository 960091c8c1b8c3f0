import type { LiveEvent, RunEvent } from '@toolyard/protocol';
import { fetchWithSession } from '../api/session-fetch.ts';
import { LiveFrameReader } from './live-stream.ts';
import { tabId } from './tab-id.ts';

export type LiveHello = Extract<LiveEvent, { type: 'hello' }>;
export type LiveChange = Extract<LiveEvent, { type: 'changed' }>;

type LiveOptions = {
  /** Identifies this tab, so that the server notices when it is gone. */
  tab?: string;
  fetch: (address: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds until the next attempt after `failures` in a row. */
  delay?: (failures: number) => number;
  /**
   * The server sends a ping every 15 seconds; a connection without data for longer than this is considered lost, in
   * milliseconds.
   */
  silenceTimeoutMs?: number;
};

/**
 * The one live stream of this tab. It uses fetch instead of EventSource, which gives up on an error response, hides its
 * reason and does not detect a silently lost connection. The cursor is kept in memory, so that nothing is missed after
 * a lost connection; a reloaded page starts without one and receives every active run from its start.
 *
 * The rule: **an attempt succeeds by what it brings**. A connection that ends after the first frame, as behind a proxy that
 * closes at once, is a failed one, so that the pauses grow.
 */
export class Live {
  status: 'connecting' | 'open' | 'lost' = $state('connecting');

  readonly #options: Required<Omit<LiveOptions, 'tab'>> & Pick<LiveOptions, 'tab'>;
  readonly #runs = new Set<(event: RunEvent) => void>();
  readonly #changes = new Set<(change: LiveChange) => void>();
  readonly #hellos = new Set<(hello: LiveHello) => void>();
  readonly #refusals = new Set<() => void>();
  readonly #dataListeners = new Set<(at: undefined) => void>();
  #cursor: string | null = null;
  #stop: AbortController | null = null;
  #wake: () => void = () => undefined;

  constructor(options: LiveOptions) {
    this.#options = {
      delay: (failures) => Math.min(5000, 500 * 2 ** (failures - 1)),
      silenceTimeoutMs: 40_000,
      ...options,
    };
  }

  onRun(listener: (event: RunEvent) => void): () => void {
    return listen(this.#runs, listener);
  }

  onChanged(listener: (change: LiveChange) => void): () => void {
    return listen(this.#changes, listener);
  }

  /** The first event of every connection: everything other than runs is then loaded again. */
  onHello(listener: (hello: LiveHello) => void): () => void {
    return listen(this.#hellos, listener);
  }

  /** The server does not accept this session, or no longer does. */
  onUnauthorized(listener: () => void): () => void {
    return listen(this.#refusals, listener);
  }

  /** Called for all data, including pings. Hidden tabs receive it too, while their timers are throttled. */
  onData(listener: () => void): () => void {
    return listen(this.#dataListeners, listener);
  }

  start(): void {
    if (this.#stop !== null) return;
    this.#stop = new AbortController();
    void this.#keepOpen(this.#stop.signal);
  }

  stop(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.status = 'connecting';
  }

  /** Retries now instead of after the delay: the network is back, or the tab is visible again. */
  retryNow(): void {
    this.#wake();
  }

  async #keepOpen(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const end = await this.#readOnce(signal, () => (failures = 0));
      if (signal.aborted) return;
      if (end === 'refused') {
        this.stop();
        for (const listener of this.#refusals) listener();
        return;
      }
      failures += 1;
      this.status = 'lost';
      await this.#wait(this.#options.delay(failures), signal);
    }
  }

  async #readOnce(signal: AbortSignal, succeeded: () => void): Promise<'ended' | 'refused'> {
    const attempt = new AbortController();
    const cancel = () => attempt.abort();
    signal.addEventListener('abort', cancel);
    let watchdog = setTimeout(cancel, this.#options.silenceTimeoutMs);
    try {
      const response = await this.#options.fetch(this.#address, {
        headers: { Accept: 'text/event-stream' },
        cache: 'no-store',
        signal: attempt.signal,
      });
      if (response.status === 401) return 'refused';
      if (!response.ok || response.body === null) return 'ended';
      const text = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const frames = new LiveFrameReader();
      for (;;) {
        const { done, value } = await text.read();
        if (done) return 'ended';
        clearTimeout(watchdog);
        watchdog = setTimeout(cancel, this.#options.silenceTimeoutMs);
        // The first ping comes after a while.
        if (this.status === 'open' && value.startsWith(':')) succeeded();
        for (const { event, cursor } of frames.read(value)) {
          if (event.type === 'hello') this.status = 'open';
          else succeeded();
          this.#dispatch(event);
          if (cursor !== null) this.#cursor = cursor;
        }
        notifyAll(this.#dataListeners, undefined);
      }
    } catch {
      // Connection lost, or our own abort: the next attempt decides.
      return 'ended';
    } finally {
      clearTimeout(watchdog);
      signal.removeEventListener('abort', cancel);
      attempt.abort();
    }
  }

  get #address(): string {
    const { tab } = this.#options;
    const query = new URLSearchParams();
    if (tab !== undefined) query.set('tab', tab);
    if (this.#cursor !== null) query.set('after', this.#cursor);
    return query.size === 0 ? '/api/events' : `/api/events?${query.toString()}`;
  }

  #dispatch(event: LiveEvent): void {
    switch (event.type) {
      case 'run':
        return notifyAll(this.#runs, event.event);
      case 'changed':
        return notifyAll(this.#changes, event);
      case 'hello':
        return notifyAll(this.#hellos, event);
    }
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(finish, ms);
      function finish() {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        resolve();
      }
      signal.addEventListener('abort', finish);
      this.#wake = finish;
    });
  }
}

/** A listener that throws must not stop the others. */
function notifyAll<T>(listeners: ReadonlySet<(value: T) => void>, value: T): void {
  for (const listener of listeners) {
    try {
      listener(value);
    } catch (error) {
      reportError(error);
    }
  }
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const live = new Live({ fetch: fetchWithSession, tab: tabId });
