import type { Fetch, JsonObject } from '@toolyard/protocol';
import { cases, fc } from '@toolyard/testing/property';
import { afterEach, describe, expect, test } from 'vitest';
import { getHealth } from '../node/test-fixtures/peers.ts';
import type { Scene } from '../node/test-fixtures/guarded-server.ts';
import { BACK, startScene } from '../node/test-fixtures/guarded-server.ts';
import { isSameIssuer } from './issuer.ts';
import { errorMessageIn, readDocument } from './read-document.ts';

const host = fc.constantFrom('login.example', 'a.b.example', '127.0.0.1', '[::1]');
const path = fc.constantFrom('', '/realms/one', '/t/A', '/t/a', '/x%2Fy');
const issuer = fc.record({ scheme: fc.constantFrom('https', 'http'), host, path, port: fc.constantFrom('', ':8443') });

/** An issuer as another document of the same server writes it. */
const spelled = fc.tuple(issuer, fc.boolean(), fc.boolean(), fc.boolean()).map(([one, isUpper, hasSlash, hasPort]) => {
  const plain = `${one.scheme}://${one.host}${one.port}${one.path}`;
  const known = one.port === '' && hasPort ? (one.scheme === 'https' ? ':443' : ':80') : one.port;
  const front = `${one.scheme}://${one.host}`;
  return { plain, other: `${isUpper ? front.toUpperCase() : front}${known}${one.path}${hasSlash ? '/' : ''}` };
});

describe('issuers', () => {
  test('are the same however a server spells them', () => {
    fc.assert(
      fc.property(spelled, ({ plain, other }) => {
        expect(isSameIssuer(plain, other)).toBe(true);
        expect(isSameIssuer(other, plain)).toBe(true);
      }),
      cases(300),
    );
  });

  test('differ in host, path, port and scheme', () => {
    fc.assert(
      fc.property(spelled, spelled, (one, other) => {
        expect(isSameIssuer(one.other, other.other)).toBe(one.plain === other.plain);
      }),
      cases(500),
    );
    for (const foreign of [
      'https://a.example//',
      'https://a.example/?x',
      'https://a.example/#x',
      'https://me@a.example',
    ])
      expect(isSameIssuer('https://a.example', foreign)).toBe(false);
  });
});

describe('a document of an authorization server', () => {
  const filler = fc.dictionary(fc.constantFrom('a', 'b', 'jwks_uri', 'logo_uri'), fc.constantFrom(null, ''));

  test('says the same with and without members that have no value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), filler, filler, (members, outer, inner) => {
        const full = { ...members, x: { n: 1 }, list: ['v'] };
        const spoiled = { ...outer, ...members, x: { ...inner, n: 1 }, list: [null, 'v', ''] };
        expect(readDocument(JSON.stringify(spoiled))).toEqual(full);
      }),
      cases(200),
    );
  });

  test('may be form-encoded', () => {
    expect(readDocument('access_token=a%20b&scope=&token_type=bearer')).toEqual({
      access_token: 'a b',
      token_type: 'bearer',
    });
    for (const text of ['', 'Not found', '<a href="?x=y">', '["a"]', 'null', '{"a":'])
      expect(readDocument(text)).toBeUndefined();
  });
});

test.each<[JsonObject]>([
  [{ error: 'x', error_description: 'No seat' }],
  [{ error: { code: 'E7', message: 'No seat' } }],
  [{ errors: [{ message: 'No seat' }] }],
  [{ errors: ['No seat'] }],
  [{ detail: 'No seat' }],
  [{ title: 'No seat', status: 400 }],
])('the message of the error %j is found', (document) => {
  expect(errorMessageIn(document)).toContain('No seat');
});

describe('signing in', () => {
  let scene: Scene;
  afterEach(() => scene[Symbol.asyncDispose]());

  /** Changes the documents of the authorization server on their way. */
  function changing(change: (path: string, document: JsonObject) => JsonObject | string): Fetch {
    return async (input, init) => {
      const response = await fetch(input, init);
      const document = readDocument(await response.clone().text());
      if (document === undefined) return response;
      const changed = change(new URL(String(input)).pathname, document);
      const isText = typeof changed === 'string';
      const type = isText ? 'application/x-www-form-urlencoded' : 'application/json';
      const headers = { 'content-type': type };
      return new Response(isText ? changed : JSON.stringify(changed), { status: response.status, headers });
    };
  }

  async function signInThrough(change: Parameters<typeof changing>[0]) {
    scene = await startScene();
    const met = scene.another({ signIn: { store: scene.store, fetchFor: () => changing(change) } });
    await met.connect('guarded').catch(() => undefined);
    return met;
  }

  const EMPTY: JsonObject = {
    client_secret: null,
    client_secret_expires_at: null,
    grant_types: null,
    redirect_uris: null,
    response_types: null,
    token_endpoint_auth_method: '',
    logo_uri: '',
    contacts: null,
    jwks_uri: null,
    scope: null,
    service_documentation: '',
    op_policy_uri: null,
    revocation_endpoint_auth_methods_supported: null,
    refresh_token: '',
    expires_in: null,
    resource_name: null,
    bearer_methods_supported: null,
  };

  test.each<[string, RegExp]>([
    ['the resource metadata', /oauth-protected-resource/],
    ['the metadata', /oauth-authorization-server/],
    ['the registration', /register/],
    ['the tokens', /token/],
    ['every document', /./],
  ])('works with empty members in %s', async (_what, where) => {
    const met = await signInThrough((at, document) => (where.test(at) ? { ...EMPTY, ...document } : document));
    await scene.signIn(met);
    expect(getHealth(met, 'guarded').state).toBe('ready');
  });

  test('works if the metadata names its issuer with a slash or a default spelling', async () => {
    const met = await signInThrough((at, document) =>
      at.includes('authorization-server')
        ? {
            ...document,
            issuer: `${document['issuer'] as string}/`,
            authorization_response_iss_parameter_supported: false,
          }
        : document,
    );
    const { authorizationUrl, issuer: named } = await met.signIn('guarded', { redirectUrl: BACK });
    expect(named).toMatch(/\/$/);
    const { iss: _iss, ...redirect } = await scene.authorization.visit(authorizationUrl);
    await met.finishSignIn(redirect);
    await met.connect('guarded');
    expect(getHealth(met, 'guarded').state).toBe('ready');
  });

  test('shows the error of a token endpoint that answers 200', async () => {
    const error = { error: 'bad_verification_code', error_description: 'The code passed is incorrect.' };
    for (const answer of [
      error,
      new URLSearchParams(error).toString(),
      { error: { code: 'E7', message: 'incorrect' } },
    ]) {
      const met = await signInThrough((at, document) => (at === '/token' ? answer : document));
      await expect(scene.signIn(met)).rejects.toMatchObject({
        code: 'server_refused',
        message: expect.stringContaining('incorrect') as string,
      });
      await scene[Symbol.asyncDispose]();
    }
    scene = await startScene();
  });

  test('names the setting for an authorization server that rejects the resource', async () => {
    const error = { error: 'invalid_target', error_description: 'Unknown resource.' };
    const met = await signInThrough((at, document) => (at === '/token' ? error : document));
    await expect(scene.signIn(met)).rejects.toMatchObject({
      hint: expect.stringContaining('"oauth" of the server') as string,
    });
  });

  test('reads tokens that are form-encoded', async () => {
    const met = await signInThrough((at, document) =>
      at === '/token' ? new URLSearchParams(document as Record<string, string>).toString() : document,
    );
    await scene.signIn(met);
    expect(getHealth(met, 'guarded').state).toBe('ready');
  });
});
