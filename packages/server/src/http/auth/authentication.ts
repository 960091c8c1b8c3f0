import type { IncomingMessage } from 'node:http';
import type { Clock, Owner, Principal } from '@toolyard/protocol';
import { SCOPES } from '@toolyard/protocol';
import type { StoredApiKey, StoredSession, SharedStorage } from '@toolyard/storage';
import type { ProblemAnswer } from '../problems.ts';
import type { AccessToken } from '../types.ts';
import { ANONYMOUS } from '../types.ts';
import { hashCredential, isSameSecret, KEY_PREFIX, readCookie, SESSION_HEADER } from './credentials.ts';
import type { FailureLimit } from './failure-limit.ts';
import type { LimitedRoute } from './limited-keys.ts';
import { checkLimitedKey, readLimits } from './limited-keys.ts';
import { noCredential, noSecret, sessionOver, tooManyFailures, wrongToken } from './refusals.ts';
import { nextExpiry } from './session-lifetime.ts';

/** Delay of the response to a wrong credential. */
const DELAY_AFTER_FAILURE_MS = 250;
/** Minimum interval between recorded uses, so that not every request writes. */
const RECORD_USE_EVERY_MS = 5 * 60_000;

/** Authenticates requests. */
export type Authentication = {
  readonly tokenRequired: boolean;
  /**
   * The limits of a key belong to its principal: every caller names the route, also one that is
   * open to others, and no route can forget them.
   *
   * @throws ProblemAnswer 401 without a valid credential, 403 or 404 for a route or run beyond the limits of the key, 429
   * after too many failed attempts
   */
  getPrincipal(incoming: IncomingMessage, route: LimitedRoute): Promise<Principal>;
  /** Null without a valid credential; for public routes. */
  principalIfAny(incoming: IncomingMessage): Promise<Principal | null>;
  /** The owner of an access token; null if the token is wrong. */
  ownerOfToken(token: string): Owner | null;
  /** Whether the credential is still valid; for streams, which stay open. */
  isStillValid(principal: Principal): Promise<boolean>;
  /** Responds to a wrong credential; never resolves. @throws ProblemAnswer */
  fail(why: ProblemAnswer): Promise<never>;
};

type Dependencies = {
  /** Null: no credential is required. */
  tokens: readonly AccessToken[] | null;
  storage: Pick<SharedStorage, 'sessions' | 'apiKeys' | 'runs'>;
  clock: Pick<Clock, 'now' | 'after'>;
  limit: FailureLimit;
};

type Found = Principal | ProblemAnswer;

export function createAuthentication({ tokens, storage, clock, limit }: Dependencies): Authentication {
  const known = (tokens ?? []).map(({ token, principal, via = 'token' }) => ({
    hash: hashCredential(token),
    principal: { ownerId: principal.ownerId, via, scopes: SCOPES } satisfies Principal,
  }));

  /** Compares with every token, so that the time taken reveals nothing. */
  function tokenPrincipal(token: string): Principal | undefined {
    const hash = hashCredential(token);
    return known.filter((each) => isSameSecret(each.hash, hash))[0]?.principal;
  }

  async function keyPrincipal(key: string): Promise<Principal | undefined> {
    if (!key.startsWith(KEY_PREFIX)) return undefined;
    const found = await storage.apiKeys.find(hashCredential(key), clock.now());
    if (found === null) return undefined;
    await recordUse(found, () => storage.apiKeys.touch(found.id, clock.now()));
    const scopes = SCOPES.filter((scope) => scope !== 'access' && found.scopes.includes(scope));
    const { id: credentialId, name: credentialName, ownerId } = found;
    const principal: Principal = { ownerId, via: 'api_key', scopes, credentialId, credentialName };
    return found.limits === null ? principal : { ...principal, limits: readLimits(found.limits) };
  }

  async function ofBearer(authorization: string): Promise<Found> {
    const bearer = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1];
    const found = bearer === undefined ? undefined : (tokenPrincipal(bearer) ?? (await keyPrincipal(bearer)));
    return found ?? wrongToken();
  }

  async function ofCookie(cookie: string, incoming: IncomingMessage): Promise<Found> {
    const secret = incoming.headers[SESSION_HEADER];
    const session = await storage.sessions.find(hashCredential(cookie), clock.now());
    if (session === null) return sessionOver();
    if (typeof secret !== 'string' || !isSameSecret(session.secretHash, hashCredential(secret))) return noSecret();
    await recordUse(session, () =>
      storage.sessions.touch(session.id, { lastUsedAt: clock.now(), expiresAt: nextExpiry(session, clock.now()) }),
    );
    return { ownerId: session.ownerId, via: 'session', scopes: SCOPES, credentialId: session.id };
  }

  /** A failed write, such as on a full disk, must not reject a valid credential. */
  async function recordUse({ lastUsedAt }: StoredSession | StoredApiKey, write: () => Promise<void>): Promise<void> {
    if (lastUsedAt !== null && clock.now() - lastUsedAt < RECORD_USE_EVERY_MS) return;
    await write().catch(() => undefined);
  }

  async function find(incoming: IncomingMessage): Promise<Found> {
    if (tokens === null) return ANONYMOUS;
    const { authorization } = incoming.headers;
    if (authorization !== undefined) return ofBearer(authorization);
    const cookie = readCookie(incoming);
    return cookie === undefined ? noCredential() : ofCookie(cookie, incoming);
  }

  async function fail(why: ProblemAnswer): Promise<never> {
    const seconds = limit.count();
    if (seconds !== null) throw tooManyFailures(seconds);
    await new Promise<void>((resolve) => void clock.after(DELAY_AFTER_FAILURE_MS, resolve));
    throw why;
  }

  return {
    tokenRequired: tokens !== null,
    async getPrincipal(incoming, route) {
      const found = await find(incoming);
      if (isPrincipal(found)) {
        await checkLimitedKey(found, route, storage.runs);
        return found;
      }
      // An expired cookie is not a guess: respond at once, even if the failure limit is reached.
      if (incoming.headers.authorization !== undefined) return fail(found);
      throw found;
    },
    async principalIfAny(incoming) {
      const found = await find(incoming);
      if (isPrincipal(found)) return found;
      if (incoming.headers.authorization !== undefined) limit.count();
      return null;
    },
    ownerOfToken: (token) => tokenPrincipal(token) ?? null,
    async isStillValid({ via, credentialId }) {
      if (credentialId === undefined) return true;
      const { sessions, apiKeys } = storage;
      return (via === 'api_key' ? apiKeys : sessions).isValid(credentialId, clock.now());
    },
    fail,
  };
}

function isPrincipal(found: Found): found is Principal {
  return 'ownerId' in found;
}
