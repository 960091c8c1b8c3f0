import type { ErrorInfo } from '@toolyard/protocol';

const FIRST_WAIT_MS = 500;

/** Longest delay a server may request before the user has to decide. */
const MAX_WAIT_MS = 30_000;

/**
 * Delay in milliseconds before a retry; null if the request should not be retried. Exponential backoff with up to 25 %
 * jitter, so that clients that failed together do not retry together.
 */
export function retryWaitMs(error: ErrorInfo, attempt: number, random: () => number): number | null {
  if (error.retryable !== true) return null;
  const backOff = FIRST_WAIT_MS * 2 ** attempt * (1 - random() / 4);
  const requestedMs = error.retryAfterMs ?? 0;
  return requestedMs > MAX_WAIT_MS ? null : Math.max(requestedMs, Math.round(backOff));
}

/** A notice for the user if the delay is noticeable; null if not. */
export function waitNotice(waitMs: number, error: ErrorInfo): string | null {
  if (waitMs < 2000) return null;
  return `${error.message} Retrying in ${Math.round(waitMs / 1000)} s.`;
}
