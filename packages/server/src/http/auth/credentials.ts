import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Header of the secret that a page sends with its cookie. In a 401 response it tells the page to ask for a sign-in. */
export const SESSION_HEADER = 'x-toolyard-session';

/** Prefix of API keys, for users and secret scanners. */
export const KEY_PREFIX = 'tyk_';

/** Lifetime of the cookie in the browser; the database row decides whether the session is valid. */
const COOKIE_LIFETIME_S = 365 * 24 * 3600;

/** 256 random bits cannot be guessed, so a fast hash is sufficient for storage. */
export function randomCredential(): string {
  return randomBytes(32).toString('base64url');
}

export function hashCredential(credential: string): string {
  return createHash('sha256').update(credential).digest('base64url');
}

/** Compares hashes, so that timing reveals nothing about the credential. */
export function isSameSecret(hash: string, other: string): boolean {
  const [one, two] = [Buffer.from(hash), Buffer.from(other)];
  return one.length === two.length && timingSafeEqual(one, two);
}

/**
 * Cookies ignore ports: without the port in the name, two servers on one machine would overwrite each other's session.
 */
function cookieName(incoming: IncomingMessage): string {
  return `toolyard_${incoming.socket.localPort ?? 0}`;
}

export function readCookie(incoming: IncomingMessage): string | undefined {
  const start = `${cookieName(incoming)}=`;
  return (incoming.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
}

/** The `Set-Cookie` of a session; null deletes the cookie. */
export function sessionCookie(incoming: IncomingMessage, value: string | null): string {
  // Behind a TLS proxy only the origin shows that the page was loaded over HTTPS.
  const secure = incoming.headers.origin?.startsWith('https:') ? '; Secure' : '';
  const lifetime = value === null ? 0 : COOKIE_LIFETIME_S;
  return `${cookieName(incoming)}=${value ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${lifetime}${secure}`;
}
