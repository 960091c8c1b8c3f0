import type { RequestOptions } from '@modelcontextprotocol/client';
import type { OpenRequest } from './track-request.ts';

/** Disables the SDK's timer, which cannot be suspended while a user is asked. */
const NO_TIMEOUT = 2 ** 31 - 1;
const MAX_TOTAL_MS = 60 * 60 * 1_000;

/** Progress renews the timeout, up to this total: an hour, or ten times the timeout if that is longer. */
export function longestTotal(timeoutMs: number): number {
  return Math.max(MAX_TOTAL_MS, 10 * timeoutMs);
}

/** The SDK's options of a request whose time is kept here. */
export function sdkOptions(
  { signal, deadline }: OpenRequest,
  report: RequestOptions['onprogress'],
): RequestOptions & { allowInputRequired: true } {
  return {
    signal,
    timeout: NO_TIMEOUT,
    allowInputRequired: true,
    onprogress: (progress) => {
      deadline.renew();
      report?.(progress);
    },
  };
}
