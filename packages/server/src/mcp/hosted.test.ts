import type { ServerConfig } from '@toolyard/mcp-host';
import type { HostedService } from '@toolyard/testing';
import { createFakeClock, eventually, startHostedService, startScriptedMcp } from '@toolyard/testing';
import { StorageError } from '@toolyard/storage';
import { describe, expect, it, vi } from 'vitest';
import { resolveAgentConfig } from '../config/resolve-agent-config.ts';
import type { ConnectedServers } from './servers.ts';
import { NEVER_ABORTED, OWNER, useServerBench } from './test-fixtures/server-setup.ts';

const configuration = resolveAgentConfig([{}], null);

const room = useServerBench();

async function startService(...options: Parameters<typeof startHostedService>): Promise<HostedService> {
  const service = await startHostedService(...options);
  room.open.push(service);
  return service;
}

const mail = ({ url }: HostedService): ServerConfig => ({
  id: 'mail',
  transport: { type: 'hosted', service: 'klavis', server: 'Gmail', apiKey: 'key-of-the-test', url },
});

describe('a server at a hosting service', () => {
  it('is created once, across restarts and reconnects, and shown without key and URL', async () => {
    const service = await startService({ behaviour: { tools: [{ name: 'send' }] } });
    // The scripted service creates servers on this machine, which only the owner's URLs may reach.
    const at = mail(service);
    for (let time = 0; time < 2; time++) {
      const servers = await room.start([at]);
      const selection = await servers.select(configuration, NEVER_ABORTED);
      expect(await selection.callTool({ serverId: 'mail', name: 'send' }, {})).toMatchObject({ outcome: 'done' });
      const view = await room.viewWhen('mail', 'ready');
      expect(view.transport).toEqual({ type: 'http', url: `${service.url}/Gmail` });
      expect(JSON.stringify([view, room.logged])).not.toMatch(/key-of-the-test|instance-1/);
    }
    expect(service.instances).toEqual(['instance-1']);
    // Stored encrypted.
    const [name = ''] = await room.storage.secrets.names({ ownerId: 'owner' });
    const sealed = await room.storage.secrets.get({ ownerId: 'owner' }, name);
    expect(Buffer.from(sealed ?? []).toString('latin1')).not.toContain('instance-1');
  });

  it('is returned to its service when it is removed, and removed even if that fails', async () => {
    const service = await startService();
    const servers = await room.start([mail(service)]);
    await room.viewWhen('mail', 'ready');
    await servers.editable.remove(OWNER, 'mail');
    expect(service.instances).toEqual([]);
    const again = await room.start([mail(service)]);
    await room.viewWhen('mail', 'ready');
    await service.close();
    await again.editable.remove(OWNER, 'mail');
    expect((await again.editable.list(OWNER)).items).toEqual([]);
    expect(room.logged.join()).toContain('not at its hosting service');
    expect(room.logged.join()).not.toContain('key-of-the-test');
  });

  it('is not created twice if its record is temporarily unreadable', async () => {
    const service = await startService({ oneEach: false });
    await room.start([mail(service)]);
    await room.viewWhen('mail', 'ready');
    const away = new StorageError('unreachable', { message: 'The database cannot be reached.', retryable: true });
    const read = vi.spyOn(room.storage.secrets, 'get').mockImplementationOnce(() => {
      throw away;
    });
    await room.start([mail(service)]);
    await room.viewWhen('mail', 'ready');
    expect(read.mock.results[0]?.type).toBe('throw');
    // Asked for its current URL, a service may create another one, which is deleted.
    await eventually(() => expect(service.instances).toEqual(['instance-1']), { what: 'one server' });
  });

  it.each([
    [
      'was disabled meanwhile',
      (servers: ConnectedServers) => servers.editable.change(OWNER, 'mail', { enabled: false }),
    ],
    ['belongs to a process that shuts down', (servers: ConnectedServers) => servers.close()],
  ])('is not connected again after a storage outage when it %s', async (_why, end) => {
    const service = await startService();
    const clock = createFakeClock();
    const away = new StorageError('unreachable', { message: 'The database cannot be reached.', retryable: true });
    const read = vi.spyOn(room.storage.secrets, 'get').mockImplementation(() => {
      throw away;
    });
    const servers = await room.start([mail(service)], { clock });
    await room.viewWhen('mail', 'failed');
    const before = read.mock.calls.length;
    await end(servers);
    await clock.advance(2_000);
    expect(read).toHaveBeenCalledTimes(before);
  });

  it('is added and changed through the API; its key is not returned, nor sent to another service', async () => {
    const service = await startService({ behaviour: { tools: [{ name: 'send' }] } });
    const servers = await room.start([]);
    const { id, transport } = mail(service);
    if (transport.type !== 'hosted') throw new Error('it is hosted');
    await servers.editable.add(OWNER, { id, transport });
    await room.viewWhen('mail', 'ready');
    const shownEntry = await servers.editable.configuration(OWNER, 'mail');
    expect(shownEntry.transport).toEqual({ ...transport, apiKey: { secret: true } });

    const kept = { ...transport, apiKey: { secret: true } } as const;
    await servers.editable.edit(OWNER, 'mail', { transport: { ...kept, user: 'ann' } });
    await room.viewWhen('mail', 'ready');
    expect(service.asked.filter(({ path }) => path.endsWith('/create')).map(({ body }) => body['userId'])).toEqual([
      'toolyard',
      'ann',
    ]);
    await expect(
      servers.editable.edit(OWNER, 'mail', { transport: { ...kept, url: 'http://127.0.0.1:1/' } }),
    ).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining('apiKey') as string });
  });

  it('attack 5: is not connected if its URL is inside the private network', async () => {
    const victim = await startScriptedMcp('plain');
    room.open.push(victim);
    const body = { serverUrl: victim.url, instanceId: 'x' };
    const state = { status: 200, body: { authNeeded: false } };
    const service = await startService({
      answers: {
        '/mcp-server/instance/create': { status: 200, body },
        '/mcp-server/instance/x': state,
      },
    });
    await room.start([mail(service)]);
    expect((await room.viewWhen('mail', 'failed')).error?.code).toBe('address_refused');
    expect(victim.requests).toEqual([]);
  });
});
