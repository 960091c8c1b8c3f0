import type { Clock } from '@toolyard/protocol';

/** How long a disabled server stays connected after its last use, in milliseconds. */
const IDLE_MS = 10 * 60_000;

type Loan = { lastUse: number; calls: number };

/** Connections of disabled servers that a conversation has chosen; each is closed after it was unused for a while. */
export class TemporaryConnections {
  readonly #clock: Clock;
  readonly #disconnect: (serverId: string) => void;
  readonly #loans = new Map<string, Loan>();
  #callOff: (() => void) | undefined;

  constructor(clock: Clock, disconnect: (serverId: string) => void) {
    this.#clock = clock;
    this.#disconnect = disconnect;
  }

  borrow(serverId: string): void {
    if (!this.#loans.has(serverId)) this.#loans.set(serverId, { lastUse: 0, calls: 0 });
    this.use(serverId, 0);
    this.#callOff ??= this.#clock.after(IDLE_MS, () => this.#look());
  }

  /** Does nothing for a server that is not borrowed. */
  use(serverId: string, calls: -1 | 0 | 1): void {
    const loan = this.#loans.get(serverId);
    if (loan === undefined) return;
    loan.lastUse = this.#clock.monotonic();
    loan.calls = Math.max(0, loan.calls + calls);
  }

  /** A user enabled or disabled the server: it is no longer borrowed. */
  forget(serverId: string): void {
    this.#loans.delete(serverId);
  }

  close(): void {
    this.#callOff?.();
    this.#loans.clear();
  }

  #look(): void {
    this.#callOff = undefined;
    const now = this.#clock.monotonic();
    let nextMs = IDLE_MS;
    for (const [serverId, loan] of this.#loans) {
      const leftMs = loan.calls > 0 ? IDLE_MS : loan.lastUse + IDLE_MS - now;
      if (leftMs > 0) {
        nextMs = Math.min(nextMs, leftMs);
        continue;
      }
      this.#loans.delete(serverId);
      this.#disconnect(serverId);
    }
    if (this.#loans.size > 0) this.#callOff = this.#clock.after(nextMs, () => this.#look());
  }
}
