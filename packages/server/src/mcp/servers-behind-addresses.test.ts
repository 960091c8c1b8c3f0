import { createServer } from 'node:http';
import { listenOnLoopback, startRecordingServer, startScriptedMcp, startScriptedWebSocket } from '@toolyard/testing';
import { describe, expect, it } from 'vitest';
import { selectServers, NEVER_ABORTED, useServerBench, getView, waitForState } from './test-fixtures/server-setup.ts';

const room = useServerBench();

describe('remote servers', () => {
  it('are connected at the configured URL with its headers, also on this machine', async () => {
    const scripted = await startScriptedMcp('plain', { requireToken: 'secret-1' });
    room.open.push(scripted);
    const headers = { Authorization: 'Bearer secret-1' };
    const servers = await room.start([{ id: 'web', transport: { type: 'http', url: scripted.url, headers } }]);
    const selection = await servers.select(selectServers(), NEVER_ABORTED);
    expect(await selection.callTool({ serverId: 'web', name: 'echo' }, { a: 1 })).toMatchObject({ outcome: 'done' });
    expect((await getView(servers, 'web')).transport).toEqual({ type: 'http', url: scripted.url });
  });

  it('are connected over a WebSocket in the same way', async () => {
    const scripted = await startScriptedWebSocket('plain');
    room.open.push(scripted);
    const servers = await room.start([{ id: 'web', transport: { type: 'websocket', url: scripted.url } }]);
    const selection = await servers.select(selectServers(), NEVER_ABORTED);
    expect(await selection.callTool({ serverId: 'web', name: 'echo' }, { a: 1 })).toMatchObject({ outcome: 'done' });
    expect((await getView(servers, 'web')).transport).toEqual({ type: 'websocket', url: scripted.url });
  });

  it('reconnect by themselves', async () => {
    const scripted = await startScriptedWebSocket('plain');
    room.open.push(scripted);
    const servers = await room.start([{ id: 'web', transport: { type: 'websocket', url: scripted.url } }]);
    await waitForState(servers, 'web', 'ready');
    scripted.dropConnections('cut');
    await waitForState(servers, 'web', 'reconnecting');
    expect((await getView(servers, 'web')).error).toMatchObject({ code: 'server_closed' });
    await waitForState(servers, 'web', 'ready');
    expect((await getView(servers, 'web')).error).toBeUndefined();
  });

  it('attack 5: redirects into this machine or the private network are not followed', async () => {
    const victim = await startScriptedMcp('plain');
    const evil = await listenOnLoopback(
      createServer((_request, response) => response.writeHead(307, { location: victim.url }).end()),
    );
    room.open.push(victim, evil);
    const url = `${evil.origin}/mcp`;
    // The victim is configured as well: that does not allow other servers to reach it.
    const servers = await room.start(
      [
        { id: 'evil', transport: { type: 'http', url } },
        { id: 'victim', transport: { type: 'http', url: victim.url } },
      ],
      { off: ['victim'] },
    );
    await waitForState(servers, 'evil', 'failed');
    const { error } = await getView(servers, 'evil');
    expect(error).toMatchObject({ code: 'server_refused', message: /redirected to another URL/ });
    expect(victim.requests).toEqual([]);
  });

  it('attack 9: private URLs in their sign-in metadata are not requested', async () => {
    const inside = await startRecordingServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{}');
    });
    const there = inside.origin;
    const evil = await startRecordingServer((request, response) => {
      if (request.url !== '/mcp') {
        const endpoints = { authorization_servers: [there], issuer: there, token_endpoint: `${there}/token` };
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ resource: there, ...endpoints }));
        return;
      }
      const named = `Bearer resource_metadata="${there}/meta", authorization_uri="${there}/authorize"`;
      response.writeHead(401, { 'www-authenticate': named }).end();
    });
    room.open.push(inside, evil);
    const url = `${evil.origin}/mcp`;
    const servers = await room.start([{ id: 'evil', transport: { type: 'http', url } }]);
    await waitForState(servers, 'evil', 'needs_sign_in');
    expect((await getView(servers, 'evil')).error?.code).toBe('needs_sign_in');
    expect(inside.seen).toEqual([]);
  });
});
