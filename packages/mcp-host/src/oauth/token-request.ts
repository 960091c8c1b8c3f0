import type { DpopSession } from '@modelcontextprotocol/client';
import { createPrivateKeyJwtAuth, selectClientAuthMethod } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { OAuthClient } from './client-identity.ts';
import type { HopLog } from './hops.ts';
import { readDocument } from './read-document.ts';
import type { AuthStep } from './sign-in-health.ts';

/** The response of a token endpoint. */
export type TokenResponse = {
  accessToken: string;
  tokenType: 'Bearer' | 'DPoP';
  refreshToken?: string;
  /** Seconds. */
  expiresIn?: number;
  scope?: string;
  /** The whole response, for other grant types. */
  raw: JsonObject;
};

/** The token endpoint rejected the request. */
export class TokenRefused extends Error {
  /** The OAuth error code, such as `invalid_grant`; empty if absent. */
  readonly error: string;

  constructor(error: string) {
    super('The token endpoint rejected the request.');
    this.error = error;
  }
}

export type TokenRequest = {
  endpoint: string;
  client: OAuthClient;
  /** The supported client authentication methods; empty if unknown. */
  authMethods: readonly string[];
  /** The client authenticates with a signature of this key instead of a secret. */
  privateKey?: { pem: string; algorithm: string };
  params: Record<string, string>;
  proof?: DpopSession | undefined;
  hops: HopLog;
  step?: AuthStep;
};

/** Parameters that must not appear in the log. */
const SECRET_PARAMS = ['code', 'code_verifier', 'refresh_token', 'assertion', 'subject_token', 'token'];

/**
 * Requests a token.
 *
 * @throws TokenRefused; ToolyardError if there is no response
 */
export async function requestToken(request: TokenRequest): Promise<TokenResponse> {
  const { endpoint, client, params, proof, hops, step = 'token' } = request;
  const secrets = [...SECRET_PARAMS.map((name) => params[name] ?? ''), client.clientSecret ?? ''];
  const fetch = hops.for(step, secrets);
  const send = async (): Promise<Response> => {
    const body = new URLSearchParams(params);
    const headers = new Headers({
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    });
    await authenticateClient(request, headers, body);
    if (proof !== undefined) headers.set('dpop', await proof.buildProof({ htm: 'POST', htu: endpoint }));
    const response = await fetch(endpoint, { method: 'POST', headers, body, redirect: 'error' });
    proof?.observeNonce(response, endpoint);
    return response;
  };
  let response = await send();
  let answer = await readAnswer(response);
  if (proof !== undefined && answer['error'] === 'use_dpop_nonce') {
    response = await send();
    answer = await readAnswer(response);
  }
  const { access_token: accessToken, token_type: type, error } = answer;
  if (!response.ok || typeof accessToken !== 'string') throw new TokenRefused(typeof error === 'string' ? error : '');
  const { refresh_token: refreshToken, expires_in: expiresIn, scope } = answer;
  const seconds = Number(expiresIn);
  return {
    accessToken,
    tokenType: typeof type === 'string' && type.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer',
    ...(typeof refreshToken === 'string' && refreshToken !== '' ? { refreshToken } : {}),
    ...(expiresIn !== undefined && Number.isFinite(seconds) && seconds >= 0 ? { expiresIn: seconds } : {}),
    ...(typeof scope === 'string' ? { scope } : {}),
    raw: answer,
  };
}

async function authenticateClient(request: TokenRequest, headers: Headers, body: URLSearchParams): Promise<void> {
  const { client, authMethods, privateKey, endpoint } = request;
  const { clientId, clientSecret, issuer, authMethod } = client;
  if (privateKey !== undefined) {
    const sign = createPrivateKeyJwtAuth({
      issuer: clientId,
      subject: clientId,
      privateKey: privateKey.pem,
      alg: privateKey.algorithm,
      audience: issuer,
    });
    body.set('client_id', clientId);
    return sign(headers, body, endpoint);
  }
  const method = selectClientAuthMethod(
    {
      client_id: clientId,
      ...defined({ client_secret: clientSecret, token_endpoint_auth_method: authMethod }),
    },
    [...authMethods],
  );
  if (method === 'client_secret_basic' && clientSecret !== undefined) {
    // Encoded first (RFC 6749, 2.3.1), because a colon would split the value elsewhere.
    headers.set(
      'authorization',
      `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`,
    );
    return;
  }
  body.set('client_id', clientId);
  if (method === 'client_secret_post' && clientSecret !== undefined) body.set('client_secret', clientSecret);
}

async function readAnswer(response: Response): Promise<JsonObject> {
  return readDocument(await response.text()) ?? {};
}
