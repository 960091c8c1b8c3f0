import { startAuthorization } from '@modelcontextprotocol/client';
import type { Clock, JsonObject, AnyText } from '@toolyard/protocol';
import { defined, isJsonObject, ToolyardError, say } from '@toolyard/protocol';
import { sha256 } from '../values/sha256.ts';
import type { AuthStore } from './auth-store.ts';
import type { ClientMetadata } from './client-identity.ts';
import { chooseClient } from './client-identity.ts';
import type { SignInServer } from './discovery.ts';
import { createProofKey, readProofKey } from './dpop-keys.ts';
import type { HopLog } from './hops.ts';
import { describeHop } from './hops.ts';
import { isSameIssuer } from './issuer.ts';
import type { OAuthSettings } from './oauth-settings.ts';
import { joinScopes } from './scopes.ts';
import { readEndpoint } from './sign-in-url.ts';
import type { StoredTokens } from './stored-tokens.ts';
import { blankTokens, withTokenResponse } from './stored-tokens.ts';
import { pickTexts } from '../values/pick-texts.ts';
import type { TokenRequest } from './token-request.ts';
import { requestToken, TokenRefused } from './token-request.ts';
import { randomName } from './token-keeper.ts';
import { createConfigError } from '../values/config-error.ts';

/** How long a user may take to sign in, in milliseconds. */
export const SIGN_IN_MS = 20 * 60_000;

/** The authorization URL to open in the browser. */
export type StartedSignIn = {
  authorizationUrl: string;
  /** Returned in the redirect; proves that the sign-in was started here. */
  state: string;
  /** The issuer of the authorization server. */
  issuer: string;
};

/** The parameters of the redirect. Untrusted, except for a matching state. */
export type SignInResponse = { state: string; code?: string; iss?: string; error?: string; errorDescription?: string };

/**
 * Reads the parameters of the redirect.
 *
 * @example
 * const response = readSignInResponse(new URL(redirectedTo).searchParams);
 * const serverId = await host.finishSignIn(response);
 */
export function readSignInResponse(params: URLSearchParams): SignInResponse {
  const param = (name: string, as: 'code' | 'iss' | 'error' | 'errorDescription') => {
    const value = params.get(name);
    return value === null ? {} : { [as]: value };
  };
  return {
    state: params.get('state') ?? '',
    ...param('code', 'code'),
    ...param('iss', 'iss'),
    ...param('error', 'error'),
    ...param('error_description', 'errorDescription'),
  };
}

export type SignInContext = {
  serverId: string;
  serverUrl: string;
  settings: OAuthSettings;
  introduction: ClientMetadata;
  store: AuthStore;
  clock: Clock;
  hops: HopLog;
  privateKey: TokenRequest['privateKey'];
};

/** A pending sign-in, as stored until the redirect. */
type Pending = Omit<StoredTokens, 'accessToken' | 'tokenType' | 'refreshToken' | 'expiresAt' | 'asked' | 'renewal'> & {
  serverId: string;
  /** Absent for an authorization server without metadata. */
  checksIssuer?: boolean;
  verifier: string;
  redirectUrl: string;
  until: number;
};

/**
 * The scopes to request: the configured ones, else those the server just asked for, else all it lists; plus
 * `offline_access` if the authorization server supports it.
 */
export function scopeToAsk(
  settings: OAuthSettings,
  server: SignInServer,
  requestedScope: string | undefined,
): string | undefined {
  const scope = joinScopes(
    settings.scope ?? requestedScope ?? server.scope,
    settings.scope === undefined ? undefined : requestedScope,
  );
  if (scope === undefined || settings.grant !== undefined) return scope;
  const lasts = server.metadata?.scopes_supported?.includes('offline_access') === true;
  return lasts ? joinScopes(scope, 'offline_access') : scope;
}

/** Prepares a sign-in and stores what is needed to finish it, in any process. */
export async function beginSignIn(
  context: SignInContext,
  server: SignInServer,
  redirectUrl: string,
  requestedScope: string | undefined,
): Promise<StartedSignIn> {
  const { serverId, serverUrl, settings, store, clock } = context;
  refuseWithoutCrypto();
  const scope = scopeToAsk(settings, server, requestedScope);
  const endpoint = readEndpoint('sign-in page', server.authorizationEndpoint, server.issuer);
  const client = await chooseClient({ ...context, server, redirectUrl, scope, now: clock.now() });
  const state = randomName();
  const { authorizationUrl, codeVerifier } = await startAuthorization(endpoint, {
    ...(server.metadata === undefined
      ? {}
      : {
          metadata: {
            ...server.metadata,
            authorization_endpoint: endpoint.href,
            code_challenge_methods_supported: ['S256'],
          },
        }),
    clientInformation: { client_id: client.clientId },
    redirectUrl,
    state,
    ...defined({ scope, resource: server.resource }),
  });
  const pending: Pending = {
    serverId,
    serverUrl,
    issuer: server.issuer,
    ...(server.metadata === undefined
      ? {}
      : { checksIssuer: server.metadata['authorization_response_iss_parameter_supported'] === true }),
    tokenEndpoint: server.tokenEndpoint,
    authMethods: [...(server.metadata?.token_endpoint_auth_methods_supported ?? [])],
    ...defined({ revocationEndpoint: server.revocationEndpoint }),
    client,
    verifier: codeVerifier,
    redirectUrl,
    ...defined({ resource: server.resource, scope }),
    ...(server.wantsProof ? { proofKey: (await createProofKey()).stored } : {}),
    until: clock.now() + SIGN_IN_MS,
  };
  await store.put(pendingKey(state), pending, null, pending.until);
  return { authorizationUrl: authorizationUrl.href, state, issuer: server.issuer };
}

/**
 * Claims a pending sign-in. Each can be claimed once, by one process.
 *
 * @throws ToolyardError `not_found` for an unknown or expired state
 */
export async function claimSignIn(store: AuthStore, clock: Clock, state: string): Promise<Pending> {
  const row = state.length > 200 ? undefined : await store.get(pendingKey(state));
  const pending = row === undefined ? undefined : readPending(row.value);
  const isFirst = row !== undefined && (await store.remove(pendingKey(state), row.version));
  if (pending !== undefined && isFirst && pending.until > clock.now()) return pending;
  throw new ToolyardError({
    code: 'not_found',
    message: say`This sign-in is unknown, already finished, or expired.`,
    hint: say`Start it again.`,
  });
}

/**
 * Exchanges the parameters of the redirect for tokens.
 *
 * @throws ToolyardError why there are none; nothing of the response is used before its issuer is verified
 */
export async function finishSignIn(
  context: SignInContext,
  pending: Pending,
  response: SignInResponse,
): Promise<StoredTokens> {
  const { serverId, clock, hops, privateKey } = context;
  checkIssuer(serverId, pending, response.iss);
  if (response.error !== undefined) throw createNotSignedInError(serverId, response);
  if (response.code === undefined || response.code === '') {
    throw createSignInError(serverId, 'the authorization server sent no code');
  }
  const proof = pending.proofKey === undefined ? undefined : await readProofKey(pending.proofKey);
  try {
    const answer = await requestToken({
      endpoint: pending.tokenEndpoint,
      client: pending.client,
      authMethods: pending.authMethods,
      ...defined({ privateKey }),
      params: {
        grant_type: 'authorization_code',
        code: response.code,
        code_verifier: pending.verifier,
        redirect_uri: pending.redirectUrl,
        ...defined({ resource: pending.resource }),
      },
      proof: proof?.session,
      hops,
    });
    const { serverUrl, issuer, tokenEndpoint, authMethods, revocationEndpoint } = pending;
    const { client, resource, scope, proofKey } = pending;
    const place = { serverUrl, issuer, tokenEndpoint, authMethods, client };
    const blank = blankTokens({ ...place, ...defined({ revocationEndpoint, resource, scope, proofKey }) });
    return withTokenResponse(blank, answer, clock.now());
  } catch (thrown) {
    if (!(thrown instanceof TokenRefused)) throw thrown;
    const { last } = hops;
    throw createSignInError(
      serverId,
      `the authorization server returned no token${last === undefined ? '' : ` (${describeHop(last)})`}`,
      hintFor(`${thrown.error} ${last?.said ?? ''}`),
    );
  }
}

/** Rejects a response of another authorization server (mix-up attack, RFC 9207). */
function checkIssuer(serverId: string, { issuer, checksIssuer }: Pending, iss: string | undefined): void {
  if (iss === undefined && checksIssuer !== true) return;
  // Without metadata, the issuer is not the server's own text.
  if (iss !== undefined && (checksIssuer === undefined ? isSameIssuer(iss, issuer) : iss === issuer)) return;
  throw createSignInError(serverId, 'the response is not from the expected authorization server');
}

function createNotSignedInError(serverId: string, { error = '', errorDescription }: SignInResponse): ToolyardError {
  if (error === 'access_denied')
    return createSignInError(serverId, say`it was declined`, say`Start it again to allow access.`);
  const details = [error, errorDescription].filter(Boolean).join(': ').slice(0, 300);
  return createSignInError(serverId, `the authorization server reports: ${details}`, hintFor(details));
}

/** Nothing is left out by itself: `resource` binds a token to its server, and a server that rejects it may protect others. */
function hintFor(reason: string): AnyText | undefined {
  if (!/invalid_target|\bresource\b/i.test(reason)) return undefined;
  return say`If the authorization server does not support "resource" (RFC 8707), set it to false under "oauth" of the server.`;
}

function createSignInError(
  serverId: string,
  why: AnyText,
  hint: AnyText = say`Start it again; the log of the server shows its requests.`,
): ToolyardError {
  return new ToolyardError({
    code: 'server_refused',
    message: say`The sign-in to "${serverId}" failed: ${why}.`,
    hint,
  });
}

/** Browsers provide Web Crypto only on https pages and on this machine. */
function refuseWithoutCrypto(): void {
  if (globalThis.crypto?.subtle !== undefined) return;
  throw createConfigError(
    say`Signing in is not possible on this page, because it was not loaded over https.`,
    say`Open Toolyard over https, or on the machine it runs on.`,
  );
}

/** A state is as sensitive as a password, so only its hash is stored. */
function pendingKey(state: string): string {
  return `sign-in/${sha256(state)}`;
}

function readPending(value: JsonObject): Pending | undefined {
  const text = (key: string): string => (typeof value[key] === 'string' ? value[key] : '');
  const { client, until, authMethods, checksIssuer, proofKey } = value;
  if (!isJsonObject(client) || typeof until !== 'number' || text('serverId') === '') return undefined;
  return {
    serverId: text('serverId'),
    serverUrl: text('serverUrl'),
    issuer: text('issuer'),
    tokenEndpoint: text('tokenEndpoint'),
    verifier: text('verifier'),
    redirectUrl: text('redirectUrl'),
    authMethods: Array.isArray(authMethods) ? authMethods.map(String) : [],
    client: {
      issuer: text('issuer'),
      clientId: typeof client['clientId'] === 'string' ? client['clientId'] : '',
      ...pickTexts(client, ['clientSecret', 'authMethod']),
    },
    ...(typeof checksIssuer === 'boolean' ? { checksIssuer } : {}),
    ...pickTexts(value, ['revocationEndpoint', 'resource', 'scope']),
    ...(isJsonObject(proofKey) ? { proofKey } : {}),
    until,
  };
}
