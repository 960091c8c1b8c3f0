import type { IncomingMessage } from 'node:http';
import type { Clock, IdSource, Owner, Principal, SignedInSession, SignIn } from '@toolyard/protocol';
import { SCOPES } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import type { Authentication } from './authentication.ts';
import { hashCredential, randomCredential, readCookie, sessionCookie } from './credentials.ts';
import { wrongCode, wrongToken } from './refusals.ts';
import { nextExpiry } from './session-lifetime.ts';

/** Lifetime of a sign-in link in milliseconds. */
const CODE_LIFETIME_MS = 10 * 60_000;
const MAX_USER_AGENT = 300;

type NewSession = { principal: Principal; cookie: string; secret: string };

/** Browser sessions. A session starts with a token or a one-time code, and ends when it is revoked or expires. */
export type SessionService = {
  /** @throws ProblemAnswer 401 for a wrong token, or a code that was used or has expired */
  signIn(incoming: IncomingMessage, credential: SignIn): Promise<NewSession>;
  /** Ends the session of this request. Returns the `Set-Cookie` that deletes its cookie. */
  signOut(incoming: IncomingMessage, principal: Principal): Promise<string>;
  /** Path and fragment with a one-time code. Browsers do not send fragments, so no log contains the code. */
  createLink(owner: Owner): Promise<{ path: string; expiresAt: number }>;
  list(principal: Principal): Promise<SignedInSession[]>;
  /** False if there is no session with this id. */
  revoke(principal: Principal, id: string): Promise<boolean>;
  /** Ends all sessions except that of this request. */
  revokeOthers(principal: Principal): Promise<void>;
};

type Dependencies = {
  authentication: Authentication;
  storage: Pick<SharedStorage, 'sessions'>;
  clock: Pick<Clock, 'now'>;
  ids: IdSource;
};

export function createSessionService({ authentication, storage, clock, ids }: Dependencies): SessionService {
  const { sessions } = storage;

  async function ownerBy(credential: SignIn): Promise<Owner> {
    if ('token' in credential) {
      return authentication.ownerOfToken(credential.token) ?? (await authentication.fail(wrongToken()));
    }
    const owner = await sessions.useCode(hashCredential(credential.code), clock.now());
    return owner ?? (await authentication.fail(wrongCode()));
  }

  async function endFormer(incoming: IncomingMessage): Promise<void> {
    const cookie = readCookie(incoming);
    const former = cookie === undefined ? null : await sessions.find(hashCredential(cookie), clock.now());
    if (former !== null) await sessions.revoke(former, former.id);
  }

  return {
    async signIn(incoming, credential) {
      const { ownerId } = await ownerBy(credential);
      await endFormer(incoming);
      const [token, secret] = [randomCredential(), randomCredential()];
      const [id, now] = [ids.next(), clock.now()];
      await sessions.create({
        id,
        ownerId,
        tokenHash: hashCredential(token),
        secretHash: hashCredential(secret),
        userAgent: (incoming.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
        createdAt: now,
        lastUsedAt: now,
        expiresAt: nextExpiry({ createdAt: now }, now),
      });
      const principal: Principal = { ownerId, via: 'session', scopes: SCOPES, credentialId: id };
      return { principal, cookie: sessionCookie(incoming, token), secret };
    },
    async signOut(incoming, principal) {
      if (principal.via === 'session' && principal.credentialId !== undefined) {
        await sessions.revoke(principal, principal.credentialId);
      }
      return sessionCookie(incoming, null);
    },
    async createLink(owner) {
      await sessions.sweep(clock.now());
      const code = randomCredential();
      const expiresAt = clock.now() + CODE_LIFETIME_MS;
      await sessions.addCode(owner, hashCredential(code), expiresAt);
      return { path: `/#code=${code}`, expiresAt };
    },
    async list(principal) {
      const found = await sessions.list(principal, clock.now());
      return found.map(({ id, userAgent, createdAt, lastUsedAt, expiresAt }) => ({
        id,
        userAgent,
        createdAt,
        lastUsedAt,
        expiresAt,
        current: id === principal.credentialId,
      }));
    },
    revoke: (principal, id) => sessions.revoke(principal, id),
    async revokeOthers(principal) {
      await sessions.revokeAll(principal, principal.via === 'session' ? (principal.credentialId ?? null) : null);
    },
  };
}
