import type { AgentState, Ending } from '@toolyard/agent-runtime';
import type { Clock, ErrorInfo, RunLimits } from '@toolyard/protocol';
import { createErrorInfo, CONTINUES_ELSEWHERE, say } from '@toolyard/protocol';

/** `setTimeout` fires longer timers at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Why a run ends before its model has finished: cancelled, out of time, or failed. The first reason counts. */
export class RunControl {
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  #ending: Ending | null = null;
  /** The time limit; null for an unlimited run. */
  #time: { limits: RunLimits; leftMs: number; since: number; cancel: () => void } | null = null;
  #holds = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborted when the run is to end, or continues elsewhere: what is in progress stops. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get ending(): Ending | null {
    return this.#ending;
  }

  end(ending: Ending): void {
    if (this.#ending) return;
    this.#ending = ending;
    this.#abort.abort();
  }

  /** Another process continues the run: everything in progress stops, except tasks of servers. */
  continueElsewhere(): void {
    this.#abort.abort(CONTINUES_ELSEWHERE);
  }

  startTime({ limits, startedAt }: Pick<AgentState, 'limits' | 'startedAt'>): void {
    const { maxWallTimeMs: mostMs } = limits;
    if (mostMs === undefined) return;
    // The clock may have been set back: the run never gets more time than its limit.
    const leftMs = Math.min(mostMs, startedAt + mostMs - this.#clock.now());
    this.#time = { limits, leftMs, since: 0, cancel: () => undefined };
    this.#resumeTime();
  }

  /** Pauses the time limit until the returned function is called, once: waiting for the user does not count. */
  holdTime(): () => void {
    if (this.#holds++ === 0 && this.#time) {
      this.#time.leftMs -= this.#clock.monotonic() - this.#time.since;
      this.#time.cancel();
    }
    return () => {
      if (--this.#holds === 0) this.#resumeTime();
    };
  }

  endTime(): void {
    this.#time?.cancel();
    this.#time = null;
  }

  #resumeTime(): void {
    const time = this.#time;
    if (!time) return;
    time.since = this.#clock.monotonic();
    if (time.leftMs > MAX_TIMER_MS) return;
    time.cancel = this.#clock.after(Math.max(0, time.leftMs), () =>
      this.end({ status: 'failed', error: timeLimitExceeded(time.limits) }),
    );
  }
}

function timeLimitExceeded(limits: RunLimits): ErrorInfo {
  return createErrorInfo({
    code: 'time_limit_exceeded',
    message: say`The run exceeded its time limit of ${((limits.maxWallTimeMs ?? 0) / 1000).toFixed(0)} s.`,
    hint: say`Raise the time limit (maxWallTimeMs), or ask for less at once.`,
  });
}
