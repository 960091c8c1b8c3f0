import { say, withTemplate, type ErrorInfo, type TranslatableText } from '@toolyard/protocol';

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

/** The notice of a retry. Messages of providers often end without a full stop. */
export function waitNotice(waitMs: number, { message, templates }: ErrorInfo): TranslatableText {
  const sentence = /[.!?…。！？]["')\]”’]*$/.test(message.trimEnd()) ? message.trimEnd() : `${message.trimEnd()}.`;
  const reason = sentence === message ? withTemplate(message, templates?.['message']) : sentence;
  return say`${reason} Retrying in ${Math.max(1, Math.round(waitMs / 1000))} s.`;
}
