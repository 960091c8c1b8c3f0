/** No wait between attempts is longer, in seconds: what is says that the clocks of server and browser differ. */
const LONGEST_WAIT = 31;

/** The whole seconds until an attempt; null where it runs, or where nobody can tell. */
export function secondsUntil(at: number | undefined, now: number): number | null {
  if (at === undefined) return null;
  const seconds = Math.ceil((at - now) / 1000);
  return seconds >= 0 && seconds <= LONGEST_WAIT ? seconds : null;
}

/** A cached server answers in this time: until then nothing is shown. */
const FIRST_SHOWN_SECONDS = 3;

/** The whole seconds a launcher has taken so far; null while they are too few to be shown. */
export function launchSeconds(since: number, now: number): number | null {
  const seconds = Math.floor((now - since) / 1000);
  return seconds < FIRST_SHOWN_SECONDS ? null : seconds;
}
