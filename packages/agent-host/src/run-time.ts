import type { Clock } from '@toolyard/protocol';

/** `setTimeout` fires a longer one at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** The time limit of a run. It does not count while the user is asked. */
export class RunTime {
  readonly #clock: Clock;
  readonly #onOver: () => void;
  #leftMs: number;
  #runsSince: number;
  #holds = 0;
  #callOff: () => void = () => undefined;

  constructor(clock: Clock, leftMs: number, onOver: () => void) {
    this.#clock = clock;
    this.#onOver = onOver;
    this.#leftMs = leftMs;
    this.#runsSince = clock.monotonic();
    this.#start();
  }

  /** Stops the time until the returned function is called, once. */
  hold(): () => void {
    if (this.#holds++ === 0) {
      this.#leftMs -= this.#clock.monotonic() - this.#runsSince;
      this.#callOff();
    }
    return () => {
      if (--this.#holds > 0) return;
      this.#runsSince = this.#clock.monotonic();
      this.#start();
    };
  }

  end(): void {
    this.#callOff();
    this.#holds = Infinity;
  }

  #start(): void {
    if (this.#leftMs > LONGEST_TIMER_MS) return;
    this.#callOff = this.#clock.after(Math.max(0, this.#leftMs), this.#onOver);
  }
}
