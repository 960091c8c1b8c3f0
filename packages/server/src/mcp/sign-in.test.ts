import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpServerList, McpServerView, McpSignInStarted, Problem } from '@toolyard/protocol';
import type { AuthorizationServer, ScriptedMcp } from '@toolyard/testing';
import { eventually, startAuthorizationServer, startScriptedMcp, within } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunningServer } from '../start-server.ts';
import { createSignInFetches } from './sign-in-fetches.ts';
import { send, startWholeServer } from './test-fixtures/whole-server.ts';

let folder: string;
let authorization: AuthorizationServer;
let mcp: ScriptedMcp;
let server: RunningServer;
let logged: string[];

async function start(): Promise<void> {
  server = await startWholeServer({ dataDir: folder, log: (line) => void logged.push(line) });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-sign-in-'));
  logged = [];
  authorization = await startAuthorizationServer({ expiresIn: 3_600 });
  mcp = await startScriptedMcp('plain', { sessions: false, protection: authorization.protect() });
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { guarded: { url: mcp.url } } }));
  await start();
});
afterEach(async () => {
  await server.close();
  await mcp.close();
  await authorization.close();
  rmSync(folder, { recursive: true });
});

async function ask<T>(method: string, path: string): Promise<{ status: number; body: T }> {
  const response = await send(server, method, path, method === 'POST' ? {} : undefined);
  return { status: response.status, body: (await response.json()) as T };
}

async function guarded(): Promise<McpServerView> {
  const { body } = await ask<McpServerList>('GET', '/api/mcp/servers');
  const found = body.items.find(({ id }) => id === 'guarded');
  if (found === undefined) throw new Error('no such server');
  return found;
}

const whenIn = (state: McpServerView['state']) =>
  eventually(async () => (await guarded()).state === state, { what: state });

type PageResponse = { status: number; policy: string; text: string };

/** The redirect of a browser: from another site, without a cookie. */
async function redirectBack(url: string): Promise<PageResponse> {
  const back = (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '';
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  // fetch would set these headers itself.
  const answer = once(get(back, { headers }), 'response');
  const [response] = (await within(answer, { what: `the response of ${back}` })) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return { status: response.statusCode ?? 0, policy: String(response.headers['content-security-policy']), text };
}

async function signIn(): Promise<PageResponse> {
  const { body } = await ask<McpSignInStarted>('POST', '/api/mcp/servers/guarded/sign-in');
  return redirectBack(body.url);
}

describe('signing in through the API', () => {
  test('redirects the user back without a session; the server connects and stays connected', async () => {
    await whenIn('needs_sign_in');
    expect(await guarded()).toMatchObject({ signIn: { state: 'signed_out' }, error: { code: 'needs_sign_in' } });
    const { status, body } = await ask<McpSignInStarted>('POST', '/api/mcp/servers/guarded/sign-in');
    expect([status, body.issuer]).toEqual([200, authorization.url]);
    expect(new URL(body.url).searchParams.get('redirect_uri')).toBe(`${server.url}/api/mcp/sign-in/callback`);
    expect((await guarded()).signIn?.state).toBe('signing_in');

    const page = await redirectBack(body.url);
    expect(page.status).toBe(200);
    expect(page.policy).toMatch(/default-src 'none'.*script-src 'sha256-/);
    expect(page.text).toContain('signed in to “guarded”');
    await whenIn('ready');
    expect((await guarded()).signIn).toMatchObject({ state: 'signed_in', issuer: authorization.url });

    await server.close();
    await start();
    await whenIn('ready');
    expect(authorization.grants('authorization_code')).toHaveLength(1);
  });

  test('notifies tabs through their stream', async () => {
    await whenIn('needs_sign_in');
    const stop = new AbortController();
    const stream = await send(server, 'GET', '/api/events', undefined, stop.signal);
    const events = (async () => {
      let text = '';
      for await (const chunk of stream.body ?? []) {
        text += Buffer.from(chunk as Uint8Array).toString();
        if (/"what":"servers"[^\n]*guarded/.test(text)) return true;
      }
      return false;
    })();
    await signIn();
    expect(await events).toBe(true);
    stop.abort();
  });

  test('asks again after signing out', async () => {
    await signIn();
    await whenIn('ready');
    const { status, body } = await ask<McpServerView>('DELETE', '/api/mcp/servers/guarded/sign-in');
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'needs_sign_in', signIn: { state: 'signed_out' } });
  });

  test('rejects a used or forged URL with an explanation, without executing anything', async () => {
    const { body } = await ask<McpSignInStarted>('POST', '/api/mcp/servers/guarded/sign-in');
    const back = (await fetch(body.url, { redirect: 'manual' })).headers.get('location') ?? '';
    expect((await fetch(back)).status).toBe(200);
    const again = await fetch(back);
    expect(again.status).toBe(400);
    expect(await again.text()).toContain('is unknown, already finished');

    const began = await ask<McpSignInStarted>('POST', '/api/mcp/servers/guarded/sign-in');
    const state = new URL(began.body.url).searchParams.get('state') ?? '';
    const encodedScript = encodeURIComponent('<script>alert(1)</script>');
    const iss = encodeURIComponent(authorization.url);
    const hostile = await fetch(
      `${server.url}/api/mcp/sign-in/callback?state=${state}&iss=${iss}&error=${encodedScript}&session_state=x`,
    );
    const text = await hostile.text();
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toContain('<script>');
  });

  test('passes the redirect for a browser tab on to that tab, without using or showing it', async () => {
    const response = await fetch(`${server.url}/api/mcp/sign-in/tab?state=s&code=%3Cscript%3E&iss=x`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'sha256-/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).not.toMatch(/<script>(?!\n {2}const channel)/);
  });

  test('can be started by the owner only', async () => {
    const response = await fetch(`${server.url}/api/mcp/servers/guarded/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(401);
  });

  test('reports each step of a failure in the view', async () => {
    await whenIn('needs_sign_in');
    await authorization.close();
    const { status, body } = await ask<Problem>('POST', '/api/mcp/servers/guarded/sign-in');
    expect(status).toBe(502);
    expect(body.detail).toMatch(
      /GET http:\/\/127\.0\.0\.1:\d+\/\.well-known\/oauth-authorization-server failed \(ECONNREFUSED\)/,
    );
    const { hops = [] } = (await guarded()).signIn ?? {};
    expect(hops.map(({ step, status: code, said }) => [step, code ?? said])).toEqual([
      ['resource metadata', 200],
      ['sign-in server metadata', 'ECONNREFUSED'],
    ]);
  });

  test('leaves no token or state in files or the log', async () => {
    const { body } = await ask<McpSignInStarted>('POST', '/api/mcp/servers/guarded/sign-in');
    const state = new URL(body.url).searchParams.get('state') ?? '';
    await redirectBack(body.url);
    await whenIn('ready');
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    for (const text of [...files, ...logged, JSON.stringify(await guarded())]) {
      expect(text).not.toMatch(/access-[0-9a-f]{8}|refresh-[0-9a-f]{8}/);
      expect(text).not.toContain(state);
    }
  });
});

describe('attack 9: URLs in metadata', () => {
  const fetches = createSignInFetches();
  afterEach(() => fetches.close());
  const from = (url: string) => fetches.for({ id: 'x', transport: { type: 'http', url } });
  const refused = expect.objectContaining({ code: 'address_refused' }) as unknown;

  test.each([
    'http://127.0.0.1:8710/',
    'http://169.254.169.254/latest/meta-data/',
    'https://169.254.169.254/',
    'http://[::ffff:a9fe:a9fe]/',
    'https://10.0.0.1/token',
    'https://localhost/token',
    'http://accounts.example/token',
    'file:///etc/passwd',
  ])('a public server cannot cause a request to %s', async (address) => {
    await expect(from('https://mcp.example/mcp')(address)).rejects.toEqual(refused);
  });

  test('a server on this machine may use an authorization server on this machine, but no other private one', async () => {
    const fetch = from(mcp.url);
    expect((await fetch(`${authorization.url}/.well-known/oauth-authorization-server`)).status).toBe(200);
    await expect(fetch('https://10.0.0.1/token')).rejects.toEqual(refused);
    await expect(fetch('http://169.254.169.254/')).rejects.toEqual(refused);
  });

  test('a server in a private network may use the configured authorization server', async () => {
    const fetch = fetches.for({
      id: 'x',
      transport: { type: 'http', url: 'https://mcp.example/mcp' },
      oauth: { issuer: authorization.url },
    });
    expect((await fetch(`${authorization.url}/.well-known/oauth-authorization-server`)).status).toBe(200);
  });
});
