import type { ErrorInfo } from '@toolyard/protocol';

const FIRST_WAIT_MS = 500;

/** Longest wait a server may ask for before the person is asked instead. */
const LONGEST_WAIT_MS = 30_000;

/**
 * How long to wait before a request is sent again; null where it should not be. The wait doubles each time, less up to
 * a quarter by `random`, so that many who failed together do not come back together.
 */
export function retryWaitMs(error: ErrorInfo, attempt: number, random: () => number): number | null {
  if (error.retryable !== true) return null;
  const backOff = FIRST_WAIT_MS * 2 ** attempt * (1 - random() / 4);
  const asked = error.retryAfterMs ?? 0;
  return asked > LONGEST_WAIT_MS ? null : Math.max(asked, Math.round(backOff));
}

/** What the person is told where the wait is long enough to wonder; null where it is not. */
export function waitNotice(waitMs: number, error: ErrorInfo): string | null {
  if (waitMs < 2000) return null;
  return `${error.message} Trying again in ${Math.round(waitMs / 1000)} s.`;
}
