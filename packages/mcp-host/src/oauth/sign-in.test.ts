import { systemClock, ToolyardError } from '@toolyard/protocol';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { getHealth } from '../node/test-fixtures/peers.ts';
import type { Scene, SceneOptions } from '../node/test-fixtures/guarded-server.ts';
import { BACK, startScene } from '../node/test-fixtures/guarded-server.ts';
import type { AuthStore } from './auth-store.ts';
import { createMemoryAuthStore } from './auth-store.ts';

let scene: Scene;
afterEach(() => scene[Symbol.asyncDispose]());

const go = { serverId: 'guarded', name: 'go' };

async function connectGuarded(options: SceneOptions = {}): Promise<void> {
  scene = await startScene(options);
  await scene.host.connect('guarded').catch(() => undefined);
}

const visible = () => JSON.stringify(scene.host.health());

describe('signing in to a server', () => {
  test('connects a server that requires it, after which its tools can be called', async () => {
    await connectGuarded();
    expect(getHealth(scene.host, 'guarded')).toMatchObject({
      state: 'needs_sign_in',
      error: { code: 'needs_sign_in' },
      signIn: { state: 'signed_out', hops: [] },
    });
    const { authorizationUrl, issuer } = await scene.host.signIn('guarded', { redirectUrl: BACK });
    expect(issuer).toBe(scene.authorization.url);
    expect(getHealth(scene.host, 'guarded').signIn).toMatchObject({ state: 'signing_in', issuer });
    const asked = new URL(authorizationUrl).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      redirect_uri: BACK,
      code_challenge_method: 'S256',
      resource: scene.mcp.url,
    });

    expect(await scene.host.finishSignIn(await scene.authorization.visit(authorizationUrl))).toBe('guarded');
    await scene.host.connect('guarded');
    const { state, signIn } = getHealth(scene.host, 'guarded');
    expect([state, signIn?.state]).toEqual(['ready', 'signed_in']);
    expect((await scene.host.callTool(go, {})).isError).toBe(false);
    expect(scene.authorization.grants('authorization_code')).toMatchObject([{ resource: scene.mcp.url }]);
  });

  test('logs each request without secrets', async () => {
    await connectGuarded({ authorization: { expiresIn: 3_600 } });
    await scene.signIn();
    const hops = getHealth(scene.host, 'guarded').signIn?.hops ?? [];
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

  test('registers a client only once', async () => {
    await connectGuarded();
    await scene.signIn();
    scene.authorization.revoke();
    await scene.host.reconnect('guarded').catch(() => undefined);
    expect(getHealth(scene.host, 'guarded').state).toBe('needs_sign_in');
    await scene.signIn();
    expect(scene.authorization.requests.filter(({ path }) => path === '/register')).toHaveLength(1);
  });

  test('is kept in the store across restarts', async () => {
    await connectGuarded();
    await scene.signIn();
    await scene.host.close();
    const later = scene.another();
    await later.connect('guarded');
    expect(getHealth(later, 'guarded')).toMatchObject({ state: 'ready', signIn: { state: 'signed_in' } });
  });

  test('can be finished by another process', async () => {
    await connectGuarded();
    const { authorizationUrl } = await scene.host.signIn('guarded', { redirectUrl: BACK });
    const other = scene.another();
    expect(await other.finishSignIn(await scene.authorization.visit(authorizationUrl))).toBe('guarded');
    await scene.host.connect('guarded');
    expect(getHealth(scene.host, 'guarded').state).toBe('ready');
  });

  test('in another process is detected, and a rejected token is tried once', async () => {
    await connectGuarded();
    const other = scene.another();
    await other.connect('guarded').catch(() => undefined);
    await other.reloadSignIns();
    expect(getHealth(other, 'guarded').state).toBe('needs_sign_in');
    await scene.signIn();
    await other.reloadSignIns();
    await other.whenSettled(['guarded'], undefined, 60_000);
    expect(getHealth(other, 'guarded').state).toBe('ready');

    scene.authorization.expire();
    const row = await scene.store.get('tokens/guarded');
    await scene.store.put('tokens/guarded', { ...row?.value, refreshToken: null }, row?.version ?? '');
    await other.reconnect('guarded').catch(() => undefined);
    const asked = scene.mcp.requests.length;
    await other.reloadSignIns();
    await other.reloadSignIns();
    await other.whenSettled(['guarded'], undefined, 60_000);
    expect(getHealth(other, 'guarded').state).toBe('needs_sign_in');
    expect(scene.mcp.requests).toHaveLength(asked);
  });

  test('in another process is detected after a failure of the store', async () => {
    await connectGuarded();
    const other = scene.another();
    await other.connect('guarded').catch(() => undefined);
    await scene.signIn();
    const away = new ToolyardError({ code: 'storage_failed', message: 'The store is away.' });
    vi.spyOn(scene.store, 'get').mockRejectedValueOnce(away);
    await expect(other.reloadSignIns()).rejects.toBe(away);
    await other.reloadSignIns();
    await other.whenSettled(['guarded'], undefined, 60_000);
    expect(getHealth(other, 'guarded').state).toBe('ready');
  });

  test('is required again after signing out', async () => {
    await connectGuarded();
    await scene.signIn();
    const row = await scene.store.get('tokens/guarded');
    await scene.host.signOut('guarded');
    const revocation = scene.authorization.requests.find(({ path }) => path === '/revoke');
    expect(revocation?.params['token']).toBe(row?.value['refreshToken']);
    await expect(scene.host.connect('guarded')).rejects.toMatchObject({ code: 'needs_sign_in' });
    expect(await scene.store.get('tokens/guarded')).toBeUndefined();
  });

  test('reports that the user declined, and requests no token', async () => {
    await connectGuarded({ authorization: { person: 'declines' } });
    const { authorizationUrl } = await scene.host.signIn('guarded', { redirectUrl: BACK });
    await expect(scene.host.finishSignIn(await scene.authorization.visit(authorizationUrl))).rejects.toMatchObject({
      code: 'server_refused',
      message: expect.stringContaining('declined') as string,
    });
    expect(scene.authorization.grants()).toEqual([]);
  });

  test('works without metadata (2025-03-26), at fixed paths', async () => {
    await connectGuarded({ protection: { metadata: null }, authorization: { metadata: null } });
    // This server is not its own authorization server; the last request shows what is missing.
    await expect(scene.host.signIn('guarded', { redirectUrl: BACK })).rejects.toMatchObject({
      code: 'server_refused',
      message: expect.stringContaining('/register: HTTP 404') as string,
    });
    expect(getHealth(scene.host, 'guarded').signIn?.hops.map(({ step, status }) => [step, status])).toEqual([
      ['resource metadata', 404],
      ['resource metadata', 404],
      ['sign-in server metadata', 404],
      ['sign-in server metadata', 404],
      ['registration', 404],
    ]);
  });

  test('uses a manually registered client with its secret', async () => {
    await connectGuarded({
      authorization: { clients: { 'by:hand': 'se cret' }, metadata: { registration_endpoint: null } },
      settings: { clientId: 'by:hand', clientSecret: 'se cret' },
    });
    await scene.signIn();
    expect(getHealth(scene.host, 'guarded').state).toBe('ready');
    expect(visible()).not.toContain('se cret');
  });

  test('explains how to configure a client if only manual registration is possible', async () => {
    await connectGuarded({ authorization: { metadata: { registration_endpoint: null } } });
    await expect(scene.host.signIn('guarded', { redirectUrl: BACK })).rejects.toMatchObject({
      code: 'server_refused',
      hint: expect.stringMatching(/127\.0\.0\.1:8710.*clientId/) as string,
    });
  });

  test('requests the required scopes, and offline_access if supported', async () => {
    await connectGuarded({
      protection: { scope: 'read' },
      authorization: { metadata: { scopes_supported: ['read', 'write', 'offline_access'] } },
    });
    const { authorizationUrl } = await scene.host.signIn('guarded', { redirectUrl: BACK });
    expect(new URL(authorizationUrl).searchParams.get('scope')).toBe('read offline_access');
  });

  test('works without a user (client credentials), with new tokens when they expire', async () => {
    await connectGuarded({
      authorization: { clients: { robot: 'secret-of-robot' } },
      settings: { clientId: 'robot', clientSecret: 'secret-of-robot', grant: { type: 'client_credentials' } },
    });
    expect(getHealth(scene.host, 'guarded').state).toBe('ready');
    scene.authorization.expire();
    const calls = await Promise.all([1, 2, 3].map(() => scene.host.callTool(go, {})));
    expect(calls.map(({ isError }) => isError)).toEqual([false, false, false]);
    expect(scene.authorization.grants('client_credentials')).toHaveLength(2);
    await expect(scene.host.signIn('guarded', { redirectUrl: BACK })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is not reported for a server that requires none', async () => {
    scene = await startScene({
      protection: { open: ['', 'server/discover', 'initialize', 'notifications/initialized', 'tools/list'] },
    });
    await scene.host.connect('guarded');
    expect(getHealth(scene.host, 'guarded')).not.toHaveProperty('signIn');
  });

  test('does not replace a token in the configured headers', async () => {
    scene = await startScene();
    const host = scene.another();
    await host.remove('guarded');
    host.add({
      id: 'guarded',
      transport: { type: 'http', url: scene.mcp.url, headers: { Authorization: 'Bearer x' } },
    });
    await expect(host.connect('guarded')).rejects.toMatchObject({ code: 'needs_sign_in' });
    expect(getHealth(host, 'guarded').signIn).toBeUndefined();
    await expect(host.signIn('guarded', { redirectUrl: BACK })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a sign-in that expires during use', () => {
  test('makes the server require a sign-in; the rejected call was not executed', async () => {
    await connectGuarded({ authorization: { refresh: false } });
    await scene.signIn();
    scene.authorization.expire();
    const result = await scene.host.callTool(go, {});
    expect(result).toMatchObject({ isError: true, outcome: 'not_sent', error: { code: 'needs_sign_in' } });
    expect(getHealth(scene.host, 'guarded').state).toBe('needs_sign_in');
    expect(scene.mcp.received.filter(({ method }) => method === 'tools/call')).toEqual([]);

    await scene.signIn();
    expect((await scene.host.callTool(go, {})).isError).toBe(false);
  });

  test('refreshes rotating tokens once for five parallel calls', async () => {
    await connectGuarded({ authorization: { expiresIn: 3_600 } });
    await scene.signIn();
    scene.authorization.expire();
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => scene.host.callTool(go, {})));
    expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false, false]);
    expect(scene.authorization.grants('refresh_token')).toHaveLength(1);
  });

  test('refreshes rotating tokens once for two processes with one store', async () => {
    await connectGuarded({ authorization: { expiresIn: 3_600 } });
    await scene.signIn();
    const other = scene.another();
    await other.connect('guarded');
    scene.authorization.expire();
    const calls = [scene.host, other, scene.host, other, other].map((host) => host.callTool(go, {}));
    expect((await Promise.all(calls)).map(({ isError }) => isError)).toEqual([false, false, false, false, false]);
    expect(scene.authorization.grants('refresh_token')).toHaveLength(1);
    expect([scene.host, other].map((host) => getHealth(host, 'guarded').state)).toEqual(['ready', 'ready']);
  });

  test('uses refreshed tokens while the store is down, and stores them later', async () => {
    const memory = createMemoryAuthStore();
    let isAway = false;
    const store: AuthStore = {
      ...memory,
      put(key, value, ...more) {
        if (!isAway || 'renewal' in value) return memory.put(key, value, ...more);
        throw new ToolyardError({ code: 'storage_failed', message: 'The database cannot be reached.' });
      },
    };
    await connectGuarded({ store, authorization: { expiresIn: 3_600 } });
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
    // With the current token.
    scene.authorization.expire();
    expect((await other.callTool(go, {})).isError).toBe(false);
  });

  test('refreshes a token shortly before it expires', async () => {
    await connectGuarded({ authorization: { expiresIn: 10 } });
    await scene.signIn();
    const renewals = scene.authorization.grants('refresh_token').length;
    await scene.host.callTool(go, {});
    expect(scene.authorization.grants('refresh_token').length).toBeGreaterThan(renewals);
  });

  test('is not blocked by a process that was killed during a refresh', async () => {
    await connectGuarded({ authorization: { expiresIn: 3_600 } });
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

  test('keeps what another process has written meanwhile', async () => {
    await connectGuarded({ authorization: { expiresIn: 3_600 } });
    await scene.signIn();
    const other = scene.another();
    await other.connect('guarded');
    // This refresh token is no longer valid; another process has signed in again meanwhile.
    scene.authorization.revoke();
    await scene.signIn(other);
    expect((await scene.host.callTool(go, {})).isError).toBe(false);
    expect(await scene.store.get('tokens/guarded')).toBeDefined();
    expect(scene.authorization.grants('refresh_token')).toEqual([]);
  });

  test('survives a failing authorization server', async () => {
    let isDown = false;
    await connectGuarded({
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

  test('reports a rejected refresh with the message of the authorization server', async () => {
    await connectGuarded({ authorization: { expiresIn: 3_600 } });
    await scene.signIn();
    scene.authorization.revoke();
    const { error } = await scene.host.callTool(go, {});
    expect(error).toMatchObject({
      code: 'needs_sign_in',
      message: expect.stringContaining('no longer valid') as string,
    });
    const { hops = [] } = getHealth(scene.host, 'guarded').signIn ?? {};
    expect(hops.at(-1)).toMatchObject({ step: 'token', status: 400, said: 'invalid_grant' });
  });
});

describe('insufficient scope', () => {
  const needs = { 'tools/call:write': 'write' };

  test('stops only the call that needs more; the server stays ready', async () => {
    await connectGuarded({ protection: { scope: 'read', needs } });
    await scene.signIn();
    const write = { serverId: 'guarded', name: 'write' };
    const refused = await scene.host.callTool(write, {});
    expect(refused).toMatchObject({
      outcome: 'not_sent',
      error: { code: 'needs_sign_in', message: expect.stringContaining('write') as string },
    });
    expect(getHealth(scene.host, 'guarded')).toMatchObject({ state: 'ready', signIn: { wanted: 'read write' } });
    expect((await scene.host.callTool(go, {})).isError).toBe(false);

    const { authorizationUrl } = await scene.host.signIn('guarded', { redirectUrl: BACK });
    expect(new URL(authorizationUrl).searchParams.get('scope')).toBe('read write');
    await scene.host.finishSignIn(await scene.authorization.visit(authorizationUrl));
    expect((await scene.host.callTool(write, {})).isError).toBe(false);
  });

  test('is not requested again if granting it did not help', async () => {
    await connectGuarded({ protection: { scope: 'read write', needs: { 'tools/call:write': 'read write admin' } } });
    await scene.signIn();
    const write = { serverId: 'guarded', name: 'write' };
    expect((await scene.host.callTool(write, {})).error?.code).toBe('needs_sign_in');
    const { authorizationUrl } = await scene.host.signIn('guarded', { redirectUrl: BACK });
    const back = await scene.authorization.visit(authorizationUrl.replace('+admin', ''));
    await scene.host.finishSignIn(back);
    expect((await scene.host.callTool(write, {})).error).toMatchObject({ code: 'server_refused' });
  });
});
