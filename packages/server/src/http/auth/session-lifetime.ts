const DAY_MS = 24 * 3_600_000;
/** A session expires after this time without use. */
const IDLE_MS = 30 * DAY_MS;
/** Maximum age of a session, however often it is used. */
const LONGEST_MS = 180 * DAY_MS;

/** When a session used now expires. */
export function nextExpiry({ createdAt }: { createdAt: number }, now: number): number {
  return Math.min(now + IDLE_MS, createdAt + LONGEST_MS);
}
