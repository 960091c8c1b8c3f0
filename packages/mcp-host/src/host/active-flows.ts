import type { Clock } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';

/** Message for work that is rejected during shutdown. */
export const SHUTTING_DOWN = say`Toolyard is shutting down.`;

/** Counts the work in progress, so that shutdown can wait for it, and rejects new work once closed. */
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

  /** True once new work is rejected; work in progress may still finish. */
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

  /** Counts `work` as in progress until it settles. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const release = this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Counts one unit of work; the returned function ends it and is idempotent. */
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

  /** Resolves when no work is in progress, or after `ms`. */
  async whenIdle(ms: number): Promise<void> {
    if (this.#active === 0) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        cancelTimer();
        this.#idle.delete(wake);
        resolve();
      };
      const cancelTimer = this.#clock.after(ms, wake);
      this.#idle.add(wake);
    });
  }
}
