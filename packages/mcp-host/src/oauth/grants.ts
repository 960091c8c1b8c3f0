import { defined, ToolyardError, say } from '@toolyard/protocol';
import { chooseClient } from './client-identity.ts';
import type { SignInServer } from './discovery.ts';
import { createProofKey } from './dpop-keys.ts';
import { describeHop } from './hops.ts';
import type { OAuthGrant, SecretText } from './oauth-settings.ts';
import type { SignInContext } from './sign-in.ts';
import { scopeToAsk } from './sign-in.ts';
import { readEndpoint } from './sign-in-url.ts';
import type { StoredTokens } from './stored-tokens.ts';
import { blankTokens, withTokenResponse } from './stored-tokens.ts';
import { requestToken, TokenRefused } from './token-request.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';

/**
 * Gets tokens without a user. Not retried, because a rejected grant stays rejected.
 *
 * @throws ToolyardError
 */
export async function tokensByGrant(
  context: SignInContext,
  server: SignInServer,
  grant: OAuthGrant,
  requestedScope: string | undefined,
): Promise<StoredTokens> {
  const { serverId, serverUrl, settings, clock, hops, privateKey } = context;
  const scope = scopeToAsk(settings, server, requestedScope);
  const client = await chooseClient({ ...context, server, scope, now: clock.now() });
  const proof = server.wantsProof ? await createProofKey() : undefined;
  const authMethods = [...(server.metadata?.token_endpoint_auth_methods_supported ?? [])];
  const { issuer, tokenEndpoint, resource } = server;
  const place = { serverUrl, issuer, tokenEndpoint, authMethods, client };
  const blank = blankTokens({ ...place, ...defined({ resource, scope, proofKey: proof?.stored }) });
  try {
    const answer = await requestToken({
      endpoint: tokenEndpoint,
      client,
      authMethods,
      ...defined({ privateKey }),
      params: {
        ...(await createParams(context, server, grant, scope)),
        ...defined({ scope, resource }),
      },
      proof: proof?.session,
      hops,
    });
    // There is no refresh token: the same grant is used again.
    const { refreshToken: _unused, ...rest } = answer;
    return withTokenResponse(blank, rest, clock.now());
  } catch (thrown) {
    if (!(thrown instanceof TokenRefused)) throw thrown;
    const { last } = hops;
    throw new ToolyardError({
      code: 'server_refused',
      message:
        last === undefined
          ? say`Toolyard could not get a token for "${serverId}".`
          : say`Toolyard could not get a token for "${serverId}" (${describeHop(last)}).`,
      hint: say`Check "oauth" of the server.`,
    });
  }
}

async function createParams(
  context: SignInContext,
  server: SignInServer,
  grant: OAuthGrant,
  scope: string | undefined,
): Promise<Record<string, string>> {
  switch (grant.type) {
    case 'client_credentials':
      return { grant_type: 'client_credentials' };
    case 'jwt_bearer':
      return { grant_type: JWT_BEARER, assertion: await fresh(grant.assertion) };
    case 'enterprise':
      return { grant_type: JWT_BEARER, assertion: await exchanged(context, server, grant, scope) };
  }
}

/** Exchanges the ID token of a user at the identity provider for an assertion for this server and client. */
async function exchanged(
  { serverUrl, settings, hops }: SignInContext,
  server: SignInServer,
  grant: Extract<OAuthGrant, { type: 'enterprise' }>,
  scope: string | undefined,
): Promise<string> {
  const { clientId, clientSecret, tokenEndpoint } = grant;
  // The operator configured this URL, so it is used as given.
  const endpoint = readEndpoint('token endpoint of the identity provider', tokenEndpoint, tokenEndpoint).href;
  const { accessToken } = await requestToken({
    endpoint,
    client: { issuer: endpoint, clientId, ...defined({ clientSecret }) },
    authMethods: clientSecret === undefined ? [] : ['client_secret_post'],
    params: {
      grant_type: TOKEN_EXCHANGE,
      requested_token_type: `${TOKEN_TYPE}id-jag`,
      subject_token_type: `${TOKEN_TYPE}id_token`,
      subject_token: await fresh(grant.idToken),
      audience: server.issuer,
      resource: server.resource ?? (typeof settings.resource === 'string' ? settings.resource : serverUrl),
      ...defined({ scope }),
    },
    hops,
    step: 'identity provider',
  });
  return accessToken;
}

async function fresh(text: SecretText): Promise<string> {
  return typeof text === 'string' ? text : text();
}
