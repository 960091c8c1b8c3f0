import type { RunEvent } from '@toolyard/protocol';
import { createNetworkError } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { applyRunEvent } from './apply-event.ts';
import type { Transcript } from './transcript.ts';
import { isActive } from './transcript.ts';

export type RunFollowerDeps = {
  get: () => Transcript | null;
  set: (transcript: Transcript) => void;
  /** The stored events of a run after a seq, and then new ones. */
  read: (runId: string, after: number, signal: AbortSignal) => AsyncIterable<readonly RunEvent[]>;
  /** Calls back once, with the next frame, so that a burst of events is rendered once. */
  soon: (flush: () => void) => void;
  /** Earlier events could not be loaded; null: they are loaded. */
  onProblem?: (problem: ApiError | null) => void;
};

/** Milliseconds until the next attempt after `failures` in a row. */
const delayAfter = (failures: number): number => Math.min(10_000, 500 * 2 ** (failures - 1));

/**
 * Applies events of the live stream to the transcript without gaps: if the stream is ahead of the applied events (the
 * conversation was opened during a run), the events between are loaded.
 *
 * Loading that fails is repeated after a pause that grows; a request that the server rejected (4xx) only by
 * {@link RunFollower.retry}, because it would be rejected again. New events never cause an attempt.
 */
export class RunFollower {
  readonly #deps: RunFollowerDeps;
  #waiting: RunEvent[] = [];
  #soon = false;
  #reading: AbortController | null = null;
  /** The last event known to exist. */
  #lastSeq = 0;
  /** The run whose events could not be loaded, and how often in a row. */
  #failed: { runId: string; failures: number } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: RunFollowerDeps) {
    this.#deps = deps;
  }

  take(event: RunEvent): void {
    this.#waiting.push(event);
    if (this.#soon) return;
    this.#soon = true;
    this.#deps.soon(() => {
      this.#soon = false;
      this.#flush();
    });
  }

  /** Catches up with the run of the transcript, which has at least `lastSeq` events. */
  catchUp(lastSeq: number): void {
    this.#lastSeq = lastSeq;
    const run = this.#deps.get()?.run;
    if (run == null || run.seq >= lastSeq || this.#reading !== null || this.#failed?.runId === run.id) return;
    void this.#read(run.id, run.seq);
  }

  /** Tries again at once: the server is reachable again, or the user asks for it. */
  retry(): void {
    if (this.#failed === null || this.#reading !== null) return;
    clearTimeout(this.#timer);
    const run = this.#deps.get()?.run;
    if (run == null || run.seq >= this.#lastSeq) this.#succeed();
    else void this.#read(run.id, run.seq);
  }

  /** Another conversation is shown: events of the old one are discarded. */
  reset(): void {
    this.#reading?.abort();
    this.#reading = null;
    this.#waiting = [];
    this.#succeed();
  }

  #flush(): void {
    const before = this.#deps.get();
    const events = this.#waiting;
    this.#waiting = [];
    if (before === null) return;
    let transcript = before;
    for (const event of events) {
      const { run } = transcript;
      const early = run?.id === event.runId && isActive(run.status) && event.seq > run.seq + 1;
      // Loaded with the earlier ones.
      if (early && this.#failed?.runId === event.runId) this.#lastSeq = event.seq;
      else if (early) this.#waiting.push(event);
      else transcript = applyRunEvent(transcript, event);
    }
    if (transcript !== before) this.#deps.set(transcript);
    const [first] = this.#waiting;
    if (first !== undefined) this.catchUp(first.seq - 1);
  }

  async #read(runId: string, after: number): Promise<void> {
    const reading = new AbortController();
    this.#reading = reading;
    let problem = createNetworkError();
    try {
      for await (const events of this.#deps.read(runId, after, reading.signal)) {
        if (reading.signal.aborted) return;
        const before = this.#getSeq(runId);
        this.#waiting.unshift(...events);
        this.#flush();
        // Events that are known already, as from a cache, are no success: the pauses grow.
        if (this.#getSeq(runId) > before) this.#succeed();
        if (!this.#isBehind(runId)) return;
      }
    } catch (thrown) {
      if (thrown instanceof ApiError) problem = thrown;
    } finally {
      const isCurrent = this.#reading === reading;
      if (isCurrent) this.#reading = null;
      reading.abort();
      if (isCurrent && this.#isBehind(runId)) this.#fail(runId, problem);
      else if (isCurrent) this.#succeed();
    }
  }

  #getSeq(runId: string): number {
    const run = this.#deps.get()?.run;
    return run?.id === runId ? run.seq : 0;
  }

  #isBehind(runId: string): boolean {
    const run = this.#deps.get()?.run;
    return run?.id === runId && (run.seq < this.#lastSeq || this.#waiting.length > 0);
  }

  #fail(runId: string, problem: ApiError): void {
    const failures = (this.#failed?.failures ?? 0) + 1;
    this.#failed = { runId, failures };
    this.#lastSeq = Math.max(this.#lastSeq, this.#waiting.at(-1)?.seq ?? 0);
    this.#waiting = [];
    this.#deps.onProblem?.(problem);
    const isRejected = problem.status >= 400 && problem.status < 500;
    if (!isRejected) this.#timer = setTimeout(() => this.retry(), delayAfter(failures));
  }

  #succeed(): void {
    clearTimeout(this.#timer);
    if (this.#failed !== null) this.#deps.onProblem?.(null);
    this.#failed = null;
  }
}
