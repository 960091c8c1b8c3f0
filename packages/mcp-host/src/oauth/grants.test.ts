import { startAuthorizationServer } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { getHealth } from '../node/test-fixtures/peers.ts';
import type { Scene } from '../node/test-fixtures/guarded-server.ts';
import { startScene } from '../node/test-fixtures/guarded-server.ts';
import { createProofKey, readProofKey } from './dpop-keys.ts';
import { secretsOfSettings } from './oauth-settings.ts';

// The complete conformance suite also covers these grants; it is part of `npm run test:long`.

let scene: Scene;
afterEach(() => scene[Symbol.asyncDispose]());

const go = { serverId: 'guarded', name: 'go' };
const CLIENT = { clientId: 'robot', clientSecret: 'secret-of-robot' };
const KNOWN = { clients: { [CLIENT.clientId]: CLIENT.clientSecret }, assertions: ['assertion-1', 'assertion-2'] };

describe('grants without a user', () => {
  test('send the assertion of the workload, read again for each token', async () => {
    let reads = 0;
    const assertion = async (): Promise<string> => `assertion-${++reads}`;
    scene = await startScene({
      authorization: KNOWN,
      settings: { ...CLIENT, grant: { type: 'jwt_bearer', assertion } },
    });
    await scene.host.connect('guarded');
    scene.authorization.expire();
    expect((await scene.host.callTool(go, {})).isError).toBe(false);
    expect(scene.authorization.grants().map(({ assertion: sent }) => sent)).toEqual(['assertion-1', 'assertion-2']);
  });

  test('exchange the ID token at the identity provider for an assertion', async () => {
    await using provider = await startAuthorizationServer({
      token: () => ({ status: 200, body: { access_token: 'assertion-1', token_type: 'N_A' } }),
    });
    const idp = { tokenEndpoint: `${provider.url}/token`, clientId: 'toolyard', clientSecret: 'secret-at-idp' };
    const settings = { ...CLIENT, grant: { type: 'enterprise', ...idp, idToken: 'id-token' } } as const;
    scene = await startScene({ authorization: KNOWN, settings });
    await scene.host.connect('guarded');
    expect(getHealth(scene.host, 'guarded').state).toBe('ready');
    expect(provider.grants()).toMatchObject([
      {
        subject_token: 'id-token',
        client_id: 'toolyard',
        client_secret: 'secret-at-idp',
        audience: scene.authorization.url,
        resource: scene.mcp.url,
      },
    ]);
    expect(scene.authorization.grants()).toMatchObject([{ assertion: 'assertion-1' }]);
    expect(secretsOfSettings(settings)).toEqual(['secret-of-robot', 'secret-at-idp', 'id-token']);
  });

  test('report the rejection and what to check, without a secret', async () => {
    const settings = { ...CLIENT, grant: { type: 'jwt_bearer', assertion: 'unknown-assertion' } } as const;
    scene = await startScene({ authorization: KNOWN, settings });
    await scene.host.connect('guarded').catch(() => undefined);
    const { error } = getHealth(scene.host, 'guarded');
    expect(error).toMatchObject({ code: 'server_refused', hint: expect.stringContaining('"oauth"') as string });
    expect(error?.message).toMatch(/^Toolyard could not get a token for "guarded" \(.*400.*\)\.$/);
    expect(JSON.stringify(scene.host.health())).not.toMatch(/unknown-assertion|secret-of-robot/);
  });
});

describe('tokens bound to a key (DPoP)', () => {
  const required = { metadata: { dpop_bound_access_tokens_required: true } };
  const readParts = (proof: unknown): { header: unknown; claims: unknown } => {
    const [header = '', claims = ''] = String(proof).split('.');
    const parsed = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    return { header: parsed(header), claims: parsed(claims) };
  };

  test('send a proof with each request, also in a new host with the same store', async () => {
    scene = await startScene({ protection: required });
    await scene.host.connect('guarded').catch(() => undefined);
    await scene.signIn();
    await scene.host.close();
    const later = scene.another();
    await later.connect('guarded');
    expect((await later.callTool(go, {})).isError).toBe(false);
    const sent = scene.mcp.requests.filter(({ headers }) => headers['dpop'] !== undefined);
    expect(sent.every(({ headers }) => headers.authorization?.startsWith('DPoP access-'))).toBe(true);
    const proofs = sent.map(({ headers }) => readParts(headers['dpop']));
    expect(proofs.at(-1)?.claims).toMatchObject({ htm: 'POST', htu: scene.mcp.url, ath: expect.any(String) as string });
    expect(new Set(proofs.map(({ header }) => JSON.stringify(header))).size).toBe(1);
  });

  test('require a sign-in if the stored key is invalid', async () => {
    scene = await startScene({ protection: required });
    await scene.host.connect('guarded').catch(() => undefined);
    await scene.signIn();
    await scene.host.close();
    const row = await scene.store.get('tokens/guarded');
    await scene.store.put('tokens/guarded', { ...row?.value, proofKey: { kty: 'EC' } }, row?.version ?? '');
    const later = scene.another();
    await later.connect('guarded').catch(() => undefined);
    expect(getHealth(later, 'guarded')).toMatchObject({ state: 'needs_sign_in' });
    const { stored } = await createProofKey();
    expect((await readProofKey(stored))?.stored).toEqual(stored);
    expect(await readProofKey('no key')).toBeUndefined();
  });
});
