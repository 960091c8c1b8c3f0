import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  IssuerMismatchError,
} from '@modelcontextprotocol/client';
import { defined, ToolyardError } from '@toolyard/protocol';
import { displayUrl } from '../log/redact.ts';
import type { Challenge } from './challenge.ts';
import type { HopLog } from './hops.ts';
import { describeHop } from './hops.ts';
import type { OAuthSettings } from './oauth-settings.ts';
import { endpointOf } from './sign-in-url.ts';

/** What a server says of itself (RFC 9728). */
type ResourceMetadata = Awaited<ReturnType<typeof discoverOAuthProtectedResourceMetadata>>;
type ServerMetadata = NonNullable<Awaited<ReturnType<typeof discoverAuthorizationServerMetadata>>>;

/** Who signs people in for a server, and how it is spoken to. */
export type SignInServer = {
  issuer: string;
  /** Its own description; absent for a server of 2025-03-26 that has none, whose endpoints have fixed addresses. */
  metadata?: ServerMetadata;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  registrationEndpoint?: string;
  revocationEndpoint?: string;
  /** What tokens are asked for; absent where none is named. */
  resource?: string;
  /** What the server itself says that it needs. */
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
 * Finds out who signs people in for a server: what the server says (at the address it has named, else where such
 * things lie), then what the sign-in server says of itself. A server that says nothing is one of 2025-03-26, and signs
 * people in itself.
 *
 * @throws ToolyardError saying which request failed, and why what was found is not believed
 */
export async function discoverSignInServer(options: DiscoveryOptions): Promise<SignInServer> {
  const { serverUrl, settings, challenge, hops } = options;
  const resource = await readResourceMetadata(options);
  if (resource !== undefined) checkResource(options, resource.resource);
  const issuer = chooseIssuer(options, resource);
  const metadata = await readServerMetadata(options, issuer);
  if (metadata === undefined && (resource !== undefined || settings.issuer !== undefined)) {
    throw refused(options, `${displayUrl(issuer)} does not describe itself`, hops);
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
    tokenEndpoint: endpointOf('token endpoint', metadata?.token_endpoint ?? standard('/token'), issuer).href,
    ...(registration === undefined
      ? {}
      : { registrationEndpoint: endpointOf('registration endpoint', registration, issuer).href }),
    ...(revocation === undefined
      ? {}
      : { revocationEndpoint: endpointOf('revocation endpoint', revocation, issuer).href }),
    ...resourceToName(options, resource, serverUrl),
    ...(resource?.scopes_supported === undefined || resource.scopes_supported.length === 0
      ? {}
      : { scope: resource.scopes_supported.join(' ') }),
    wantsProof: challenge?.wantsProof === true || wantsProof(resource),
  };
}

/** Only one of the two kinds of descriptions has a name for it. */
function revocationEndpoint(metadata: ServerMetadata | undefined): string | undefined {
  const address: unknown =
    metadata !== undefined && 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : '';
  return typeof address === 'string' && address !== '' ? address : undefined;
}

async function readResourceMetadata(options: DiscoveryOptions): Promise<ResourceMetadata | undefined> {
  const { serverUrl, challenge, hops } = options;
  const named = challenge?.resourceMetadataUrl;
  try {
    return await discoverOAuthProtectedResourceMetadata(
      serverUrl,
      named === undefined ? {} : { resourceMetadataUrl: named },
      hops.for('resource metadata'),
    );
  } catch (thrown) {
    if (ToolyardError.isInstance(thrown)) throw thrown;
    const status = hops.last?.status ?? 0;
    // Many servers answer whatever they do not know with a refusal.
    if (named === undefined && status >= 400 && status < 500) return undefined;
    throw refused(options, 'what the server says of itself cannot be read', hops);
  }
}

/** What is signed in to must be the server that is spoken to. */
function checkResource(options: DiscoveryOptions, named: string): void {
  if (checkResourceAllowed({ requestedResource: options.serverUrl, configuredResource: named })) return;
  throw new ToolyardError({
    code: 'server_refused',
    message: `The server "${options.serverId}" says that it is ${displayUrl(named)}, which is not its address; nobody is signed in to it.`,
    hint: 'Check the address in its configuration; if it is right, whoever runs the server must correct its metadata.',
  });
}

function chooseIssuer(options: DiscoveryOptions, resource: ResourceMetadata | undefined): string {
  const { serverId, serverUrl, settings } = options;
  const listed = resource?.authorization_servers ?? [];
  const wanted = settings.issuer;
  if (wanted === undefined) return listed[0] ?? new URL('/', serverUrl).href;
  if (listed.length === 0) return wanted;
  const found = listed.find((one) => isSameIssuer(one, wanted));
  if (found !== undefined) return found;
  throw new ToolyardError({
    code: 'server_refused',
    message: `The server "${serverId}" wants people to sign in at ${displayUrl(listed[0] ?? '')}, and its configuration says ${displayUrl(wanted)}.`,
    hint: 'If the other one is right, correct "issuer" in the configuration of the server.',
  });
}

/** A slash at the end makes no difference; anything else does. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

async function readServerMetadata(options: DiscoveryOptions, issuer: string): Promise<ServerMetadata | undefined> {
  const { hops } = options;
  try {
    return await discoverAuthorizationServerMetadata(issuer, { fetchFn: hops.for('sign-in server metadata') });
  } catch (thrown) {
    if (ToolyardError.isInstance(thrown)) throw thrown;
    if (thrown instanceof IssuerMismatchError) {
      throw refused(options, `${displayUrl(issuer)} describes itself as another one`, hops);
    }
    throw refused(options, `what ${displayUrl(issuer)} says of itself cannot be read`, hops);
  }
}

function checkAbilities(options: DiscoveryOptions, metadata: ServerMetadata): void {
  const { settings, hops } = options;
  if (settings.grant !== undefined) return;
  const { response_types_supported: responses, code_challenge_methods_supported: methods } = metadata;
  if (!responses.includes('code')) throw refused(options, 'its sign-in server gives no authorization codes', hops);
  if (methods?.includes('S256') === true || (methods === undefined && settings.assumePkce === true)) return;
  throw new ToolyardError({
    code: 'server_refused',
    message: `The sign-in server of "${options.serverId}" does not say that it protects sign-ins from being stolen (PKCE with S256).`,
    hint:
      methods === undefined
        ? 'If you know that it does, set "assumePkce" in the configuration of the server.'
        : 'Ask whoever runs it to support S256.',
  });
}

function resourceToName(
  { settings }: DiscoveryOptions,
  resource: ResourceMetadata | undefined,
  serverUrl: string,
): { resource?: string } {
  if (settings.resource === false) return {};
  if (settings.resource !== undefined) return { resource: settings.resource };
  // As it is written: an address that is read and written again may have a slash more.
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

function refused({ serverId }: DiscoveryOptions, why: string, hops: HopLog): ToolyardError {
  const { last } = hops;
  return new ToolyardError({
    code: 'server_refused',
    message: `Nobody can be signed in to "${serverId}": ${why}${last === undefined ? '' : ` (${describeHop(last)})`}.`,
    hint: 'A server may want a token in the headers of its configuration instead; see its documentation.',
  });
}
