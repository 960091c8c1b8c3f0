import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonValue } from '@toolyard/protocol';
import { afterAll, describe, expect, test } from 'vitest';
import type { OAuthSettings } from '../oauth/oauth-settings.ts';
import { readOAuth } from './read-oauth.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolyard-oauth-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(oauth: JsonValue): OAuthSettings | undefined {
  const fill = (text: string): string => text.replace('${env:SECRET}', 'filled');
  return readOAuth({ oauth }, { fill, folder, where: 'mcp.json, line 1' });
}

describe('"oauth" of a server', () => {
  test('accepts the names of other programs', () => {
    expect(read(null)).toBeUndefined();
    expect(read({ CLIENT_ID: 'a', CLIENT_SECRET: '${env:SECRET}', authorizationServer: 'https://a.test' })).toEqual({
      clientId: 'a',
      clientSecret: 'filled',
      issuer: 'https://a.test',
    });
  });

  test.each([
    ['read write', 'read write'],
    [['read', 'write'], 'read write'],
    [null, undefined],
  ])('accepts the scopes %j', (scopes, scope) => {
    expect(read({ scopes })?.scope).toBe(scope);
  });

  test.each([
    ['client_credentials', { type: 'client_credentials' }],
    ['authorization_code', undefined],
    [
      { type: 'jwt_bearer', assertion: '${env:SECRET}' },
      { type: 'jwt_bearer', assertion: 'filled' },
    ],
    [
      { type: 'enterprise', tokenEndpoint: 'https://idp.test/token', clientId: 'a', idToken: 'b' },
      { type: 'enterprise', tokenEndpoint: 'https://idp.test/token', clientId: 'a', idToken: 'b' },
    ],
  ])('accepts the grant %j', (grant, expected) => {
    expect(read({ grant })?.grant).toEqual(expected);
  });

  test('reads an assertion from its file for each token', async () => {
    const grant = read({ grant: { type: 'jwt_bearer', assertionFile: 'token' } })?.grant;
    const assertion = grant?.type === 'jwt_bearer' ? grant.assertion : '';
    if (typeof assertion === 'string') throw new Error('an assertion in a file is read by a function');
    await expect(assertion()).rejects.toThrow(
      'mcp.json, line 1: "oauth": "grant": its "assertionFile" cannot be read.',
    );
    for (const text of ['first', 'second']) {
      writeFileSync(join(folder, 'token'), `${text}\n`);
      expect(await assertion()).toBe(text);
    }
    // Configurations are compared as JSON.
    expect(JSON.stringify({ assertion })).toBe(JSON.stringify({ assertion: join(folder, 'token') }));
  });

  test.each<[JsonValue, string]>([
    ['clientId', '"oauth" must be an object.'],
    [{ clientId: 1 }, '"oauth": "clientId" must be a string.'],
    [{ scopes: ['read', 1] }, '"oauth": "scopes" must be a list of strings.'],
    [{ resource: 1 }, '"oauth": "resource" must be a string or false.'],
    [{ grant: 'password' }, '"oauth": "grant" must be one of client_credentials, jwt_bearer and enterprise.'],
    [{ grant: { type: 'enterprise', clientId: 'a' } }, '"oauth": "grant" has no "tokenEndpoint".'],
    [{ grant: 'jwt_bearer' }, '"oauth": "grant" has no "assertion".'],
  ])('rejects %j', (oauth, message) => {
    expect(() => read(oauth)).toThrow(`mcp.json, line 1: ${message}`);
  });
});
