import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { defined, ToolyardError, say } from '@toolyard/protocol';
import { displayUrl } from '../log/redact.ts';
import { readUrl } from '../values/read-url.ts';
import type { AuthStore } from './auth-store.ts';
import type { SignInServer } from './discovery.ts';
import type { HopLog } from './hops.ts';
import { describeHop } from './hops.ts';
import { readDocument } from './read-document.ts';
import type { OAuthSettings } from './oauth-settings.ts';
import { isSameIssuer } from './issuer.ts';
import { isLoopback } from './sign-in-url.ts';
import { createConfigError } from '../values/config-error.ts';
import { pickTexts } from '../values/pick-texts.ts';

/** The OAuth client of Toolyard at one authorization server; never sent to another one. */
export type OAuthClient = {
  issuer: string;
  clientId: string;
  clientSecret?: string;
  /** As agreed at registration. */
  authMethod?: string;
};

/** The client metadata of Toolyard. */
export type ClientMetadata = {
  name: string;
  uri?: string;
  /** An https URL with the client metadata (CIMD). */
  metadataUrl?: string;
};

export type ClientOptions = {
  serverId: string;
  settings: OAuthSettings;
  server: SignInServer;
  /** The redirect URI; absent for grants without a user. */
  redirectUrl?: string;
  scope: string | undefined;
  /** Milliseconds since 1970. */
  now: number;
  introduction: ClientMetadata;
  store: AuthStore;
  hops: HopLog;
};

/**
 * The client to use at this authorization server, in this order: a configured one, one with a metadata URL (CIMD), an
 * earlier registration, a new registration (DCR).
 *
 * @throws ToolyardError that tells the operator what to do if none is possible
 */
export async function chooseClient(options: ClientOptions): Promise<OAuthClient> {
  const { settings, server, introduction } = options;
  const { issuer, metadata } = server;
  if (settings.clientId !== undefined) return configuredClient(options, settings.clientId);

  const document = settings.clientMetadataUrl ?? introduction.metadataUrl;
  if (document !== undefined && metadata?.client_id_metadata_document_supported === true) {
    return { issuer, clientId: checkMetadataUrl(document) };
  }
  const row = await options.store.get(clientKey(options.serverId));
  const known = row === undefined ? undefined : readRegistration(row.value);
  if (known !== undefined && isUsable(known, options)) return known.client;
  if (options.redirectUrl === undefined || server.registrationEndpoint === undefined)
    throw createNoClientError(options);
  const registered = await register(options, options.redirectUrl, server.registrationEndpoint);
  await options.store.put(clientKey(options.serverId), registered, row?.version ?? null);
  return readRegistration(registered)?.client ?? { issuer, clientId: '' };
}

/** Store key of a server's client. */
export function clientKey(serverId: string): string {
  return `client/${serverId}`;
}

/**
 * The MCP server must not choose which authorization server gets the client secret: the first one is remembered, unless
 * the operator has configured one.
 */
async function configuredClient(options: ClientOptions, clientId: string): Promise<OAuthClient> {
  const { settings, server, store, serverId } = options;
  const { clientSecret } = settings;
  const client = { issuer: server.issuer, clientId, ...defined({ clientSecret }) };
  if (settings.issuer !== undefined) return client;
  const row = await store.get(clientKey(serverId));
  const { configured, issuer } = row?.value ?? {};
  if (configured === clientId && typeof issuer === 'string') {
    if (isSameIssuer(issuer, server.issuer)) return client;
    throw new ToolyardError({
      code: 'server_refused',
      message: say`The server "${serverId}" now names ${displayUrl(server.issuer)} as its authorization server, but its client was registered at ${displayUrl(issuer)} and is not sent to any other.`,
      hint: say`If that is correct, set "issuer" of the server to the new one, and the client registered there.`,
    });
  }
  await store.put(clientKey(serverId), { configured: clientId, issuer: server.issuer }, row?.version ?? null);
  return client;
}

type Registration = { client: OAuthClient; redirectUrl: string; expiresAt: number };

function readRegistration(value: JsonObject): Registration | undefined {
  const { issuer, clientId, redirectUrl } = pickTexts(value, ['issuer', 'clientId', 'redirectUrl']);
  if (issuer === undefined || !clientId || redirectUrl === undefined) return undefined;
  const client = { issuer, clientId, ...pickTexts(value, ['clientSecret', 'authMethod']) };
  return { client, redirectUrl, expiresAt: typeof value['expiresAt'] === 'number' ? value['expiresAt'] : 0 };
}

function isUsable({ client, redirectUrl, expiresAt }: Registration, options: ClientOptions): boolean {
  if (!isSameIssuer(client.issuer, options.server.issuer)) return false;
  if (options.redirectUrl !== undefined && redirectUrl !== options.redirectUrl) return false;
  return expiresAt === 0 || expiresAt > options.now;
}

/** Client authentication methods, those without a secret first. */
const KNOWN_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

async function register(options: ClientOptions, redirectUrl: string, endpoint: string): Promise<JsonObject> {
  const { server, introduction, scope, hops } = options;
  const methods = server.metadata?.token_endpoint_auth_methods_supported;
  const redirect = readUrl(redirectUrl);
  const isNative = redirect === null || !/^https?:$/.test(redirect.protocol) || isLoopback(redirect);
  const response = await hops.for('registration')(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      client_name: introduction.name,
      ...defined({ client_uri: introduction.uri, scope }),
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: isNative ? 'native' : 'web',
      token_endpoint_auth_method: KNOWN_METHODS.find((one) => methods?.includes(one)) ?? 'none',
    }),
  });
  // Only what is needed is read: many servers return the rest in other forms than specified.
  const issued = response.ok ? readDocument(await response.text()) : undefined;
  const clientId = readText(issued?.['client_id']);
  if (clientId === undefined) {
    const { last } = hops;
    const issuer = displayUrl(server.issuer);
    throw new ToolyardError({
      code: 'server_refused',
      message:
        last === undefined
          ? say`${issuer} did not register Toolyard as a client.`
          : say`${issuer} did not register Toolyard as a client (${describeHop(last)}).`,
      hint: say`Register a client there manually with the redirect URI ${redirectUrl}, and set its "clientId" in the configuration of "${options.serverId}".`,
    });
  }
  const until = Number(issued?.['client_secret_expires_at'] ?? 0);
  return {
    issuer: server.issuer,
    redirectUrl,
    clientId,
    expiresAt: Number.isFinite(until) ? until * 1_000 : 0,
    ...defined({
      clientSecret: readText(issued?.['client_secret']),
      authMethod: readText(issued?.['token_endpoint_auth_method']),
    }),
  };
}

function readText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function checkMetadataUrl(address: string): string {
  const url = readUrl(address);
  if (url !== null && url.protocol === 'https:' && url.pathname !== '/' && url.hash === '') return address;
  throw createConfigError(say`"clientMetadataUrl" must be an https URL with a path.`);
}

function createNoClientError({ serverId, server, redirectUrl }: ClientOptions): ToolyardError {
  return new ToolyardError({
    code: 'server_refused',
    message: say`The authorization server of "${serverId}", ${displayUrl(server.issuer)}, accepts only clients that were registered manually.`,
    hint:
      redirectUrl === undefined
        ? say`Register Toolyard there, and set "clientId" (and "clientSecret") under "oauth" of the server.`
        : say`Register Toolyard there with the redirect URI ${redirectUrl}, and set "clientId" (and "clientSecret") under "oauth" of the server.`,
  });
}
