import type { RunEvent } from '@toolyard/protocol';
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
};

/**
 * Applies events of the live stream to the transcript without gaps: if the stream is ahead of the applied events (the
 * conversation was opened during a run), the events between are loaded.
 */
export class RunFollower {
  readonly #deps: RunFollowerDeps;
  #waiting: RunEvent[] = [];
  #soon = false;
  #reading: AbortController | null = null;

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
    const run = this.#deps.get()?.run;
    if (run == null || run.seq >= lastSeq || this.#reading !== null) return;
    void this.#read(run.id, run.seq, lastSeq);
  }

  /** Another conversation is shown: events of the old one are discarded. */
  reset(): void {
    this.#reading?.abort();
    this.#reading = null;
    this.#waiting = [];
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
      if (early) this.#waiting.push(event);
      else transcript = applyRunEvent(transcript, event);
    }
    if (transcript !== before) this.#deps.set(transcript);
    const [first] = this.#waiting;
    if (first !== undefined) this.catchUp(first.seq - 1);
  }

  async #read(runId: string, after: number, lastSeq: number): Promise<void> {
    const reading = new AbortController();
    this.#reading = reading;
    try {
      for await (const events of this.#deps.read(runId, after, reading.signal)) {
        if (reading.signal.aborted) return;
        this.#waiting.unshift(...events);
        this.#flush();
        const run = this.#deps.get()?.run;
        if (run?.id !== runId || (run.seq >= lastSeq && this.#waiting.length === 0)) return;
      }
    } catch {
      // Retried with the next event, or after the next reconnect.
    } finally {
      reading.abort();
      if (this.#reading === reading) this.#reading = null;
    }
  }
}
