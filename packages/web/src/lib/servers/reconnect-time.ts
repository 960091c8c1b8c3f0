/** The longest wait between attempts, in seconds; a longer one means that the clocks of server and browser differ. */
const MAX_WAIT = 31;

/** The whole seconds until an attempt; null if it is in progress or unknown. */
export function secondsUntil(at: number | undefined, now: number): number | null {
  if (at === undefined) return null;
  const seconds = Math.ceil((at - now) / 1000);
  return seconds >= 0 && seconds <= MAX_WAIT ? seconds : null;
}

/** A cached server answers within this time: nothing is shown until then, in seconds. */
const FIRST_SHOWN_SECONDS = 3;

/** The whole seconds a launcher has taken so far; null while they are too few to show. */
export function launchSeconds(since: number, now: number): number | null {
  const seconds = Math.floor((now - since) / 1000);
  return seconds < FIRST_SHOWN_SECONDS ? null : seconds;
}
