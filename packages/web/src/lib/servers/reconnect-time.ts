/** No wait between attempts is longer, in seconds: what is says that the clocks of server and browser differ. */
const LONGEST_WAIT = 31;

/** The whole seconds until an attempt; null where it runs, or where nobody can tell. */
export function secondsUntil(at: number | undefined, now: number): number | null {
  if (at === undefined) return null;
  const seconds = Math.ceil((at - now) / 1000);
  return seconds >= 0 && seconds <= LONGEST_WAIT ? seconds : null;
}
