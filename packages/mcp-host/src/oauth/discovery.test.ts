import type { Fetch, JsonObject, JsonValue } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { discoverSignInServer, type SignInServer } from './discovery.ts';
import { HopLog } from './hops.ts';

const MCP = 'https://tools.example/mcp';
const LOGIN = 'https://login.example';
const PROTECTED = '/.well-known/oauth-protected-resource';
const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

const resource = (more: JsonObject = {}): JsonObject => ({ resource: MCP, authorization_servers: [LOGIN], ...more });
const login = (more: JsonObject = {}): JsonObject => ({
  issuer: LOGIN,
  authorization_endpoint: `${LOGIN}/authorize`,
  token_endpoint: `${LOGIN}/token`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  ...more,
});
const without = (name: string, document: JsonObject): JsonObject => {
  const { [name]: _removed, ...rest } = document;
  return rest;
};

/** Documents by their URL; a text is a page, a number a status. */
type Documents = Readonly<Record<string, JsonValue>>;

async function discover(documents: Documents, named?: string): Promise<SignInServer> {
  const known: Documents = {
    [`https://tools.example${PROTECTED}/mcp`]: resource(),
    [`${LOGIN}${OAUTH}`]: login(),
    ...documents,
  };
  const fetch: Fetch = (input) => {
    const document = known[String(input)] ?? null;
    const body = typeof document === 'string' ? document : JSON.stringify(document);
    const status = typeof document === 'number' ? document : document === null ? 404 : 200;
    return Promise.resolve(new Response(body, { status }));
  };
  const hops = new HopLog(createFakeClock(), fetch, () => undefined);
  const challenge = named === undefined ? undefined : { resourceMetadataUrl: named, wantsProof: false };
  return discoverSignInServer({ serverId: 's', serverUrl: MCP, settings: {}, challenge, hops });
}

const ofServer = (document: JsonValue): Documents => ({ [`https://tools.example${PROTECTED}/mcp`]: document });
const ofLogin = (document: JsonValue): Documents => ({ [`${LOGIN}${OAUTH}`]: document });
/** Metadata of an issuer with a path, at one place only. */
const ofTenant = (place: string, document: JsonObject): Documents => ({
  ...ofServer(resource({ authorization_servers: [`${LOGIN}/t1`] })),
  ...ofLogin(null),
  [`${LOGIN}${place}`]: document,
});
const tenant = login({ issuer: `${LOGIN}/t1` });

test.each<[string, Documents, string?]>([
  ['as specified', {}],
  ['a URL in the challenge at which there is nothing', {}, 'https://tools.example/nowhere'],
  ['resource metadata at the root', { ...ofServer(null), [`https://tools.example${PROTECTED}`]: resource() }],
  [
    'a page in place of resource metadata',
    { ...ofServer('<!doctype html>'), [`https://tools.example${OAUTH}`]: login({ issuer: 'https://tools.example/' }) },
  ],
  ['a resource with a slash', ofServer(resource({ resource: `${MCP}/` }))],
  ['no resource', ofServer(without('resource', resource()))],
  ['null for a resource', ofServer(resource({ resource: null }))],
  [
    'unused members of other types',
    ofServer(resource({ bearer_methods_supported: 'header', resource_documentation: 'docs', jwks_uri: 7 })),
  ],
  ['an issuer that is no list', ofServer(resource({ authorization_servers: LOGIN }))],
  ['issuers as objects', ofServer(resource({ authorization_servers: [{ issuer: LOGIN }] }))],
  ['issuers that are no URLs', ofServer(resource({ authorization_servers: ['main', LOGIN] }))],
  [
    'an issuer without metadata before another',
    ofServer(resource({ authorization_servers: ['https://gone.example', LOGIN] })),
  ],
  ['the URL of metadata as the issuer', ofServer(resource({ authorization_servers: [`${LOGIN}${OAUTH}`] }))],
  [
    'the URL of OpenID metadata as the issuer',
    {
      ...ofServer(resource({ authorization_servers: [`${LOGIN}${OPENID}`] })),
      ...ofLogin(null),
      [`${LOGIN}${OPENID}`]: login(),
    },
  ],
  ['metadata before the path of the issuer', ofTenant(`${OAUTH}/t1`, tenant)],
  ['metadata below the path of the issuer', ofTenant(`/t1${OAUTH}`, tenant)],
  ['OpenID metadata before the path of the issuer', ofTenant(`${OPENID}/t1`, tenant)],
  ['OpenID metadata below the path of the issuer', ofTenant(`/t1${OPENID}`, tenant)],
  ['metadata at the origin of the issuer', ofTenant(OAUTH, tenant)],
  ['metadata of the origin of the issuer', ofTenant(OAUTH, login())],
  ['metadata of the origin before the path', ofTenant(`${OAUTH}/t1`, login())],
  ['metadata that is a page, beside OpenID metadata', { ...ofLogin('<html></html>'), [`${LOGIN}${OPENID}`]: login() }],
  ['metadata that is empty, beside OpenID metadata', { ...ofLogin({}), [`${LOGIN}${OPENID}`]: login() }],
  ['metadata without an issuer', ofLogin(without('issuer', login()))],
  [
    'lists as texts',
    ofLogin(
      login({
        response_types_supported: 'code',
        code_challenge_methods_supported: 'plain S256',
        scopes_supported: 'a b',
        token_endpoint_auth_methods_supported: 'none',
        grant_types_supported: 'x',
      }),
    ),
  ],
  ['S256 in lower case', ofLogin(login({ code_challenge_methods_supported: ['s256'] }))],
  ['paths as endpoints', ofLogin(login({ authorization_endpoint: '/authorize', token_endpoint: ' /token ' }))],
  [
    'unused members that are no URLs',
    ofLogin(login({ op_tos_uri: '/tos', service_documentation: 'none', jwks_uri: '', introspection_endpoint: null })),
  ],
])('finds the authorization server: %s', async (_, documents, named) => {
  const found = await discover(documents, named);
  expect(found.authorizationEndpoint).toBe(`${LOGIN}/authorize`);
  expect(found.tokenEndpoint).toBe(`${LOGIN}/token`);
});

test('reads scopes and flags in any form', async () => {
  const { scope, wantsProof, metadata } = await discover({
    ...ofServer(resource({ scopes_supported: 'read write', dpop_bound_access_tokens_required: 'true' })),
    ...ofLogin(login({ authorization_response_iss_parameter_supported: 'false', scopes_supported: [null, 'a', 7] })),
  });
  expect({ scope, wantsProof }).toEqual({ scope: 'read write', wantsProof: true });
  expect(metadata).toMatchObject({ authorization_response_iss_parameter_supported: false, scopes_supported: ['a'] });
});

test.each<[string, Documents, RegExp]>([
  ['names another resource', ofServer(resource({ resource: 'https://bank.example/mcp' })), /bank\.example/],
  ['names another path', ofServer(resource({ resource: 'https://tools.example/other' })), /not its URL/],
  ['has metadata of another issuer', ofLogin(login({ issuer: 'https://evil.example' })), /another issuer/],
  ['has metadata of another tenant', ofTenant(`${OAUTH}/t1`, login({ issuer: `${LOGIN}/t2` })), /another issuer/],
  [
    'redirects its resource metadata everywhere',
    { ...ofServer(302), [`https://tools.example${PROTECTED}`]: 302 },
    /resource metadata is invalid/,
  ],
  ['fails to send its resource metadata', ofServer(500), /resource metadata is invalid/],
  ['does not declare PKCE', ofLogin(login({ code_challenge_methods_supported: 'plain' })), /PKCE/],
  ['has no metadata', ofLogin(null), /publishes no metadata/],
  ['has an endpoint of another protocol', ofLogin(login({ token_endpoint: '//evil.example/token' })), /token|invalid/],
])('rejects a server that %s', async (_, documents, reason) => {
  await expect(discover(documents)).rejects.toThrow(reason);
});
