import type { Response as InnerResponse } from 'undici';

/** Statuses that have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/**
 * undici cancels a body nobody has begun to read once its response is garbage. Ours must therefore hold on to the
 * one it was made from.
 */
const madeFrom = new WeakMap<Response, InnerResponse>();

/**
 * The platform's own Response around undici's: others recognise responses with `instanceof`. The body is the same
 * stream, not a copy.
 */
export function toPlatformResponse(inner: InnerResponse, url: URL, redirected: boolean): Response {
  const body = WITHOUT_BODY.has(inner.status) ? null : inner.body;
  const response = new Response(body, {
    // The constructor refuses statuses and texts that servers do send.
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
  madeFrom.set(response, inner);
  return response;
}
