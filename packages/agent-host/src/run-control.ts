import type { AgentState, Ending } from '@toolyard/agent-runtime';
import type { Clock, ErrorInfo, RunLimits } from '@toolyard/protocol';
import { HANDED_ON } from '@toolyard/protocol';
import { RunTime } from './run-time.ts';

/** Why a run ends before its model has finished: cancelled, out of time, or failed. The first reason counts. */
export class RunControl {
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  #ending: Ending | null = null;
  #time: RunTime | null = null;

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

  /** Another process continues the run: what is in progress stops, but tasks of servers go on. */
  handOn(): void {
    this.#abort.abort(HANDED_ON);
  }

  startTime({ limits, startedAt }: Pick<AgentState, 'limits' | 'startedAt'>): void {
    if (limits.maxWallTimeMs === undefined) return;
    // The clock may have been set back: the run never gets more time than its limit.
    const left = Math.min(limits.maxWallTimeMs, startedAt + limits.maxWallTimeMs - this.#clock.now());
    this.#time = new RunTime(this.#clock, left, () => this.end({ status: 'failed', error: timeLimitExceeded(limits) }));
  }

  /** Stops the time limit until the returned function is called, once. */
  holdTime(): () => void {
    return this.#time?.hold() ?? ((): void => undefined);
  }

  endTime(): void {
    this.#time?.end();
  }
}

function timeLimitExceeded(limits: RunLimits): ErrorInfo {
  return {
    code: 'time_limit_exceeded',
    message: `The run took longer than the ${((limits.maxWallTimeMs ?? 0) / 1000).toFixed(0)} s it may take.`,
    hint: 'Raise the limit of time, or ask for less at once.',
  };
}
