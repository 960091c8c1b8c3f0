import type { Clock } from '@toolyard/protocol';

/** Failed attempts before the limit applies. */
const BURST = 20;
/** One more failed attempt is allowed per interval. */
const REFILL_MS = 3_000;

/** Limits failed attempts of all clients together, because an attacker may have many addresses. */
export type FailureLimit = {
  /** Counts a failed attempt. Returns the seconds until the next is accepted if there were too many, else null. */
  count(): number | null;
};

export function createFailureLimit(clock: Pick<Clock, 'monotonic'>): FailureLimit {
  let remaining = BURST;
  let filledAt = clock.monotonic();
  return {
    count() {
      const refilled = Math.floor((clock.monotonic() - filledAt) / REFILL_MS);
      remaining = Math.min(BURST, remaining + refilled);
      filledAt = remaining === BURST ? clock.monotonic() : filledAt + refilled * REFILL_MS;
      if (remaining === 0) return Math.max(1, Math.ceil((filledAt + REFILL_MS - clock.monotonic()) / 1_000));
      remaining -= 1;
      return null;
    },
  };
}
