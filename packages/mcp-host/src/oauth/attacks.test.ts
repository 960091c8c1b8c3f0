import { systemClock } from '@toolyard/protocol';
import { afterEach, describe, expect, test } from 'vitest';
import { getHealth } from '../node/test-fixtures/peers.ts';
import { createWebTransports } from '../transports/web-transports.ts';
import { chooseClient } from './client-identity.ts';
import { createMemoryAuthStore } from './auth-store.ts';
import { readEndpoint } from './sign-in-url.ts';
import { HopLog } from './hops.ts';
import type { Scene, SceneOptions } from '../node/test-fixtures/guarded-server.ts';
import { BACK, startScene } from '../node/test-fixtures/guarded-server.ts';

/** Attack cases 1, 2 and 20, as far as they concern sign-ins. */

let scene: Scene | undefined;
afterEach(async () => {
  await scene?.[Symbol.asyncDispose]();
  scene = undefined;
});

async function connectGuarded(options: SceneOptions = {}): Promise<Scene> {
  scene = await startScene(options);
  await scene.host.connect('guarded').catch(() => undefined);
  return scene;
}

const begin = (of: Scene) => of.host.signIn('guarded', { redirectUrl: BACK });

describe('attacks 1 and 2: the authorization URL', () => {
  test.each([
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'vbscript:x',
    '--flag',
    '$(touch /tmp/pwned)',
    'http://evil.example/authorize',
    'https://accounts.example@evil.example/authorize',
    'ms-msdt:/id',
  ])('%s is rejected', async (address) => {
    const of = await connectGuarded({ authorization: { metadata: { authorization_endpoint: address } } });
    await expect(begin(of)).rejects.toMatchObject({
      code: expect.stringMatching(/^(address_refused|server_refused)$/) as string,
    });
    expect(of.authorization.grants()).toEqual([]);
  });

  test('a loopback URL is accepted only from an authorization server on this machine', () => {
    const local = 'http://127.0.0.1:8080/admin/delete';
    expect(() => readEndpoint('sign-in page', local, 'https://accounts.example')).toThrow(/on this machine/);
    expect(readEndpoint('sign-in page', local, 'http://localhost:9000').href).toBe(local);
  });

  test('shell metacharacters in it are percent-encoded', async () => {
    const of = await connectGuarded({ protection: { scope: '$(id);`id`|calc&"' } });
    const { authorizationUrl } = await begin(of);
    expect(authorizationUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/authorize\?[\w.~%=&+*()$-]+$/);
  });
});

describe('attack 20: authorization server mix-up', () => {
  test.each([
    ['a foreign iss', 'https://evil.example'],
    ['no iss where one was promised', null],
  ])('%s is rejected, and the code is not sent', async (_what, iss) => {
    const of = await connectGuarded({ authorization: { iss } });
    const { authorizationUrl } = await begin(of);
    await expect(of.host.finishSignIn(await of.authorization.visit(authorizationUrl))).rejects.toMatchObject({
      message: expect.stringContaining('not from the expected authorization server') as string,
    });
    expect(of.authorization.grants()).toEqual([]);
  });

  test('the text of a foreign response is not repeated', async () => {
    const of = await connectGuarded();
    const { state } = await begin(of);
    const error = 'call +1 555 0100 at once';
    await expect(of.host.finishSignIn({ state, error, iss: 'https://evil.example' })).rejects.toMatchObject({
      message: expect.not.stringContaining('555') as string,
    });
  });

  test('a state is valid once', async () => {
    const of = await connectGuarded();
    const { authorizationUrl } = await begin(of);
    const back = await of.authorization.visit(authorizationUrl);
    const both = await Promise.allSettled([of.host.finishSignIn(back), of.another().finishSignIn(back)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(of.host.finishSignIn(back)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('an unknown state is rejected, and states are stored hashed', async () => {
    const of = await connectGuarded();
    const { state } = await begin(of);
    expect(await of.store.get(`sign-in/${state}`)).toBeUndefined();
    await expect(of.host.finishSignIn({ state: `${state}x`, code: 'c' })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('the token request repeats the redirect URI', async () => {
    const of = await connectGuarded();
    await of.signIn();
    expect(of.authorization.grants('authorization_code')).toMatchObject([{ redirect_uri: BACK }]);
  });

  test('a server whose resource metadata names another server is rejected', async () => {
    const of = await connectGuarded({ protection: { metadata: { resource: 'https://bank.example/mcp' } } });
    await expect(begin(of)).rejects.toMatchObject({ message: expect.stringContaining('bank.example') as string });
  });

  test('an authorization server whose metadata names another issuer is rejected', async () => {
    const of = await connectGuarded({ authorization: { metadata: { issuer: 'https://accounts.example' } } });
    await expect(begin(of)).rejects.toMatchObject({ message: expect.stringContaining('another issuer') as string });
  });

  test('an authorization server without S256 is rejected unless the operator sets assumePkce', async () => {
    const metadata = { code_challenge_methods_supported: null };
    const of = await connectGuarded({ authorization: { metadata } });
    await expect(begin(of)).rejects.toMatchObject({ hint: expect.stringContaining('assumePkce') as string });
    await of[Symbol.asyncDispose]();
    const vouched = await connectGuarded({ authorization: { metadata }, settings: { assumePkce: true } });
    await vouched.signIn();
    expect(getHealth(vouched.host, 'guarded').state).toBe('ready');
  });

  test('a client secret is not sent to a second authorization server', async () => {
    const secret = 'secret-of-ours';
    const settings = { clientId: 'us', clientSecret: secret };
    const store = createMemoryAuthStore();
    const first = await connectGuarded({ authorization: { clients: { us: secret } }, settings, store });
    await first.signIn();
    await first[Symbol.asyncDispose]();
    const second = await connectGuarded({ authorization: { clients: { us: secret } }, settings, store });
    await expect(begin(second)).rejects.toMatchObject({
      message: expect.stringContaining('not sent to any other') as string,
    });
    expect(JSON.stringify(second.authorization.requests)).not.toContain(secret);
  });

  test('tokens of one URL are not sent to another one that replaces it', async () => {
    const store = createMemoryAuthStore();
    const first = await connectGuarded({ store });
    await first.signIn();
    await first[Symbol.asyncDispose]();
    const second = await connectGuarded({ store });
    expect(getHealth(second.host, 'guarded').state).toBe('needs_sign_in');
    expect(second.mcp.requests.map(({ headers }) => headers.authorization)).not.toContainEqual(
      expect.stringContaining('access-'),
    );
  });

  test('token passthrough: only requests to the server itself carry its token', async () => {
    const of = await connectGuarded();
    await of.signIn();
    const sent: Record<string, string | null> = {};
    const host = of.another({
      createTransport(config, context) {
        const signed = context.sign?.(async (input, init) => {
          const { origin } = new URL(input);
          sent[origin] = new Headers(init?.headers).get('authorization');
          return origin === new URL(of.mcp.url).origin ? fetch(input, init) : new Response('{}');
        });
        return createWebTransports({
          fetch: async (input, init) => {
            await signed?.('https://elsewhere.example/mcp', { method: 'POST' });
            return signed?.(input, init) ?? fetch(input, init);
          },
        })(config, { ...context, sign: (plain) => plain });
      },
    });
    await host.connect('guarded');
    expect(sent).toEqual({
      [new URL(of.mcp.url).origin]: expect.stringContaining('Bearer access-') as string,
      'https://elsewhere.example': null,
    });
  });

  test('CIMD: a client metadata URL must use https and have a path', async () => {
    const of = await connectGuarded({
      authorization: { metadata: { client_id_metadata_document_supported: true } },
      settings: { clientMetadataUrl: 'https://toolyard.example/' },
    });
    await expect(begin(of)).rejects.toMatchObject({ code: 'bad_config' });
  });

  test('a registration is used only with the authorization server that issued it', async () => {
    const of = await connectGuarded();
    await of.signIn();
    const hops = new HopLog(systemClock, fetch, () => undefined);
    const server = {
      issuer: 'https://other.example',
      authorizationEndpoint: 'https://other.example/authorize',
      tokenEndpoint: 'https://other.example/token',
      wantsProof: false,
    };
    const options = { serverId: 'guarded', settings: {}, server, redirectUrl: BACK, scope: undefined, now: 0 };
    await expect(
      chooseClient({ ...options, introduction: { name: 'x' }, store: of.store, hops }),
    ).rejects.toMatchObject({ code: 'server_refused' });
  });
});
