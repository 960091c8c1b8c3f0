import type { HostedService, HostedServiceOptions } from '@toolyard/testing';
import { eventually, startHostedService } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { createWebTransports } from '../transports/web-transports.ts';
import type { McpHost } from '../host/host.ts';
import { healthOf, newHost } from '../node/test-fixtures/peers.ts';
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

/** A host with one hosted server, connected as far as that goes. */
async function meet(options: HostedServiceOptions = {}, more: Partial<HostedConfig> = {}): Promise<McpHost> {
  service = await startHostedService(options);
  store = new HostedMap();
  servers = new HostedServers({ fetch, store });
  return meetAgain(more);
}

async function meetAgain(more: Partial<HostedConfig> = {}): Promise<McpHost> {
  await host?.close();
  host = newHost([{ id: 'mail', transport: configOf(more) }], {
    createTransport: createWebTransports({ fetch, hosted: servers }),
  });
  await host.connectAll();
  return host;
}

function configOf(more: Partial<HostedConfig> = {}): HostedConfig {
  return { type: 'hosted', service: 'klavis', server: 'Gmail', apiKey: KEY, url: service?.url ?? '', ...more };
}

const made = (): number => service?.asked.filter(({ path }) => path.endsWith('/create')).length ?? 0;

const echo = (met: McpHost): ReturnType<McpHost['callTool']> =>
  met.callTool({ serverId: 'mail', name: 'echo' }, { message: 'hi' });

describe('a hosted server', () => {
  test(
    'is made when it is wanted, for the user of the configuration, and is a server like any other',
    { tags: ['C7.12'] },
    async () => {
      const met = await meet({}, { user: 'ada' });
      expect(healthOf(met, 'mail')).toMatchObject({ state: 'ready', toolCount: 1 });
      expect(await echo(met)).toMatchObject({ outcome: 'done' });
      expect(service?.asked[0]).toEqual({
        method: 'POST',
        path: '/mcp-server/instance/create',
        body: { serverName: 'Gmail', userId: 'ada', platformName: 'Toolyard', connectionType: 'StreamableHttp' },
      });
      // Neither key nor address, which is as good as a key, is shown.
      expect(JSON.stringify([met.health(), met.wireLog('mail')])).not.toMatch(/key-of-the-test|instance-1/);
    },
  );

  test('is made once: for the next connection, and where two want it at the same time', async () => {
    const met = await meet();
    await met.reconnect('mail');
    expect(await echo(met)).toMatchObject({ outcome: 'done' });
    store.clear();
    const asker = { serverId: 'mail', clock: systemClock };
    const before = made();
    const [one, other] = await Promise.all([servers.open(configOf(), asker), servers.open(configOf(), asker)]);
    expect(one).toEqual(other);
    expect(made()).toBe(before + 1);
  });

  test('is one where two processes over one store have it made at the same time: the other is given back', async () => {
    service = await startHostedService();
    store = new HostedMap();
    const asker = { serverId: 'mail', clock: systemClock };
    const opened = await Promise.all([1, 2].map(() => new HostedServers({ fetch, store }).open(configOf(), asker)));
    expect(made()).toBe(2);
    expect(service.instances).toEqual([opened[0]?.instanceId]);
    expect(opened[1]).toEqual(opened[0]);
  });

  test('is made anew when its address has expired, also under a session', { tags: ['C7.12'] }, async () => {
    const met = await meet();
    service?.expire();
    await met.reconnect('mail');
    expect(await echo(met)).toMatchObject({ outcome: 'done' });
    expect(service?.instances).toEqual(['instance-2']);
    expect(healthOf(met, 'mail').log.some(({ text }) => text.includes('another one was made'))).toBe(true);

    service?.expire();
    expect(await echo(met)).toMatchObject({ outcome: 'unknown' });
    await eventually(async () => (await echo(met)).outcome === 'done');
    expect(service?.instances).toEqual(['instance-3']);
  });

  test(
    'is given back with its sign-ins when its owner wants that, and may be gone already',
    { tags: ['C7.12'] },
    async () => {
      await meet();
      const asker = { serverId: 'mail', clock: systemClock };
      await servers.remove(configOf(), asker);
      expect(service?.instances).toEqual([]);
      expect(store.size).toBe(0);
      await servers.remove(configOf(), asker);
      await meetAgain();
      service?.expire();
      await servers.remove(configOf(), asker);
      expect(store.size).toBe(0);
    },
  );

  test('that needs a sign-in says where, and is used once somebody has signed in', { tags: ['C7.12'] }, async () => {
    const met = await meet({ needsSignIn: true });
    expect(healthOf(met, 'mail')).toMatchObject({
      state: 'needs_sign_in',
      error: { code: 'needs_sign_in', hint: expect.stringContaining('https://sign-in.example/instance-1') as string },
    });
    await expect(met.connect('mail')).rejects.toThrow('sign-in');
    service?.signIn();
    await met.connect('mail');
    expect(await echo(met)).toMatchObject({ outcome: 'done' });
    expect(made()).toBe(1);
  });

  test('attack 2: an address to sign in at that is no page is not handed on', async () => {
    const body = { authNeeded: true, isAuthenticated: false, oauthUrl: 'javascript:alert(1)' };
    const met = await meet({
      needsSignIn: true,
      answers: { '/mcp-server/instance/instance-1': { status: 200, body } },
    });
    expect(healthOf(met, 'mail').error).toMatchObject({
      code: 'needs_sign_in',
      hint: expect.not.stringContaining('javascript') as string,
    });
  });
});

describe('a service that fails', () => {
  const CREATE = '/mcp-server/instance/create';

  test.each([
    [401, { detail: 'Invalid API key' }, 'bad_config', 'API key'],
    [422, { detail: [{ msg: 'unknown server name' }] }, 'bad_config', 'unknown server name'],
    [429, { message: 'slow down' }, 'rate_limited', 'slow down'],
    [500, {}, 'server_unreachable', 'HTTP 500'],
  ])('HTTP %i is told as what it is', async (status, body, code, says) => {
    const met = await meet({ answers: { [CREATE]: { status, body } } });
    const { state, error } = healthOf(met, 'mail');
    expect(state).toBe('failed');
    expect(error).toMatchObject({ code, message: expect.stringContaining(says) as string });
    expect(error?.message).toContain('Klavis');
    expect(JSON.stringify(error)).not.toContain(KEY);
  });

  test('a server it does not have is pointed out', async () => {
    const met = await meet({}, { server: 'No Such Server' });
    expect(healthOf(met, 'mail').error?.hint).toContain('No Such Server');
  });

  test('a service nobody reaches is named, not the server', async () => {
    const met = await meet({}, { url: 'http://127.0.0.1:9' });
    expect(healthOf(met, 'mail').error).toMatchObject({
      code: 'server_unreachable',
      message: expect.stringContaining('Klavis') as string,
    });
  });

  test.each([
    ['no address', {}],
    ['an address that is not safe', { serverUrl: 'http://somewhere.example/mcp', instanceId: 'x' }],
    ['a file', { serverUrl: 'file:///etc/passwd', instanceId: 'x' }],
  ])('%s in its answer leads nowhere', async (_what, body) => {
    const met = await meet({ answers: { [CREATE]: { status: 200, body } } });
    expect(healthOf(met, 'mail').error).toMatchObject({ code: 'bad_response' });
  });
});

describe('what stands in an mcp.json', () => {
  const read = (value: object): HostedConfig =>
    readHosted('mcp.json:3: server "mail"', value as never, (text) => text.replace('${env:KLAVIS_API_KEY}', 'secret'));

  test('is read, variables filled in', () => {
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
  ])('%j is refused, and the place named', (value, names) => {
    expect(() => read(value)).toThrow(names);
    expect(() => read(value)).toThrow('mcp.json:3');
  });
});
