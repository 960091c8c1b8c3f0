import { systemClock, ToolyardError } from '@toolyard/protocol';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { healthOf } from '../node/test-fixtures/peers.ts';
import type { Scene, SceneOptions } from '../node/test-fixtures/guarded-server.ts';
import { BACK, startScene } from '../node/test-fixtures/guarded-server.ts';
import type { AuthStore } from './auth-store.ts';
import { createMemoryAuthStore } from './auth-store.ts';

let scene: Scene;
afterEach(() => scene[Symbol.asyncDispose]());

const go = { serverId: 'guarded', name: 'go' };

async function meet(options: SceneOptions = {}): Promise<void> {
  scene = await startScene(options);
  await scene.host.connect('guarded').catch(() => undefined);
}

const visible = () => JSON.stringify(scene.host.health());

describe('signing in to a server', () => {
  test('it wants a sign-in, a person signs in, it connects and can be called', async () => {
    await meet();
    expect(healthOf(scene.host, 'guarded')).toMatchObject({
      state: 'needs_sign_in',
      error: { code: 'needs_sign_in' },
      signIn: { state: 'signed_out', hops: [] },
    });
    const { authorizationUrl, issuer } = await scene.host.signIn('guarded', { redirectUrl: BACK });
    expect(issuer).toBe(scene.authorization.url);
    expect(healthOf(scene.host, 'guarded').signIn).toMatchObject({ state: 'signing_in', issuer });
    const asked = new URL(authorizationUrl).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      redirect_uri: BACK,
      code_challenge_method: 'S256',
      resource: scene.mcp.url,
    });

    expect(await scene.host.finishSignIn(await scene.authorization.visit(authorizationUrl))).toBe('guarded');
    await scene.host.connect('guarded');
    const { state, signIn } = healthOf(scene.host, 'guarded');
    expect([state, signIn?.state]).toEqual(['ready', 'signed_in']);
    expect((await scene.host.callTool(go, {})).isError).toBe(false);
    expect(scene.authorization.grants('authorization_code')).toMatchObject([{ resource: scene.mcp.url }]);
  });

  test('each hop is told, and no secret of it', async () => {
    await meet({ authorization: { expiresIn: 3_600 } });
    await scene.signIn();
    const hops = healthOf(scene.host, 'guarded').signIn?.hops ?? [];
    expect(hops.map(({ step, status }) => `${step} ${status ?? ''}`)).toEqual([
      'resource metadata 200',
      'sign-in server metadata 200',
      'registration 201',
      'token 200',
    ]);
    expect(hops[3]?.request).toBe(`POST ${scene.authorization.url}/token`);
    expect(visible()).not.toMatch(/access-|refresh-|code-|verifier/);
    expect(JSON.stringify(scene.host.wireLog('guarded'))).not.toMatch(/access-|refresh-/);
  });

  test('a client registers once, however often somebody signs in', async () => {
    await meet();
    await scene.signIn();
    scene.authorization.revoke();
    await scene.host.reconnect('guarded').catch(() => undefined);
    expect(healthOf(scene.host, 'guarded').state).toBe('needs_sign_in');
    await scene.signIn();
    expect(scene.authorization.requests.filter(({ path }) => path === '/register')).toHaveLength(1);
  });

  test('whoever starts anew over the same store is signed in', async () => {
    await meet();
    await scene.signIn();
    await scene.host.close();
    const later = scene.another();
    await later.connect('guarded');
    expect(healthOf(later, 'guarded')).toMatchObject({ state: 'ready', signIn: { state: 'signed_in' } });
  });

  test('it is finished by another process than began it', async () => {
    await meet();
    const { authorizationUrl } = await scene.host.signIn('guarded', { redirectUrl: BACK });
    const other = scene.another();
    expect(await other.finishSignIn(await scene.authorization.visit(authorizationUrl))).toBe('guarded');
    await scene.host.connect('guarded');
    expect(healthOf(scene.host, 'guarded').state).toBe('ready');
  });

  test('a process that waits for it learns that another one has signed in, and tries a token of no use once', async () => {
    await meet();
    const other = scene.another();
    await other.connect('guarded').catch(() => undefined);
    await other.lookForSignIns();
    expect(healthOf(other, 'guarded').state).toBe('needs_sign_in');
    await scene.signIn();
    await other.lookForSignIns();
    await other.whenSettled(['guarded'], undefined, 60_000);
    expect(healthOf(other, 'guarded').state).toBe('ready');

    scene.authorization.expire();
    const row = await scene.store.get('tokens/guarded');
    await scene.store.put('tokens/guarded', { ...row?.value, refreshToken: null }, row?.version ?? '');
    await other.reconnect('guarded').catch(() => undefined);
    const asked = scene.mcp.requests.length;
    await other.lookForSignIns();
    await other.lookForSignIns();
    await other.whenSettled(['guarded'], undefined, 60_000);
    expect(healthOf(other, 'guarded').state).toBe('needs_sign_in');
    expect(scene.mcp.requests).toHaveLength(asked);
  });

  test('a process whose store is away just then says so, and learns of it when it looks again', async () => {
    await meet();
    const other = scene.another();
    await other.connect('guarded').catch(() => undefined);
    await scene.signIn();
    const away = new ToolyardError({ code: 'storage_failed', message: 'The store is away.' });
    vi.spyOn(scene.store, 'get').mockRejectedValueOnce(away);
    await expect(other.lookForSignIns()).rejects.toBe(away);
    await other.lookForSignIns();
    await other.whenSettled(['guarded'], undefined, 60_000);
    expect(healthOf(other, 'guarded').state).toBe('ready');
  });

  test('signed out, the server asks again', async () => {
    await meet();
    await scene.signIn();
    const row = await scene.store.get('tokens/guarded');
    await scene.host.signOut('guarded');
    const given = scene.authorization.requests.find(({ path }) => path === '/revoke');
    expect(given?.params['token']).toBe(row?.value['refreshToken']);
    await expect(scene.host.connect('guarded')).rejects.toMatchObject({ code: 'needs_sign_in' });
    expect(await scene.store.get('tokens/guarded')).toBeUndefined();
  });

  test('who declines is told so, and nothing is asked for', async () => {
    await meet({ authorization: { person: 'declines' } });
    const { authorizationUrl } = await scene.host.signIn('guarded', { redirectUrl: BACK });
    await expect(scene.host.finishSignIn(await scene.authorization.visit(authorizationUrl))).rejects.toMatchObject({
      code: 'server_refused',
      message: expect.stringContaining('declined') as string,
    });
    expect(scene.authorization.grants()).toEqual([]);
  });

  test('a server without metadata, as of 2025-03-26, is asked at fixed addresses of its own', async () => {
    await meet({ protection: { metadata: null }, authorization: { metadata: null } });
    // This one is not its own sign-in server: what it lacks is told with the last request.
    await expect(scene.host.signIn('guarded', { redirectUrl: BACK })).rejects.toMatchObject({
      code: 'server_refused',
      message: expect.stringContaining('/register: HTTP 404') as string,
    });
    expect(healthOf(scene.host, 'guarded').signIn?.hops.map(({ step, status }) => [step, status])).toEqual([
      ['resource metadata', 404],
      ['resource metadata', 404],
      ['sign-in server metadata', 404],
      ['sign-in server metadata', 404],
      ['registration', 404],
    ]);
  });

  test('a client registered by hand is used, with its secret', async () => {
    await meet({
      authorization: { clients: { 'by:hand': 'se cret' }, metadata: { registration_endpoint: null } },
      settings: { clientId: 'by:hand', clientSecret: 'se cret' },
    });
    await scene.signIn();
    expect(healthOf(scene.host, 'guarded').state).toBe('ready');
    expect(visible()).not.toContain('se cret');
  });

  test('where clients are registered by hand only, the hint says what to write where', async () => {
    await meet({ authorization: { metadata: { registration_endpoint: null } } });
    await expect(scene.host.signIn('guarded', { redirectUrl: BACK })).rejects.toMatchObject({
      code: 'server_refused',
      hint: expect.stringMatching(/127\.0\.0\.1:8710.*clientId/) as string,
    });
  });

  test('what the server asks for is asked for, and that it lasts where that is known', async () => {
    await meet({
      protection: { scope: 'read' },
      authorization: { metadata: { scopes_supported: ['read', 'write', 'offline_access'] } },
    });
    const { authorizationUrl } = await scene.host.signIn('guarded', { redirectUrl: BACK });
    expect(new URL(authorizationUrl).searchParams.get('scope')).toBe('read offline_access');
  });

  test('Toolyard as itself: tokens without a person, again when they expire', async () => {
    await meet({
      authorization: { clients: { robot: 'secret-of-robot' } },
      settings: { clientId: 'robot', clientSecret: 'secret-of-robot', grant: { type: 'client_credentials' } },
    });
    expect(healthOf(scene.host, 'guarded').state).toBe('ready');
    scene.authorization.expire();
    const calls = await Promise.all([1, 2, 3].map(() => scene.host.callTool(go, {})));
    expect(calls.map(({ isError }) => isError)).toEqual([false, false, false]);
    expect(scene.authorization.grants('client_credentials')).toHaveLength(2);
    await expect(scene.host.signIn('guarded', { redirectUrl: BACK })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a server that wants nobody to sign in says nothing of it', async () => {
    scene = await startScene({
      protection: { open: ['', 'server/discover', 'initialize', 'notifications/initialized', 'tools/list'] },
    });
    await scene.host.connect('guarded');
    expect(healthOf(scene.host, 'guarded')).not.toHaveProperty('signIn');
  });

  test('a token in the headers of the configuration stays what is sent', async () => {
    scene = await startScene();
    const host = scene.another();
    await host.remove('guarded');
    host.add({
      id: 'guarded',
      transport: { type: 'http', url: scene.mcp.url, headers: { Authorization: 'Bearer x' } },
    });
    await expect(host.connect('guarded')).rejects.toMatchObject({ code: 'needs_sign_in' });
    expect(healthOf(host, 'guarded').signIn).toBeUndefined();
    await expect(host.signIn('guarded', { redirectUrl: BACK })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a sign-in that ends while the server is used', () => {
  test('a call that is refused has not been made, and the server wants a sign-in', async () => {
    await meet({ authorization: { refresh: false } });
    await scene.signIn();
    scene.authorization.expire();
    const result = await scene.host.callTool(go, {});
    expect(result).toMatchObject({ isError: true, outcome: 'not_sent', error: { code: 'needs_sign_in' } });
    expect(healthOf(scene.host, 'guarded').state).toBe('needs_sign_in');
    expect(scene.mcp.received.filter(({ method }) => method === 'tools/call')).toEqual([]);

    await scene.signIn();
    expect((await scene.host.callTool(go, {})).isError).toBe(false);
  });

  test('five parallel calls at token expiry with rotating refresh tokens: one refresh, five answers', async () => {
    await meet({ authorization: { expiresIn: 3_600 } });
    await scene.signIn();
    scene.authorization.expire();
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => scene.host.callTool(go, {})));
    expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false, false]);
    expect(scene.authorization.grants('refresh_token')).toHaveLength(1);
  });

  test('the same from two processes over one store', async () => {
    await meet({ authorization: { expiresIn: 3_600 } });
    await scene.signIn();
    const other = scene.another();
    await other.connect('guarded');
    scene.authorization.expire();
    const calls = [scene.host, other, scene.host, other, other].map((host) => host.callTool(go, {}));
    expect((await Promise.all(calls)).map(({ isError }) => isError)).toEqual([false, false, false, false, false]);
    expect(scene.authorization.grants('refresh_token')).toHaveLength(1);
    expect([scene.host, other].map((host) => healthOf(host, 'guarded').state)).toEqual(['ready', 'ready']);
  });

  test('tokens that are renewed while the store is away are used, and stored when it is back', async () => {
    const kept = createMemoryAuthStore();
    let isAway = false;
    const store: AuthStore = {
      ...kept,
      put(key, value, ...more) {
        if (!isAway || 'renewal' in value) return kept.put(key, value, ...more);
        throw new ToolyardError({ code: 'storage_failed', message: 'The database cannot be reached.' });
      },
    };
    await meet({ store, authorization: { expiresIn: 3_600 } });
    await scene.signIn();
    scene.authorization.expire();
    isAway = true;
    expect((await scene.host.callTool(go, {})).isError).toBe(false);
    isAway = false;
    expect((await scene.host.callTool(go, {})).isError).toBe(false);
    const other = scene.another();
    await other.connect('guarded');
    expect((await other.callTool(go, {})).isError).toBe(false);
    expect(scene.authorization.grants('refresh_token')).toHaveLength(1);
    // With the one that counts now.
    scene.authorization.expire();
    expect((await other.callTool(go, {})).isError).toBe(false);
  });

  test('a token that is about to expire is renewed before it is refused', async () => {
    await meet({ authorization: { expiresIn: 10 } });
    await scene.signIn();
    const renewals = scene.authorization.grants('refresh_token').length;
    await scene.host.callTool(go, {});
    expect(scene.authorization.grants('refresh_token').length).toBeGreaterThan(renewals);
  });

  test('a process that died while it renewed holds nobody up for ever', async () => {
    await meet({ authorization: { expiresIn: 3_600 } });
    await scene.signIn();
    const row = await scene.store.get('tokens/guarded');
    const until = systemClock.now() + 300;
    await scene.store.put(
      'tokens/guarded',
      { ...row?.value, renewal: { by: 'the dead', until } },
      row?.version ?? null,
    );
    scene.authorization.expire();
    expect((await scene.host.callTool(go, {})).isError).toBe(false);
    expect(scene.authorization.grants('refresh_token')).toHaveLength(1);
    expect((await scene.store.get('tokens/guarded'))?.value['renewal']).toBeUndefined();
  });

  test('nobody clears what another process has written since', async () => {
    await meet({ authorization: { expiresIn: 3_600 } });
    await scene.signIn();
    const other = scene.another();
    await other.connect('guarded');
    // The refresh token of the one is worth nothing any more; the other has signed in anew meanwhile.
    scene.authorization.revoke();
    await scene.signIn(other);
    expect((await scene.host.callTool(go, {})).isError).toBe(false);
    expect(await scene.store.get('tokens/guarded')).toBeDefined();
    expect(scene.authorization.grants('refresh_token')).toEqual([]);
  });

  test('a sign-in server that fails is not the end of the sign-in', async () => {
    let isDown = false;
    await meet({
      authorization: { expiresIn: 3_600, token: () => (isDown ? { status: 503, body: {} } : undefined) },
    });
    await scene.signIn();
    scene.authorization.expire();
    isDown = true;
    const failed = await scene.host.callTool(go, {});
    expect(failed).toMatchObject({ outcome: 'not_sent', error: { code: 'server_unreachable', retryable: true } });
    isDown = false;
    expect((await scene.host.callTool(go, {})).isError).toBe(false);
  });

  test('a refresh that is refused says so with the words of the sign-in server', async () => {
    await meet({ authorization: { expiresIn: 3_600 } });
    await scene.signIn();
    scene.authorization.revoke();
    const { error } = await scene.host.callTool(go, {});
    expect(error).toMatchObject({
      code: 'needs_sign_in',
      message: expect.stringContaining('no longer valid') as string,
    });
    const { hops = [] } = healthOf(scene.host, 'guarded').signIn ?? {};
    expect(hops.at(-1)).toMatchObject({ step: 'token', status: 400, said: 'invalid_grant' });
  });
});

describe('more rights than were given', () => {
  const needs = { 'tools/call:write': 'write' };

  test('only the call that wants them waits for a person; the server stays ready', async () => {
    await meet({ protection: { scope: 'read', needs } });
    await scene.signIn();
    const write = { serverId: 'guarded', name: 'write' };
    const refused = await scene.host.callTool(write, {});
    expect(refused).toMatchObject({
      outcome: 'not_sent',
      error: { code: 'needs_sign_in', message: expect.stringContaining('write') as string },
    });
    expect(healthOf(scene.host, 'guarded')).toMatchObject({ state: 'ready', signIn: { wanted: 'read write' } });
    expect((await scene.host.callTool(go, {})).isError).toBe(false);

    const { authorizationUrl } = await scene.host.signIn('guarded', { redirectUrl: BACK });
    expect(new URL(authorizationUrl).searchParams.get('scope')).toBe('read write');
    await scene.host.finishSignIn(await scene.authorization.visit(authorizationUrl));
    expect((await scene.host.callTool(write, {})).isError).toBe(false);
  });

  test('what was given and does not help is not asked for again', async () => {
    await meet({ protection: { scope: 'read write', needs: { 'tools/call:write': 'read write admin' } } });
    await scene.signIn();
    const write = { serverId: 'guarded', name: 'write' };
    expect((await scene.host.callTool(write, {})).error?.code).toBe('needs_sign_in');
    const { authorizationUrl } = await scene.host.signIn('guarded', { redirectUrl: BACK });
    const back = await scene.authorization.visit(authorizationUrl.replace('+admin', ''));
    await scene.host.finishSignIn(back);
    expect((await scene.host.callTool(write, {})).error).toMatchObject({ code: 'server_refused' });
  });
});
