import type { JsonObject } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import type { OAuthClient } from './client-identity.ts';
import type { TokenResponse } from './token-request.ts';

/** A token that is about to expire is renewed before it is used, in milliseconds. */
const EARLY_MS = 30_000;

/** Tokens as they are kept, with everything that is needed to renew them. They belong to one server and one issuer. */
export type StoredTokens = {
  /** The address they are sent to, and to no other. */
  serverUrl: string;
  issuer: string;
  tokenEndpoint: string;
  authMethods: string[];
  /** Where they are given back. */
  revocationEndpoint?: string;
  resource?: string;
  client: OAuthClient;
  accessToken: string;
  tokenType: 'Bearer' | 'DPoP';
  refreshToken?: string;
  /** Milliseconds since 1970. */
  expiresAt?: number;
  /** What was given. */
  scope?: string;
  /** What was asked for. */
  asked?: string;
  proofKey?: JsonObject;
  /** Somebody is renewing them; after `until` he is believed to have died. */
  renewal?: { by: string; until: number };
};

/** Where the tokens of a server are kept. */
export function tokensKey(serverId: string): string {
  return `tokens/${serverId}`;
}

/** Null for what is no longer, or was never, tokens of ours. */
export function readTokens(value: JsonObject): StoredTokens | null {
  const text = (key: string): string | undefined => (typeof value[key] === 'string' ? value[key] : undefined);
  const { client, renewal, proofKey, expiresAt, authMethods } = value;
  const [serverUrl, issuer, tokenEndpoint] = [text('serverUrl'), text('issuer'), text('tokenEndpoint')];
  const accessToken = text('accessToken');
  if (serverUrl === undefined || issuer === undefined || tokenEndpoint === undefined) return null;
  if (accessToken === undefined || !isJsonObject(client) || typeof client['clientId'] !== 'string') return null;
  const optional = (key: 'revocationEndpoint' | 'resource' | 'refreshToken' | 'scope' | 'asked') => {
    const found = text(key);
    return found === undefined ? {} : { [key]: found };
  };
  const clientText = (key: 'clientSecret' | 'authMethod') =>
    typeof client[key] === 'string' ? { [key]: client[key] } : {};
  return {
    serverUrl,
    issuer,
    tokenEndpoint,
    authMethods: Array.isArray(authMethods) ? authMethods.map(String) : [],
    client: { issuer, clientId: client['clientId'], ...clientText('clientSecret'), ...clientText('authMethod') },
    accessToken,
    tokenType: value['tokenType'] === 'DPoP' ? 'DPoP' : 'Bearer',
    ...optional('revocationEndpoint'),
    ...optional('resource'),
    ...optional('refreshToken'),
    ...optional('scope'),
    ...optional('asked'),
    ...(typeof expiresAt === 'number' ? { expiresAt } : {}),
    ...(isJsonObject(proofKey) ? { proofKey } : {}),
    ...(isJsonObject(renewal) && typeof renewal['by'] === 'string' && typeof renewal['until'] === 'number'
      ? { renewal: { by: renewal['by'], until: renewal['until'] } }
      : {}),
  };
}

/** The tokens after an answer of the token endpoint; whoever was renewing them has done so. */
export function withTokenResponse(
  { renewal: _done, expiresAt: _before, ...tokens }: StoredTokens,
  answer: TokenResponse,
  now: number,
): StoredTokens {
  const { accessToken, tokenType, refreshToken, expiresIn, scope } = answer;
  return {
    ...tokens,
    accessToken,
    tokenType,
    // One that is not replaced stays valid.
    ...defined({ refreshToken }),
    ...(expiresIn === undefined ? {} : { expiresAt: now + expiresIn * 1_000 }),
    ...defined({ scope }),
  };
}

export function isExpiring({ expiresAt }: StoredTokens, now: number): boolean {
  return expiresAt !== undefined && expiresAt - EARLY_MS <= now;
}
