import type { Response as InnerResponse } from 'undici';

/** Statuses without a body (Fetch standard, "null body status"). */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/**
 * undici cancels an unread body once its response is garbage collected, so the new response must keep the original
 * reachable.
 */
const originals = new WeakMap<Response, InnerResponse>();

/** A platform Response for undici's: callers use `instanceof`. The body is the same stream, not a copy. */
export function toPlatformResponse(inner: InnerResponse, url: URL, redirected: boolean): Response {
  const body = WITHOUT_BODY.has(inner.status) ? null : inner.body;
  const response = new Response(body, {
    // The constructor rejects statuses and status texts that servers do send.
    status: Math.min(inner.status, 599),
    statusText: inner.statusText.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''),
    headers: [...inner.headers],
  });
  const { href } = url;
  Object.defineProperties(response, {
    status: { value: inner.status },
    url: { value: url.hash === '' ? href : href.slice(0, -url.hash.length) },
    redirected: { value: redirected },
  });
  originals.set(response, inner);
  return response;
}
