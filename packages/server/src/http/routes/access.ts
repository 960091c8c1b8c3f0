import type { ApiKeyView, JsonObject, KeyScope } from '@toolyard/protocol';
import { DEFAULT_KEY_SCOPES, KEY_SCOPES, LIMITED_KEY_SCOPES, say } from '@toolyard/protocol';
import { readLimits } from '../auth/limited-keys.ts';
import type { StoredApiKey } from '@toolyard/storage';
import { hashCredential, KEY_PREFIX, randomCredential } from '../auth/credentials.ts';
import { notFound, refusal } from '../problems.ts';
import { reachableOrigins } from '../transport/reachable-origins.ts';
import type { Router } from '../transport/router.ts';
import type { RouteContext } from '../route-context.ts';

/** Characters of a key that are stored in plain text to identify it. */
const SHOWN_CHARACTERS = KEY_PREFIX.length + 6;

/** Sessions, sign-in links and API keys. */
export function addAccessRoutes({ route }: Router, deps: RouteContext): void {
  const { storage, clock, ids, security, auth } = deps;
  const { authentication, sessions } = auth;

  route('GET /api/access/sessions', async ({ principal }) => ({ items: await sessions.list(principal) }));

  route('DELETE /api/access/sessions', ({ principal }) => sessions.revokeOthers(principal));

  route('DELETE /api/access/sessions/{id}', async ({ principal, params: { id } }) => {
    if (!(await sessions.revoke(principal, id))) throw notFound('session', id);
  });

  route('POST /api/access/links', async ({ c, principal }) => {
    if (!authentication.tokenRequired) throw noSignIn();
    const link = await sessions.createLink(principal);
    const origins = reachableOrigins(security.host, c.env.incoming.socket.localPort ?? 0);
    return { ...link, origins };
  });

  route('GET /api/access/keys', async ({ principal }) => ({
    items: (await storage.apiKeys.list(principal)).map(toView),
  }));

  route('POST /api/access/keys', async ({ principal, body: { name, scopes, expiresAt, limits } }) => {
    const now = clock.now();
    if (expiresAt !== undefined && expiresAt <= now) throw alreadyExpired(expiresAt);
    const excess = limits && (scopes ?? []).find((scope) => !LIMITED_KEY_SCOPES.includes(scope));
    if (excess !== undefined) throw tooManyScopes(excess);
    const secret = KEY_PREFIX + randomCredential();
    const key: StoredApiKey = {
      id: ids.next(),
      ownerId: principal.ownerId,
      name,
      start: secret.slice(0, SHOWN_CHARACTERS),
      scopes: KEY_SCOPES.filter((each) => (scopes ?? DEFAULT_KEY_SCOPES).includes(each)),
      createdAt: now,
      expiresAt: expiresAt ?? null,
      lastUsedAt: null,
      limits: limits === undefined ? null : (JSON.parse(JSON.stringify(limits)) as JsonObject),
    };
    await storage.apiKeys.create({ ...key, keyHash: hashCredential(secret) });
    return { ...toView(key), key: secret };
  });

  route('DELETE /api/access/keys/{id}', async ({ principal, params: { id } }) => {
    if (!(await storage.apiKeys.revoke(principal, id))) throw notFound('API key', id);
  });
}

function tooManyScopes(scope: KeyScope) {
  return refusal({
    code: 'bad_request',
    message: say`A key with limits cannot have the scope ${JSON.stringify(scope)}.`,
    hint: say`It can have ${LIMITED_KEY_SCOPES.join(', ')}.`,
  });
}

function toView({ id, name, scopes, start, createdAt, expiresAt, lastUsedAt, limits }: StoredApiKey): ApiKeyView {
  const known = KEY_SCOPES.filter((scope) => scopes.includes(scope));
  return { id, name, scopes: known, start, createdAt, expiresAt, lastUsedAt, limits: limits && readLimits(limits) };
}

function alreadyExpired(expiresAt: number) {
  return refusal({
    code: 'bad_request',
    message: `expiresAt must be in the future (got ${new Date(expiresAt).toISOString()}).`,
    hint: 'Set it to milliseconds since 1970, later than now.',
  });
}

function noSignIn() {
  return refusal({
    code: 'conflict',
    message: 'This server runs with --no-token: browsers do not need to sign in.',
  });
}
