import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Header of the secret that a page sends with its cookie; on a 401 it says that signing in helps. */
export const SESSION_HEADER = 'x-toolyard-session';

/** API keys begin with it, so that people and secret scanners recognize them. */
export const KEY_PREFIX = 'tyk_';

/** The browser forgets the cookie after this; whether the session is valid is decided by its row. */
const COOKIE_LIFETIME_S = 365 * 24 * 3600;

/** 256 random bits: nobody guesses them, so one fast hash is enough to store. */
export function randomCredential(): string {
  return randomBytes(32).toString('base64url');
}

export function hashOf(credential: string): string {
  return createHash('sha256').update(credential).digest('base64url');
}

/** Compares hashes, so that the time taken says nothing about the credential. */
export function isSameSecret(hash: string, other: string): boolean {
  const [one, two] = [Buffer.from(hash), Buffer.from(other)];
  return one.length === two.length && timingSafeEqual(one, two);
}

/** Cookies do not tell ports apart: without the port two servers on one machine would sign each other out. */
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
  // A page loaded over https says so in its origin: TLS may end at a proxy in front of this server.
  const secure = incoming.headers.origin?.startsWith('https:') ? '; Secure' : '';
  const lifetime = value === null ? 0 : COOKIE_LIFETIME_S;
  return `${cookieName(incoming)}=${value ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${lifetime}${secure}`;
}
