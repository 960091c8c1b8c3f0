import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import type { Fetch } from '@toolyard/protocol';
import { defined, ToolyardError, say } from '@toolyard/protocol';
import { displayUrl } from '../log/redact.ts';
import type { Challenge } from './challenge.ts';
import type { HopLog } from './hops.ts';
import { describeHop } from './hops.ts';
import { isSameIssuer } from './issuer.ts';
import { readableMetadata } from './readable-metadata.ts';
import type { OAuthSettings } from './oauth-settings.ts';
import { readUrl } from '../values/read-url.ts';
import { readEndpoint } from './sign-in-url.ts';

/** The protected resource metadata of a server (RFC 9728). */
type ResourceMetadata = Awaited<ReturnType<typeof discoverOAuthProtectedResourceMetadata>>;
type ServerMetadata = NonNullable<Awaited<ReturnType<typeof discoverAuthorizationServerMetadata>>>;

/** The authorization server of an MCP server. */
export type SignInServer = {
  issuer: string;
  /** Its metadata; absent for a server of 2025-03-26 without any, whose endpoints have fixed paths. */
  metadata?: ServerMetadata;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  registrationEndpoint?: string;
  revocationEndpoint?: string;
  /** The `resource` of tokens; absent if none is named. */
  resource?: string;
  /** The scopes the server itself requires. */
  scope?: string;
  wantsProof: boolean;
};

export type DiscoveryOptions = {
  serverId: string;
  serverUrl: string;
  settings: OAuthSettings;
  challenge: Challenge | undefined;
  hops: HopLog;
};

/**
 * Discovers the authorization server of an MCP server: the resource metadata (at the URL from the challenge, else at
 * the well-known path), then the authorization server metadata. A server without resource metadata is one of 2025-03-26
 * and its own authorization server.
 *
 * @throws ToolyardError naming the failed request, or why the metadata is rejected
 */
export async function discoverSignInServer(options: DiscoveryOptions): Promise<SignInServer> {
  const { serverUrl, settings, challenge, hops } = options;
  const resource = await readResourceMetadata(options);
  if (resource !== undefined) checkResource(options, resource.resource);
  const { issuer, metadata } = await findServer(options, issuersToTry(options, resource));
  if (metadata === undefined && (resource !== undefined || settings.issuer !== undefined)) {
    throw createDiscoveryError(options, `${displayUrl(issuer)} publishes no metadata`, hops);
  }
  if (metadata !== undefined) checkAbilities(options, metadata);
  const named = metadata?.issuer ?? issuer;
  const standard = (path: string): string => new URL(path, issuer).href;
  const registration = metadata === undefined ? standard('/register') : metadata.registration_endpoint;
  const revocation = revocationEndpoint(metadata);
  return {
    issuer: named,
    ...defined({ metadata }),
    authorizationEndpoint: metadata?.authorization_endpoint ?? standard('/authorize'),
    tokenEndpoint: readEndpoint('token endpoint', metadata?.token_endpoint ?? standard('/token'), issuer).href,
    ...(registration === undefined
      ? {}
      : { registrationEndpoint: readEndpoint('registration endpoint', registration, issuer).href }),
    ...(revocation === undefined
      ? {}
      : { revocationEndpoint: readEndpoint('revocation endpoint', revocation, issuer).href }),
    ...resourceToName(options, resource, serverUrl),
    ...(resource?.scopes_supported === undefined || resource.scopes_supported.length === 0
      ? {}
      : { scope: resource.scopes_supported.join(' ') }),
    wantsProof: challenge?.wantsProof === true || wantsProof(resource),
  };
}

/** Only one of the two metadata types defines it. */
function revocationEndpoint(metadata: ServerMetadata | undefined): string | undefined {
  const address: unknown =
    metadata !== undefined && 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : '';
  return typeof address === 'string' && address !== '' ? address : undefined;
}

/** Undefined for a server without any. A URL in the challenge that leads to no metadata is ignored. */
async function readResourceMetadata(options: DiscoveryOptions): Promise<ResourceMetadata | undefined> {
  const { serverUrl, challenge, hops } = options;
  const fetch = readableMetadata(hops.for('resource metadata'), ['resource', 'authorization_servers'], {
    resource: withoutHash(serverUrl),
  });
  const read = async (how: { resourceMetadataUrl?: string }): Promise<ResourceMetadata | undefined> => {
    try {
      return await discoverOAuthProtectedResourceMetadata(serverUrl, how, fetch);
    } catch (thrown) {
      if (ToolyardError.isInstance(thrown)) throw thrown;
      const status = hops.last?.status ?? 0;
      // Many servers reject unknown paths with other codes than 404, or answer with a page.
      if ((status >= 200 && status < 300) || (status >= 400 && status < 500)) return undefined;
      throw createDiscoveryError(options, 'its resource metadata is invalid', hops);
    }
  };
  const named = challenge?.resourceMetadataUrl;
  if (named === undefined) return read({});
  const found = (await read({ resourceMetadataUrl: named })) ?? (await read({}));
  if (found === undefined) throw createDiscoveryError(options, 'its resource metadata is invalid', hops);
  return found;
}

/** The metadata must describe the server that is connected. */
function checkResource(options: DiscoveryOptions, named: string): void {
  const configuredResource = named.replace(/\/$/, '');
  if (checkResourceAllowed({ requestedResource: options.serverUrl, configuredResource })) return;
  throw new ToolyardError({
    code: 'server_refused',
    message: say`The resource metadata of the server "${options.serverId}" names ${displayUrl(named)}, which is not its URL, so Toolyard does not sign in.`,
    hint: say`Check the URL of the server. If it is correct, its operator must correct the metadata.`,
  });
}

/** More of those that a server lists are not tried. */
const MAX_ISSUERS = 3;

function issuersToTry(options: DiscoveryOptions, resource: ResourceMetadata | undefined): string[] {
  const { serverId, serverUrl, settings } = options;
  const listed = resource?.authorization_servers ?? [];
  const configured = settings.issuer;
  if (configured === undefined)
    return listed.length === 0 ? [new URL('/', serverUrl).href] : listed.slice(0, MAX_ISSUERS);
  if (listed.length === 0) return [configured];
  const found = listed.find((one) => isSameIssuer(one, configured));
  if (found !== undefined) return [found];
  throw new ToolyardError({
    code: 'server_refused',
    message: say`The server "${serverId}" names the authorization server ${displayUrl(listed[0] ?? '')}, but its configuration expects ${displayUrl(configured)}.`,
    hint: say`If the new one is correct, change "issuer" of the server.`,
  });
}

type FoundServer = { issuer: string; metadata: ServerMetadata | undefined };

/** The first issuer with metadata; otherwise the first, or why its metadata cannot be used. */
async function findServer(options: DiscoveryOptions, issuers: readonly string[]): Promise<FoundServer> {
  let failure: ToolyardError | undefined;
  for (const issuer of issuers) {
    try {
      const metadata = await readServerMetadata(options, issuer);
      if (metadata !== undefined || issuers.length === 1) return { issuer, metadata };
    } catch (thrown) {
      if (!ToolyardError.isInstance(thrown)) throw thrown;
      failure ??= thrown;
    }
  }
  if (failure !== undefined) throw failure;
  return { issuer: issuers[0] ?? '', metadata: undefined };
}

/**
 * The metadata of an issuer: where RFC 8414 and OpenID Connect say, else below its path, else at its origin. It must name
 * this issuer or its origin, which speaks for all its paths.
 */
async function readServerMetadata(options: DiscoveryOptions, issuer: string): Promise<ServerMetadata | undefined> {
  const { hops } = options;
  const url = readUrl(issuer);
  if (url === null) throw createDiscoveryError(options, `${displayUrl(issuer)} is not a valid URL`, hops);
  const { origin, pathname } = url;
  const fetch = hops.for('sign-in server metadata');
  const read = (from: string, fetchFn: Fetch, named: string): Promise<ServerMetadata | undefined> =>
    discoverAuthorizationServerMetadata(from, {
      fetchFn: readableMetadata(fetchFn, ['authorization_endpoint', 'token_endpoint'], { issuer: named }),
      // Its own check compares texts.
      skipIssuerValidation: true,
    });
  const belowPath: Fetch = (input, init) => {
    return fetch(`${origin}${pathname.replace(/\/$/, '')}${new URL(String(input)).pathname}`, init);
  };
  let metadata: ServerMetadata | undefined;
  try {
    metadata = await read(issuer, fetch, issuer);
    if (pathname !== '/') metadata ??= (await read(origin, belowPath, issuer)) ?? (await read(origin, fetch, origin));
  } catch (thrown) {
    if (ToolyardError.isInstance(thrown)) throw thrown;
    throw createDiscoveryError(options, `the metadata of ${displayUrl(issuer)} is invalid`, hops);
  }
  if (metadata === undefined || [issuer, origin].some((one) => isSameIssuer(metadata.issuer, one))) return metadata;
  throw createDiscoveryError(options, `the metadata of ${displayUrl(issuer)} names another issuer`, hops);
}

function checkAbilities(options: DiscoveryOptions, metadata: ServerMetadata): void {
  const { settings, hops } = options;
  if (settings.grant !== undefined) return;
  const { response_types_supported: responses, code_challenge_methods_supported: methods } = metadata;
  if (!responses.includes('code'))
    throw createDiscoveryError(options, 'its authorization server does not support authorization codes', hops);
  if (methods?.includes('S256') === true || (methods === undefined && settings.assumePkce === true)) return;
  throw new ToolyardError({
    code: 'server_refused',
    message: say`The authorization server of "${options.serverId}" does not declare PKCE with S256, which protects sign-ins from being stolen.`,
    hint:
      methods === undefined
        ? say`If you know that it supports S256, set "assumePkce" of the server.`
        : say`Ask its operator to support S256.`,
  });
}

function resourceToName(
  { settings }: DiscoveryOptions,
  resource: ResourceMetadata | undefined,
  serverUrl: string,
): { resource?: string } {
  if (settings.resource === false) return {};
  if (settings.resource !== undefined) return { resource: settings.resource };
  // As written: a parsed and serialized URL may gain a slash.
  if (resource !== undefined) return { resource: resource.resource };
  return settings.issuer === undefined ? {} : { resource: withoutHash(serverUrl) };
}

function withoutHash(address: string): string {
  const url = new URL(address);
  url.hash = '';
  return url.href;
}

function wantsProof(resource: ResourceMetadata | undefined): boolean {
  return resource?.dpop_bound_access_tokens_required === true;
}

function createDiscoveryError({ serverId }: DiscoveryOptions, why: string, hops: HopLog): ToolyardError {
  const { last } = hops;
  return new ToolyardError({
    code: 'server_refused',
    message: say`Signing in to "${serverId}" is not possible: ${last === undefined ? why : `${why} (${describeHop(last)})`}.`,
    hint: say`The server may expect a token in its headers instead; see its documentation.`,
  });
}
