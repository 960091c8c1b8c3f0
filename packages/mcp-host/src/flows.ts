import type { Clock } from '@toolyard/protocol';

/** Counts what is under way, so that nobody is left in the middle of something. */
export class Flows {
  readonly #clock: Clock;
  readonly #idle = new Set<() => void>();
  #active = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get active(): number {
    return this.#active;
  }

  /** Counts one more; what is returned counts it off, once, however often it is called. */
  acquire(): () => void {
    this.#active++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#active--;
      if (this.#active === 0) for (const wake of this.#idle) wake();
    };
  }

  /** Resolves when nothing is under way, or after `ms`. */
  async whenIdle(ms: number): Promise<void> {
    if (this.#active === 0) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        callOff();
        this.#idle.delete(wake);
        resolve();
      };
      const callOff = this.#clock.after(ms, wake);
      this.#idle.add(wake);
    });
  }
}
