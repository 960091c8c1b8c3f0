import { readUrl } from '../values/read-url.ts';

/**
 * Whether two texts name the same authorization server: they differ at most in the case of scheme and host, in a default
 * port and in a slash at the end, which servers write differently in each of their documents. Only the `iss` of a
 * redirect is compared as text if its server promises to send it (RFC 9207 forbids normalization).
 */
export function isSameIssuer(one: string, other: string): boolean {
  return one === other || (normalized(one) ?? one) === (normalized(other) ?? other);
}

function normalized(text: string): string | null {
  const url = readUrl(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return null;
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}${url.search}`;
}
