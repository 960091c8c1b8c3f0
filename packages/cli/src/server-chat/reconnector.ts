import type { Clock } from '@toolyard/protocol';
import { ServerLost, ServerUnreachable } from '../server/server-lost.ts';

/** Waits grow from the first to the last of these. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;
/** A server that comes back for less than this was not really back. */
const STEADY_AFTER_MS = 5_000;

type PatienceOptions = {
  clock: Clock;
  /** How long a server that went away is waited for. */
  waitMs: number;
  /** One line for the person. */
  tell: (line: string) => void;
  /** What the person can do once it was waited for in vain. */
  hint: () => string;
};

/** Does again what fails because the server is away, until it is back or has been waited for long enough. */
export class Reconnector {
  readonly #options: PatienceOptions;
  /** Since when nothing has answered, and how long the next wait is. */
  #away: { since: number; waitMs: number } | null = null;
  #backSince: number | null = null;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** @throws ServerLost, and whatever `work` throws that is not about an absent server. */
  async until<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const done = await work();
        this.back();
        return done;
      } catch (thrown) {
        if (!(thrown instanceof ServerUnreachable)) throw thrown;
        await this.wait(thrown);
      }
    }
  }

  /** Waits before the next try; throws ServerLost where there is to be none. */
  async wait(reason: ServerUnreachable): Promise<void> {
    const { clock, waitMs, tell, hint } = this.#options;
    const now = clock.monotonic();
    if (this.#backSince !== null && now - this.#backSince > STEADY_AFTER_MS) this.#away = null;
    if (this.#backSince !== null || !this.#away) tell(`${reason.message} Trying again for ${waitMs / 1_000} seconds.`);
    this.#backSince = null;
    this.#away ??= { since: now, waitMs: FIRST_WAIT_MS };
    const left = this.#away.since + waitMs - now;
    if (left <= 0) throw new ServerLost({ code: 'network', message: reason.message, hint: hint() }, { cause: reason });
    const wait = Math.min(this.#away.waitMs, left);
    this.#away.waitMs = Math.min(this.#away.waitMs * 2, LONGEST_WAIT_MS);
    await new Promise<void>((resolve) => void clock.after(wait, resolve));
  }

  /** The server has answered. */
  back(): void {
    if (!this.#away || this.#backSince !== null) return;
    this.#backSince = this.#options.clock.monotonic();
    this.#options.tell('The server is back.');
  }
}
