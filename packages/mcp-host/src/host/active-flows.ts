import type { Clock } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

/** Why nothing is begun any more. */
export const SHUTTING_DOWN = 'Toolyard is shutting down.';

/** Counts what is under way, so that nobody is left in the middle of something, and says when nothing may begin. */
export class ActiveFlows {
  readonly #clock: Clock;
  readonly #idle = new Set<() => void>();
  #active = 0;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get active(): number {
    return this.#active;
  }

  /** True when what is under way may still end, but nothing is to begin. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** @throws ToolyardError `server_closed` */
  refuseWhenClosed(): void {
    if (this.#isClosed) throw new ToolyardError({ code: 'server_closed', message: SHUTTING_DOWN });
  }

  /** Counts this as under way until it is over. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const release = this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
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
