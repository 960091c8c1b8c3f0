import { createFakeClock, type FakeClock } from '@toolyard/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { McpHost } from './host.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';

const go = { serverId: 'srv', name: 'go' };
let clock: FakeClock;
let peer: MemoryPeer;
let host: McpHost;
beforeEach(async () => {
  clock = createFakeClock();
  peer = new MemoryPeer();
  host = new McpHost({
    servers: [
      { id: 'srv', transport: { type: 'in-memory', name: 'srv' } },
      { id: 'off', transport: { type: 'in-memory', name: 'off' }, disabled: true },
    ],
    createTransport: peer.createTransport,
    eraMemory: peer.eraMemory,
    clock,
    clientInfo: { name: 'toolyard-test', version: '0' },
  });
  await host.connectAll();
});

describe('the state of a host', () => {
  test('lists the connected servers, their tools and errors', async () => {
    expect(host.connectedServers).toEqual(['srv']);
    expect(host.toolCount).toBe(1);
    expect([...host.configurations.keys()]).toEqual(['srv', 'off']);
    expect(host.error).toBeUndefined();
    peer.greeting = 'unreachable';
    await host.reconnect('srv').catch(() => undefined);
    expect(host.error).toMatchObject({ code: 'server_unreachable' });
    expect([host.connectedServers, host.toolCount]).toEqual([[], 0]);
    await host.close();
  });
});

describe('shutdown', () => {
  test('waits for calls in progress and rejects new ones', async () => {
    let answer = (): object => ({ method: 'notifications/none' });
    peer.answers['tools/call'] = () => answer();
    const release = host.acquire();
    const down = host.shutdown();
    expect(await host.callTool(go, {})).toMatchObject({ outcome: 'not_sent', error: { code: 'server_closed' } });
    expect(() => host.acquire()).toThrow('shutting down');
    await expect(host.connect('off')).rejects.toMatchObject({ code: 'server_closed' });
    await clock.advance(5_000);
    expect(host.connectedServers).toEqual(['srv']);
    answer = () => ({});
    release();
    release();
    expect(host.activeFlows).toBe(0);
    await down;
    expect(host.connectedServers).toEqual([]);
    expect([host.toolCount, host.tools(), peer.openConnections, clock.pending]).toEqual([0, [], 0, 0]);
  });

  test('stops calls that do not end in time, with an unknown outcome', async () => {
    peer.answers['tools/call'] = () => ({ method: 'notifications/none' });
    const call = host.callTool(go, {});
    const down = host.shutdown(3_000);
    await clock.advance(2_999);
    expect(host.activeFlows).toBe(1);
    await clock.advance(1);
    expect(await call).toMatchObject({ outcome: 'unknown', error: { code: 'server_closed' } });
    await down;
    expect([peer.openConnections, clock.pending]).toEqual([0, 0]);
  });

  test('ends a reconnect in progress', async () => {
    peer.drop();
    expect(host.health()[0]).toMatchObject({ state: 'reconnecting' });
    await host.shutdown();
    await clock.advance(60_000);
    expect([host.health()[0]?.state, peer.attempts, clock.pending]).toEqual(['idle', 1, 0]);
  });

  test('closes every connection, even if one fails to close, and opens none again', async () => {
    const stuck = new MemoryPeer();
    const two = new McpHost({
      servers: ['stuck', 'srv'].map((id) => ({ id, transport: { type: 'in-memory', name: id } })),
      createTransport: async (config, context) => {
        const chosen = context.serverId === 'stuck' ? stuck : peer;
        const transport = await chosen.createTransport(config, context);
        if (chosen === stuck) transport.close = () => Promise.reject(new Error('cannot be closed'));
        return transport;
      },
      eraMemory: peer.eraMemory,
      clock,
      clientInfo: { name: 'toolyard-test', version: '0' },
    });
    await host.close();
    await two.connectAll();
    const attempts = [peer.attempts, stuck.attempts];
    await two.shutdown();
    expect(peer.openConnections).toBe(0);
    stuck.drop();
    await clock.advance(60_000);
    expect([peer.attempts, stuck.attempts]).toEqual(attempts);
    expect(two.connectedServers).toEqual([]);
  });

  test('drops the cached resources', async () => {
    peer.capabilities = { resources: {} };
    peer.answers['resources/list'] = () => ({ result: { resources: [{ uri: 'x:a' }] } });
    peer.answers['resources/read'] = () => ({ result: { contents: [{ uri: 'x:a', text: 'a' }] } });
    await host.reconnect('srv');
    await clock.advance(0);
    expect(await host.resources.read('srv', 'x:a')).toHaveLength(1);
    expect(host.resources.resources('srv')).toHaveLength(1);
    await host.shutdown();
    expect(host.resources.resources('srv')).toEqual([]);
    await expect(host.resources.read('srv', 'x:a')).rejects.toMatchObject({ code: 'server_closed' });
  });
});
