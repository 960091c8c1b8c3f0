import type { HostedService, HostedServiceOptions } from '@toolyard/testing';
import { eventually, startHostedService } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { createWebTransports } from '../transports/web-transports.ts';
import type { McpHost } from '../host/host.ts';
import { getHealth, newHost } from '../node/test-fixtures/peers.ts';
import { systemClock } from '@toolyard/protocol';
import type { HostedConfig } from './hosted-config.ts';
import { readHosted } from './hosted-config.ts';
import { HostedMap, HostedServers } from './hosted-servers.ts';

const KEY = 'key-of-the-test';

let host: McpHost | undefined;
let service: HostedService | undefined;
afterEach(async () => {
  await host?.close();
  await service?.close();
});

let store: HostedMap;
let servers: HostedServers;

/** A host with one hosted server, after its first connection attempt. */
async function connectHosted(options: HostedServiceOptions = {}, more: Partial<HostedConfig> = {}): Promise<McpHost> {
  service = await startHostedService(options);
  store = new HostedMap();
  servers = new HostedServers({ fetch, store });
  return reconnectHosted(more);
}

async function reconnectHosted(more: Partial<HostedConfig> = {}): Promise<McpHost> {
  await host?.close();
  host = newHost([{ id: 'mail', transport: createConfig(more) }], {
    createTransport: createWebTransports({ fetch, hosted: servers }),
  });
  await host.connectAll();
  return host;
}

function createConfig(more: Partial<HostedConfig> = {}): HostedConfig {
  return { type: 'hosted', service: 'klavis', server: 'Gmail', apiKey: KEY, url: service?.url ?? '', ...more };
}

const creations = (): number => service?.asked.filter(({ path }) => path.endsWith('/create')).length ?? 0;

const echo = (connected: McpHost): ReturnType<McpHost['callTool']> =>
  connected.callTool({ serverId: 'mail', name: 'echo' }, { message: 'hi' });

describe('a hosted server', () => {
  test('is created on demand for the configured user and behaves like any other server', async () => {
    const connected = await connectHosted({}, { user: 'ada' });
    expect(getHealth(connected, 'mail')).toMatchObject({ state: 'ready', toolCount: 1 });
    expect(await echo(connected)).toMatchObject({ outcome: 'done' });
    expect(service?.asked[0]).toEqual({
      method: 'POST',
      path: '/mcp-server/instance/create',
      body: { serverName: 'Gmail', userId: 'ada', platformName: 'Toolyard', connectionType: 'StreamableHttp' },
    });
    // Neither the key nor the URL, which is as secret as a key, is shown.
    expect(JSON.stringify([connected.health(), connected.wireLog('mail')])).not.toMatch(/key-of-the-test|instance-1/);
  });

  test('is created once, also for later connections and concurrent requests', async () => {
    const connected = await connectHosted();
    await connected.reconnect('mail');
    expect(await echo(connected)).toMatchObject({ outcome: 'done' });
    store.clear();
    const requester = { serverId: 'mail', clock: systemClock };
    const before = creations();
    const [one, other] = await Promise.all([
      servers.open(createConfig(), requester),
      servers.open(createConfig(), requester),
    ]);
    expect(one).toEqual(other);
    expect(creations()).toBe(before + 1);
  });

  test('is created once by two processes with one store: the surplus one is deleted', async () => {
    service = await startHostedService();
    store = new HostedMap();
    const requester = { serverId: 'mail', clock: systemClock };
    const opened = await Promise.all(
      [1, 2].map(() => new HostedServers({ fetch, store }).open(createConfig(), requester)),
    );
    expect(creations()).toBe(2);
    expect(service.instances).toEqual([opened[0]?.instanceId]);
    expect(opened[1]).toEqual(opened[0]);
  });

  test('is created again when its URL has expired, also during a session', async () => {
    const connected = await connectHosted();
    service?.expire();
    await connected.reconnect('mail');
    expect(await echo(connected)).toMatchObject({ outcome: 'done' });
    expect(service?.instances).toEqual(['instance-2']);
    expect(getHealth(connected, 'mail').log.some(({ text }) => text.includes('another server'))).toBe(true);

    service?.expire();
    expect(await echo(connected)).toMatchObject({ outcome: 'unknown' });
    await eventually(async () => (await echo(connected)).outcome === 'done');
    expect(service?.instances).toEqual(['instance-3']);
  });

  test.each([true, false])('is found at its new URL after a reconnect (one server per user: %s)', async (oneEach) => {
    const connected = await connectHosted({ oneEach });
    await connected.reconnect('mail');
    expect(service?.instances).toEqual(['instance-1']);
    if (!oneEach) return;
    service?.move();
    await connected.reconnect('mail');
    expect(getHealth(connected, 'mail').state).toBe('ready');
    expect(await echo(connected)).toMatchObject({ outcome: 'done' });
    expect([...store.values()]).toEqual([
      { instanceId: 'instance-1', url: expect.stringContaining('/at-moved/') as string },
    ]);
    expect(service?.instances).toEqual(['instance-1']);
  });

  test('is used at its known URL while its service fails', async () => {
    const answers: NonNullable<HostedServiceOptions['answers']> = {};
    const connected = await connectHosted({ answers });
    answers['/mcp-server'] = { status: 503, body: {} };
    await connected.reconnect('mail');
    expect(await echo(connected)).toMatchObject({ outcome: 'done' });
  });

  test('is deleted with its sign-ins on removal, and may be gone already', async () => {
    await connectHosted();
    const requester = { serverId: 'mail', clock: systemClock };
    await servers.remove(createConfig(), requester);
    expect(service?.instances).toEqual([]);
    expect(store.size).toBe(0);
    await servers.remove(createConfig(), requester);
    await reconnectHosted();
    service?.expire();
    await servers.remove(createConfig(), requester);
    expect(store.size).toBe(0);
  });

  test('that requires a sign-in reports its URL and is used after the sign-in', async () => {
    const connected = await connectHosted({ needsSignIn: true });
    expect(getHealth(connected, 'mail')).toMatchObject({
      state: 'needs_sign_in',
      error: { code: 'needs_sign_in', hint: expect.stringContaining('https://sign-in.example/instance-1') as string },
    });
    await expect(connected.connect('mail')).rejects.toThrow('sign-in');
    service?.signIn();
    await connected.connect('mail');
    expect(await echo(connected)).toMatchObject({ outcome: 'done' });
    expect(creations()).toBe(1);
  });

  test('attack 2: an unsafe sign-in URL is not passed on', async () => {
    const body = { authNeeded: true, isAuthenticated: false, oauthUrl: 'javascript:alert(1)' };
    const connected = await connectHosted({
      needsSignIn: true,
      answers: { '/mcp-server/instance/instance-1': { status: 200, body } },
    });
    expect(getHealth(connected, 'mail').error).toMatchObject({
      code: 'needs_sign_in',
      hint: expect.not.stringContaining('javascript') as string,
    });
  });
});

describe('a failing service', () => {
  const CREATE = '/mcp-server/instance/create';

  test.each([
    [401, { detail: 'Invalid API key' }, 'bad_config', 'API key'],
    [422, { detail: [{ msg: 'unknown server name' }] }, 'bad_config', 'unknown server name'],
    [429, { message: 'slow down' }, 'rate_limited', 'slow down'],
    [500, {}, 'server_unreachable', 'HTTP 500'],
  ])('reports HTTP %i', async (status, body, code, says) => {
    const connected = await connectHosted({ answers: { [CREATE]: { status, body } } });
    const { state, error } = getHealth(connected, 'mail');
    expect(state).toBe('failed');
    expect(error).toMatchObject({ code, message: expect.stringContaining(says) as string });
    expect(error?.message).toContain('Klavis');
    expect(JSON.stringify(error)).not.toContain(KEY);
  });

  test('reports a server it does not offer', async () => {
    const connected = await connectHosted({}, { server: 'No Such Server' });
    expect(getHealth(connected, 'mail').error?.hint).toContain('No Such Server');
  });

  test('is named when it is unreachable, instead of the server', async () => {
    const connected = await connectHosted({}, { url: 'http://127.0.0.1:9' });
    expect(getHealth(connected, 'mail').error).toMatchObject({
      code: 'server_unreachable',
      message: expect.stringContaining('Klavis') as string,
    });
  });

  test.each([
    ['no address', {}],
    ['an address that is not safe', { serverUrl: 'http://somewhere.example/mcp', instanceId: 'x' }],
    ['a file', { serverUrl: 'file:///etc/passwd', instanceId: 'x' }],
  ])('%s in its response is rejected', async (_what, body) => {
    const connected = await connectHosted({ answers: { [CREATE]: { status: 200, body } } });
    expect(getHealth(connected, 'mail').error).toMatchObject({ code: 'bad_response' });
  });
});

describe('"hosted" of an mcp.json entry', () => {
  const read = (value: object): HostedConfig =>
    readHosted('mcp.json:3: server "mail"', value as never, (text) => text.replace('${env:KLAVIS_API_KEY}', 'secret'));

  test('is read with variables substituted', () => {
    expect(read({ service: 'klavis', server: 'Gmail', apiKey: '${env:KLAVIS_API_KEY}' })).toEqual({
      type: 'hosted',
      service: 'klavis',
      server: 'Gmail',
      apiKey: 'secret',
    });
  });

  test.each([
    [{}, 'service'],
    [{ service: 'other' }, 'other'],
    [{ service: 'klavis', apiKey: 'x' }, 'server'],
    [{ service: 'klavis', server: 'Gmail' }, 'apiKey'],
    [{ service: 'klavis', server: 3, apiKey: 'x' }, 'hosted.server'],
    [{ service: 'klavis', server: 'Gmail', apiKey: 'x', url: 'ftp://x' }, 'hosted.url'],
  ])('%j is rejected, naming the place', (value, names) => {
    expect(() => read(value)).toThrow(names);
    expect(() => read(value)).toThrow('mcp.json:3');
  });
});
