import type { Clock } from '@toolyard/protocol';
import { ServerLost, ServerUnreachable } from '../server/server-lost.ts';

/** Exponential backoff between attempts. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;
/** A shorter connection counts as part of the same outage. */
const STABLE_AFTER_MS = 5_000;

type ReconnectorOptions = {
  clock: Clock;
  /** Reconnect timeout. */
  timeoutMs: number;
  /** Prints a line for the user. */
  print: (line: string) => void;
  /** What the user can do after the timeout. */
  hint: () => string;
};

/** Retries requests while the server is unreachable, until the reconnect timeout. */
export class Reconnector {
  readonly #options: ReconnectorOptions;
  /** Start of the outage, and the next delay. */
  #outage: { since: number; delayMs: number } | null = null;
  #connectedSince: number | null = null;

  constructor(options: ReconnectorOptions) {
    this.#options = options;
  }

  /** @throws ServerLost after the timeout, and any error of `work` but ServerUnreachable */
  async retry<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await work();
        this.connected();
        return result;
      } catch (thrown) {
        if (!(thrown instanceof ServerUnreachable)) throw thrown;
        await this.wait(thrown);
      }
    }
  }

  /** Waits before the next attempt. @throws ServerLost after the timeout */
  async wait(reason: ServerUnreachable): Promise<void> {
    const { clock, timeoutMs, print, hint } = this.#options;
    const now = clock.monotonic();
    if (this.#connectedSince !== null && now - this.#connectedSince > STABLE_AFTER_MS) this.#outage = null;
    if (this.#connectedSince !== null || !this.#outage)
      print(`${reason.message} Reconnecting for up to ${timeoutMs / 1_000} s.`);
    this.#connectedSince = null;
    this.#outage ??= { since: now, delayMs: FIRST_DELAY_MS };
    const remainingMs = this.#outage.since + timeoutMs - now;
    if (remainingMs <= 0)
      throw new ServerLost({ code: 'network', message: reason.message, hint: hint() }, { cause: reason });
    const delayMs = Math.min(this.#outage.delayMs, remainingMs);
    this.#outage.delayMs = Math.min(this.#outage.delayMs * 2, MAX_DELAY_MS);
    await new Promise<void>((resolve) => void clock.after(delayMs, resolve));
  }

  /** Call when the server has answered. */
  connected(): void {
    if (!this.#outage || this.#connectedSince !== null) return;
    this.#connectedSince = this.#options.clock.monotonic();
    this.#options.print('Reconnected.');
  }
}
