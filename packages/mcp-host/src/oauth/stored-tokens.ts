import type { JsonObject } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import { pickTexts } from '../values/pick-texts.ts';
import type { OAuthClient } from './client-identity.ts';
import type { TokenResponse } from './token-request.ts';

/** How long before its expiry a token is refreshed, in milliseconds. */
const EARLY_MS = 30_000;

/** Tokens as stored, with everything needed to refresh them. They belong to one server and one issuer. */
export type StoredTokens = {
  /** The only URL they are sent to. */
  serverUrl: string;
  issuer: string;
  tokenEndpoint: string;
  authMethods: string[];
  /** The revocation endpoint. */
  revocationEndpoint?: string;
  resource?: string;
  client: OAuthClient;
  accessToken: string;
  tokenType: 'Bearer' | 'DPoP';
  refreshToken?: string;
  /** Milliseconds since 1970. */
  expiresAt?: number;
  /** The granted scopes. */
  scope?: string;
  /** The requested scopes. */
  asked?: string;
  proofKey?: JsonObject;
  /** The process that is refreshing them; after `until` it is considered dead. */
  renewal?: { by: string; until: number };
};

/** Store key of a server's tokens. */
export function tokensKey(serverId: string): string {
  return `tokens/${serverId}`;
}

/** Null for missing or invalid tokens. */
export function readTokens(value: JsonObject): StoredTokens | null {
  const text = (key: string): string | undefined => (typeof value[key] === 'string' ? value[key] : undefined);
  const { client, renewal, proofKey, expiresAt, authMethods } = value;
  const [serverUrl, issuer, tokenEndpoint] = [text('serverUrl'), text('issuer'), text('tokenEndpoint')];
  const accessToken = text('accessToken');
  if (serverUrl === undefined || issuer === undefined || tokenEndpoint === undefined) return null;
  if (accessToken === undefined || !isJsonObject(client) || typeof client['clientId'] !== 'string') return null;
  return {
    serverUrl,
    issuer,
    tokenEndpoint,
    authMethods: Array.isArray(authMethods) ? authMethods.map(String) : [],
    client: { issuer, clientId: client['clientId'], ...pickTexts(client, ['clientSecret', 'authMethod']) },
    accessToken,
    tokenType: value['tokenType'] === 'DPoP' ? 'DPoP' : 'Bearer',
    ...pickTexts(value, ['revocationEndpoint', 'resource', 'refreshToken', 'scope', 'asked']),
    ...(typeof expiresAt === 'number' ? { expiresAt } : {}),
    ...(isJsonObject(proofKey) ? { proofKey } : {}),
    ...(isJsonObject(renewal) && typeof renewal['by'] === 'string' && typeof renewal['until'] === 'number'
      ? { renewal: { by: renewal['by'], until: renewal['until'] } }
      : {}),
  };
}

/** Before the first response of the token endpoint. A server that grants the requested scope may omit it (RFC 6749, 5.1). */
export function blankTokens({
  scope,
  ...tokens
}: Omit<StoredTokens, 'accessToken' | 'tokenType' | 'asked'>): StoredTokens {
  return { ...tokens, accessToken: '', tokenType: 'Bearer', ...defined({ scope, asked: scope }) };
}

/** The tokens after a response of the token endpoint, with the refresh claim cleared. */
export function withTokenResponse(
  { renewal: _renewal, expiresAt: _before, ...tokens }: StoredTokens,
  answer: TokenResponse,
  now: number,
): StoredTokens {
  const { accessToken, tokenType, refreshToken, expiresIn, scope } = answer;
  return {
    ...tokens,
    accessToken,
    tokenType,
    // A refresh token that is not replaced stays valid.
    ...defined({ refreshToken }),
    ...(expiresIn === undefined ? {} : { expiresAt: now + expiresIn * 1_000 }),
    ...defined({ scope }),
  };
}

export function isExpiring({ expiresAt }: StoredTokens, now: number): boolean {
  return expiresAt !== undefined && expiresAt - EARLY_MS <= now;
}
