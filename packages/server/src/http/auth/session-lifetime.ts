const DAY_MS = 24 * 3_600_000;
/** A session ends when it was not used for this long, */
const IDLE_MS = 30 * DAY_MS;
/** and in any case this long after the sign-in. */
const LONGEST_MS = 180 * DAY_MS;

/** When a session that is used now expires. */
export function nextExpiry({ createdAt }: { createdAt: number }, now: number): number {
  return Math.min(now + IDLE_MS, createdAt + LONGEST_MS);
}
