import { registerClient } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import { displayUrl } from '../log/redact.ts';
import { readUrl } from '../values/read-url.ts';
import type { AuthStore } from './auth-store.ts';
import type { SignInServer } from './discovery.ts';
import { isSameIssuer } from './discovery.ts';
import type { HopLog } from './hops.ts';
import { describeHop } from './hops.ts';
import type { OAuthSettings } from './oauth-settings.ts';
import { isLoopback } from './sign-in-url.ts';

/** As whom Toolyard asks for tokens. It belongs to one sign-in server and is never shown to another. */
export type OAuthClient = {
  issuer: string;
  clientId: string;
  clientSecret?: string;
  /** As agreed when it was registered. */
  authMethod?: string;
};

/** How Toolyard introduces itself to sign-in servers. */
export type ClientMetadata = {
  name: string;
  uri?: string;
  /** An https address where all this lies to be read (CIMD). */
  metadataUrl?: string;
};

export type ClientOptions = {
  serverId: string;
  settings: OAuthSettings;
  server: SignInServer;
  /** Where people come back to; absent where no person signs in. */
  redirectUrl?: string;
  scope: string | undefined;
  /** Milliseconds since 1970. */
  now: number;
  introduction: ClientMetadata;
  store: AuthStore;
  hops: HopLog;
};

/**
 * The client to be at this sign-in server: one that was registered by hand, else one that describes itself (CIMD), else
 * the one that was registered last time, else a new one (DCR).
 *
 * @throws ToolyardError saying what the owner has to do where none of it is possible
 */
export async function chooseClient(options: ClientOptions): Promise<OAuthClient> {
  const { settings, server, introduction } = options;
  const { issuer, metadata } = server;
  if (settings.clientId !== undefined) return configuredClient(options, settings.clientId);

  const document = settings.clientMetadataUrl ?? introduction.metadataUrl;
  if (document !== undefined && metadata?.client_id_metadata_document_supported === true) {
    return { issuer, clientId: documentAddress(document) };
  }
  const row = await options.store.get(clientKey(options.serverId));
  const known = row === undefined ? undefined : readRegistration(row.value);
  if (known !== undefined && isStillGood(known, options)) return known.client;
  if (options.redirectUrl === undefined || server.registrationEndpoint === undefined) throw noClient(options);
  const registered = await register(options, options.redirectUrl, server.registrationEndpoint);
  await options.store.put(clientKey(options.serverId), registered, row?.version ?? null);
  return readRegistration(registered)?.client ?? { issuer, clientId: '' };
}

/** Where the client of a server is kept. */
export function clientKey(serverId: string): string {
  return `client/${serverId}`;
}

/**
 * Which sign-in server sees the secret is not for the MCP server to say: the first one it is used at is remembered,
 * unless the owner has named one.
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
      message: `The server "${serverId}" now wants people to sign in at ${displayUrl(server.issuer)}; its client belongs to ${displayUrl(issuer)} and is shown to nobody else.`,
      hint: 'If that is right, name the new one as "issuer" in the configuration of the server, with the client it gave you.',
    });
  }
  await store.put(clientKey(serverId), { configured: clientId, issuer: server.issuer }, row?.version ?? null);
  return client;
}

type Registration = { client: OAuthClient; redirectUrl: string; expiresAt: number };

function readRegistration(value: JsonObject): Registration | undefined {
  const text = (key: string): string | undefined => (typeof value[key] === 'string' ? value[key] : undefined);
  const [issuer, clientId, redirectUrl] = [text('issuer'), text('clientId'), text('redirectUrl')];
  if (issuer === undefined || !clientId || redirectUrl === undefined) return undefined;
  const [clientSecret, authMethod] = [text('clientSecret'), text('authMethod')];
  const client = {
    issuer,
    clientId,
    ...defined({ clientSecret, authMethod }),
  };
  return { client, redirectUrl, expiresAt: typeof value['expiresAt'] === 'number' ? value['expiresAt'] : 0 };
}

function isStillGood({ client, redirectUrl, expiresAt }: Registration, options: ClientOptions): boolean {
  if (!isSameIssuer(client.issuer, options.server.issuer)) return false;
  if (options.redirectUrl !== undefined && redirectUrl !== options.redirectUrl) return false;
  return expiresAt === 0 || expiresAt > options.now;
}

/** How clients may say who they are, those that need no secret first. */
const KNOWN_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

async function register(options: ClientOptions, redirectUrl: string, endpoint: string): Promise<JsonObject> {
  const { server, introduction, scope, hops } = options;
  const methods = server.metadata?.token_endpoint_auth_methods_supported;
  const redirect = readUrl(redirectUrl);
  const isNative = redirect === null || !/^https?:$/.test(redirect.protocol) || isLoopback(redirect);
  try {
    const given = await registerClient(endpoint, {
      ...(server.metadata === undefined ? {} : { metadata: { ...server.metadata, registration_endpoint: endpoint } }),
      clientMetadata: {
        client_name: introduction.name,
        ...defined({ client_uri: introduction.uri }),
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        application_type: isNative ? 'native' : 'web',
        token_endpoint_auth_method: KNOWN_METHODS.find((one) => methods?.includes(one)) ?? 'none',
      },
      ...defined({ scope }),
      fetchFn: hops.for('registration'),
    });
    const until = given.client_secret_expires_at ?? 0;
    return {
      issuer: server.issuer,
      redirectUrl,
      clientId: given.client_id,
      expiresAt: until * 1_000,
      ...defined({ clientSecret: given.client_secret, authMethod: given.token_endpoint_auth_method }),
    };
  } catch (thrown) {
    if (ToolyardError.isInstance(thrown)) throw thrown;
    const { last } = hops;
    throw new ToolyardError({
      code: 'server_refused',
      message: `${displayUrl(server.issuer)} did not register Toolyard as a client${last === undefined ? '' : ` (${describeHop(last)})`}.`,
      hint: `Register one there by hand, with ${redirectUrl} as the address to come back to, and write its "clientId" into the configuration of "${options.serverId}".`,
    });
  }
}

function documentAddress(address: string): string {
  const url = readUrl(address);
  if (url !== null && url.protocol === 'https:' && url.pathname !== '/' && url.hash === '') return address;
  throw new ToolyardError({
    code: 'bad_config',
    message: 'The address of the description of this client ("clientMetadataUrl") is not an https address with a path.',
  });
}

function noClient({ serverId, server, redirectUrl }: ClientOptions): ToolyardError {
  const back = redirectUrl === undefined ? '' : `, with ${redirectUrl} as the address to come back to`;
  return new ToolyardError({
    code: 'server_refused',
    message: `The sign-in server of "${serverId}", ${displayUrl(server.issuer)}, takes only clients that were registered by hand.`,
    hint: `Register Toolyard there${back}, and write "clientId" (and "clientSecret") under "oauth" into the configuration of the server.`,
  });
}
