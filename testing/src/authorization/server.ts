import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { isJsonObject, parseJson, type JsonObject } from '@toolyard/protocol';
import type { Cors } from '../scripted-mcp/cors.ts';
import { answerCors } from '../scripted-mcp/cors.ts';
import type { Protection, ProtectionOptions } from './protection.ts';
import { createProtection } from './protection.ts';
import { listenOnLoopback } from '../loopback.ts';

export type AuthorizationServerOptions = {
  /** Overrides of its metadata; a null field is removed. Null as a whole: no metadata. */
  metadata?: JsonObject | null;
  /** Lifetime of access tokens in seconds; absent: not declared. */
  expiresIn?: number;
  /** False issues no refresh tokens. */
  refresh?: boolean;
  /** False lets a refresh token be used again. */
  rotate?: boolean;
  /** The `iss` of its redirects; null omits it. Default: the issuer. */
  iss?: string | null;
  /** What the user does on its page. Default: accepts. */
  person?: 'agrees' | 'declines';
  /** Answers token requests instead of the server. */
  token?: (params: Readonly<Record<string, string>>) => { status: number; body: JsonObject } | undefined;
  /** Assertions it accepts (RFC 7523). */
  assertions?: readonly string[];
  /** Pre-registered clients with their secrets. */
  clients?: Readonly<Record<string, string>>;
  /** Allows pages of other origins (CORS); otherwise a browser blocks them. */
  cors?: Cors;
};

/** A request as received; `params` are the fields of form and query. */
export type AuthorizationRequest = {
  method: string;
  path: string;
  params: Readonly<Record<string, string>>;
  authorization: string | undefined;
};

/** The parameters of the redirect. */
export type AuthorizationRedirect = { state: string; code?: string; iss?: string; error?: string };

/** A scripted authorization server over real HTTP. */
export type AuthorizationServer = AsyncDisposable & {
  /** Its issuer. */
  url: string;
  /** All requests, oldest first. */
  requests: readonly AuthorizationRequest[];
  /** The token requests among them. */
  grants(type?: string): readonly Readonly<Record<string, string>>[];
  /** The `protection` of a scripted MCP server that accepts its tokens only. */
  protect(options?: ProtectionOptions): Protection;
  /** Visits its authorization page like a user; returns the parameters of the redirect. */
  visit(authorizationUrl: string): Promise<AuthorizationRedirect>;
  /** Invalidates all issued access tokens. */
  expire(): void;
  /** Invalidates everything it issued. */
  revoke(): void;
  close(): Promise<void>;
};

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

type Code = { challenge: string; redirectUrl: string; clientId: string; scope: string; resource: string };

/** @example await using authorization = await startAuthorizationServer({ expiresIn: 3600 }); */
export async function startAuthorizationServer(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const requests: AuthorizationRequest[] = [];
  const codes = new Map<string, Code>();
  /** The scope of each access token, by its `Authorization` header. */
  const access = new Map<string, string>();
  const refreshes = new Map<string, { scope: string; clientId: string; used: boolean }>();
  const clients = new Map<string, string | null>(Object.entries(options.clients ?? {}));

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (answerCors(request, response, options.cors)) return;
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const body = await readText(request);
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
    const params = Object.fromEntries(isForm ? new URLSearchParams(body) : searchParams);
    const { authorization, dpop } = request.headers;
    requests.push({ method: request.method ?? '', path: pathname, params, authorization });
    switch (pathname) {
      case '/.well-known/oauth-authorization-server':
        return options.metadata === null ? answer(response, 404, {}) : answer(response, 200, describe());
      case '/authorize':
        return authorize(response, params);
      case '/token':
        return token(response, params, authorization, dpop === undefined ? 'Bearer' : 'DPoP');
      case '/register':
        return register(response, body);
      case '/revoke':
        refreshes.delete(params['token'] ?? '');
        for (const type of ['Bearer', 'DPoP']) access.delete(`${type} ${params['token'] ?? ''}`);
        response.writeHead(200).end();
        return;
      default:
        return answer(response, 404, { error: 'not_found' });
    }
  }

  function describe(): JsonObject {
    const described: JsonObject = {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      registration_endpoint: `${url}/register`,
      revocation_endpoint: `${url}/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      authorization_response_iss_parameter_supported: true,
      ...options.metadata,
    };
    return Object.fromEntries(Object.entries(described).filter(([, value]) => value !== null));
  }

  function authorize(response: ServerResponse, params: Record<string, string>): void {
    const { client_id: clientId = '', redirect_uri: redirectUrl = '', code_challenge: challenge = '' } = params;
    const { state = '', scope = '', resource = '', code_challenge_method: method } = params;
    const isKnown = clients.has(clientId) || clientId.startsWith('https://');
    if (!isKnown || method !== 'S256' || challenge === '') return answer(response, 400, { error: 'invalid_request' });
    const back = new URL(redirectUrl);
    back.searchParams.set('state', state);
    if (options.iss !== null) back.searchParams.set('iss', options.iss ?? url);
    if (options.person === 'declines') back.searchParams.set('error', 'access_denied');
    else {
      const code = `code-${randomUUID()}`;
      codes.set(code, { challenge, redirectUrl, clientId, scope, resource });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  function token(
    response: ServerResponse,
    params: Record<string, string>,
    authorization: string | undefined,
    type: 'Bearer' | 'DPoP',
  ): void {
    const instead = options.token?.(params);
    if (instead !== undefined) return answer(response, instead.status, instead.body);
    const client = findClient(params, authorization);
    if (client === null) return answer(response, 401, { error: 'invalid_client' });
    switch (params['grant_type']) {
      case 'authorization_code': {
        const code = codes.get(params['code'] ?? '');
        codes.delete(params['code'] ?? '');
        const isRight =
          code !== undefined &&
          code.clientId === client &&
          code.redirectUrl === params['redirect_uri'] &&
          code.challenge ===
            createHash('sha256')
              .update(params['code_verifier'] ?? '')
              .digest('base64url');
        if (!isRight) return answer(response, 400, { error: 'invalid_grant' });
        return give(response, type, code.scope, client);
      }
      case 'refresh_token': {
        const known = refreshes.get(params['refresh_token'] ?? '');
        if (known === undefined || known.clientId !== client) return answer(response, 400, { error: 'invalid_grant' });
        if (known.used) {
          // A refresh token used twice may be stolen: all tokens derived from it become invalid.
          refreshes.clear();
          access.clear();
          return answer(response, 400, { error: 'invalid_grant', error_description: 'The token was used before.' });
        }
        known.used = options.rotate !== false;
        return give(response, type, known.scope, client);
      }
      case 'client_credentials':
        return give(response, type, params['scope'] ?? '', client, false);
      case JWT_BEARER:
        if (!options.assertions?.includes(params['assertion'] ?? '')) {
          return answer(response, 400, { error: 'invalid_grant' });
        }
        return give(response, type, params['scope'] ?? '', client, false);
      default:
        return answer(response, 400, { error: 'unsupported_grant_type' });
    }
  }

  function findClient(params: Record<string, string>, authorization: string | undefined): string | null {
    const basic = /^Basic (.+)$/.exec(authorization ?? '')?.[1];
    const [named, secret] =
      basic === undefined
        ? [params['client_id'] ?? '', params['client_secret'] ?? null]
        : Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
    if (named === undefined || (!clients.has(named) && !named.startsWith('https://'))) return null;
    return (clients.get(named) ?? null) === (secret ?? null) ? named : null;
  }

  function give(response: ServerResponse, type: string, scope: string, clientId: string, hasRefreshToken = true): void {
    const accessToken = `access-${randomUUID()}`;
    access.set(`${type} ${accessToken}`, scope);
    const refreshToken = `refresh-${randomUUID()}`;
    const withRefresh = hasRefreshToken && options.refresh !== false;
    if (withRefresh) refreshes.set(refreshToken, { scope, clientId, used: false });
    answer(response, 200, {
      access_token: accessToken,
      token_type: type,
      ...(withRefresh ? { refresh_token: refreshToken } : {}),
      ...(options.expiresIn === undefined ? {} : { expires_in: options.expiresIn }),
      ...(scope === '' ? {} : { scope }),
    });
  }

  function register(response: ServerResponse, body: string): void {
    const parsed = parseJson(body);
    const described = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
    const id = `client-${randomUUID()}`;
    const method = described['token_endpoint_auth_method'];
    const secret = method === 'none' ? null : `secret-${randomUUID()}`;
    clients.set(id, secret);
    answer(response, 201, { ...described, client_id: id, ...(secret === null ? {} : { client_secret: secret }) });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const listening = await listenOnLoopback(server);
  const url = listening.origin;

  const { close } = listening;

  return {
    url,
    requests,
    grants: (type) =>
      requests
        .filter(({ path }) => path === '/token')
        .map(({ params }) => params)
        .filter(({ grant_type: one }) => type === undefined || one === type),
    protect: (given = {}) => createProtection(url, (authorization) => access.get(authorization), given),
    async visit(authorizationUrl) {
      const response = await fetch(authorizationUrl, { redirect: 'manual' });
      const location = response.headers.get('location');
      if (location === null) throw new Error(`Its page answered ${response.status}: ${await response.text()}`);
      const { searchParams } = new URL(location);
      const optional = (name: 'code' | 'iss' | 'error') => {
        const value = searchParams.get(name);
        return value === null ? {} : { [name]: value };
      };
      return { state: searchParams.get('state') ?? '', ...optional('code'), ...optional('iss'), ...optional('error') };
    },
    expire: () => access.clear(),
    revoke() {
      access.clear();
      refreshes.clear();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function answer(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += String(chunk);
  return text;
}
