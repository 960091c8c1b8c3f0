import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { McpConfigEntry } from '@toolyard/mcp-host/node';
import { readMcpConfig } from '@toolyard/mcp-host/node';
import { eventually, isAlive, scriptedMcpCommand } from '@toolyard/testing';
import { describe, expect, it } from 'vitest';
import { configuredServers } from './configured-servers.ts';
import {
  OWNER as me,
  waitForPid,
  commandServer,
  programWithPid,
  useServerBench,
  getView,
  waitForState,
} from './test-fixtures/server-setup.ts';

const room = useServerBench();

describe('the servers at a start', () => {
  const log = (line: string): void => void room.logged.push(line);
  const entries = (text: string): McpConfigEntry[] => {
    const path = join(room.folder, 'mcp.json');
    writeFileSync(path, text);
    return readMcpConfig(path, {});
  };

  it('are the built-in ones, those of the file and those of the flags', () => {
    const servers = configuredServers({
      builtIn: [{ id: 'date', transport: { type: 'stdio', command: 'node' } }],
      unapproved: new Map(),
      entries: entries('{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b", "disabled": true}}}'),
      flags: [{ id: 'c', transport: { type: 'http', url: 'http://x/mcp' } }],
      log,
    });
    const shown = servers.map((one) => [one.id, 'config' in one && one.config.builtIn, one.origin, one.enabled]);
    expect(shown).toEqual([
      ['date', true, 'built-in', true],
      ['a', false, 'file', true],
      ['b', false, 'file', false],
      ['c', false, 'flag', true],
    ]);
    expect(room.logged).toEqual([]);
  });

  it('with the same id: flags override the file, and both override built-in servers, which then are not built in', () => {
    const servers = configuredServers({
      builtIn: [{ id: 'date', transport: { type: 'stdio', command: 'node' }, builtIn: true }],
      unapproved: new Map(),
      entries: entries('{"mcpServers": {"date": {"command": "mine"}, "x": {"command": "x"}}}'),
      flags: [{ id: 'x', transport: { type: 'stdio', command: 'y' }, builtIn: true }],
      log,
    });
    expect(servers).toMatchObject([
      { config: { id: 'date', builtIn: false, transport: { command: 'mine' } }, origin: 'file' },
      { config: { id: 'x', builtIn: false, transport: { command: 'y' } }, origin: 'flag' },
    ]);
    expect(room.logged).toHaveLength(2);
  });
});

it('without a sandbox are the enabled local ones that are not built in', async () => {
  const off = { ...scriptedMcpCommand('plain'), disabled: true };
  const servers = await room.start(
    { open: scriptedMcpCommand('plain'), off, boxed: { ...off, sandbox: true }, web: { url: 'https://a.example/mcp' } },
    { builtIn: [commandServer('shipped', 'plain')] },
  );
  expect(await servers.unsandboxed()).toEqual(['open']);
  expect(await servers.unsandboxed({ open: false, off: true, boxed: true })).toEqual(['off']);
});

const HINTS = { readOnlyHint: true, openWorldHint: false };

describe('the MCP servers of a process', () => {
  it('connect in the background without waiting for a slow one', async () => {
    const servers = await room.start(
      [
        commandServer('good', { tools: [{ name: 'echo', title: 'Echo', annotations: HINTS }] }),
        commandServer('slow', 'hang-in-initialize'),
        commandServer('bad', 'exit-at-start'),
        commandServer('off', 'plain'),
      ],
      { off: ['off'] },
    );
    await waitForState(servers, 'good', 'ready');
    await waitForState(servers, 'bad', 'failed');
    const tool = { serverId: 'good', name: 'echo' };
    await room.storage.permissions.set(me, { tool, conversationId: null, decision: 'never', at: 0 });
    expect((await servers.editable.list(me)).items).toMatchObject([
      {
        id: 'good',
        enabled: true,
        builtIn: false,
        origin: 'file',
        era: 'legacy',
        tools: [
          {
            tool,
            title: 'Echo',
            readOnly: true,
            annotations: { readOnly: true, openWorld: false },
            permission: 'never',
          },
        ],
      },
      { id: 'slow', state: 'connecting', tools: [] },
      { id: 'bad', state: 'failed', error: { code: 'server_exited' } },
      { id: 'off', state: 'disabled', enabled: false },
    ]);
    expect(room.logged).toEqual([expect.stringMatching(/^MCP server "bad": /)]);
  });

  it('notify subscribers once for several changes', async () => {
    const servers = await room.start([commandServer('a', 'plain')]);
    await waitForState(servers, 'a', 'ready');
    await eventually(() => room.changed.length > 0);
    expect(new Set(room.changed)).toEqual(new Set(['a']));
    const phases = (await getView(servers, 'a')).log.length;
    expect(room.changed.length).toBeLessThan(phases);
  });

  it('are disabled and enabled, also across a restart, without affecting others', async () => {
    const both = [programWithPid('one'), programWithPid('two')];
    const servers = await room.start(both);
    const [pid, other] = [await waitForPid(servers, 'one'), await waitForPid(servers, 'two')];
    expect(await servers.editable.change(me, 'one', { enabled: false })).toMatchObject({
      enabled: false,
      state: 'disabled',
    });
    expect(isAlive(pid)).toBe(false);
    expect(isAlive(other)).toBe(true);
    await servers.close();

    const again = await room.start(both);
    await waitForState(again, 'two', 'ready');
    expect((await getView(again, 'one')).state).toBe('disabled');
    await again.editable.change(me, 'one', { enabled: true });
    await waitForState(again, 'one', 'ready');
  });

  it('reconnect on request', async () => {
    const servers = await room.start([programWithPid('one'), commandServer('off', 'plain')], { off: ['off'] });
    await waitForState(servers, 'one', 'ready');
    const before = await waitForPid(servers, 'one');
    expect(await servers.ask('POST /api/mcp/servers/{id}/reconnect', me, { params: { id: 'one' } })).toMatchObject({
      state: 'ready',
    });
    expect(isAlive(before)).toBe(false);
    await expect(
      servers.ask('POST /api/mcp/servers/{id}/reconnect', me, { params: { id: 'off' } }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      servers.ask('POST /api/mcp/servers/{id}/reconnect', me, { params: { id: 'none' } }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leave no process behind', async () => {
    const servers = await room.start([programWithPid('one')]);
    const running = await waitForPid(servers, 'one');
    await servers.close();
    expect(isAlive(running)).toBe(false);
  });
});

describe('attack 4: MCP servers disabled by someone other than the owner', () => {
  it('is rejected', async () => {
    const servers = await room.start([commandServer('a', 'plain')], { off: ['a'] });
    const stranger = { ownerId: 'stranger' };
    await expect(servers.editable.change(stranger, 'a', { enabled: true })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(
      servers.ask('POST /api/mcp/servers/{id}/reconnect', stranger, { params: { id: 'a' } }),
    ).rejects.toMatchObject({ code: 'forbidden' });
    expect((await getView(servers, 'a')).state).toBe('disabled');
  });
});

describe('the view of a server', () => {
  it('contains no secret, wherever the configuration or the server put it', async () => {
    const secrets = ['sk-env-1234', 'sk-arg-1234', 'sk-opt-1234', 'sk-header-1234', 'sk-query-1234', 'p4ssw0rd-url'];
    const noisy = { atStart: { stderr: `using sk-env-1234, sk-arg-1234 and sk-opt-1234\n`, exitCode: 3 } };
    const { command, args } = scriptedMcpCommand(noisy);
    const servers = await room.start([
      {
        id: 'program',
        transport: {
          type: 'stdio',
          command,
          args: [...args, '--api-key', 'sk-arg-1234', '--token=sk-opt-1234'],
          env: { KEY: 'sk-env-1234' },
        },
      },
      {
        id: 'address',
        transport: {
          type: 'http',
          url: 'http://127.0.0.1:9/s/0a1b2c3d4e5f6a7b8c9d0e1f/mcp?key=sk-query-1234',
          headers: { Authorization: 'Bearer sk-header-1234' },
        },
      },
      { id: 'user', transport: { type: 'http', url: 'http://me:p4ssw0rd-url@127.0.0.1:9/mcp' } },
    ]);
    await waitForState(servers, 'program', 'failed');
    await waitForState(servers, 'user', 'failed');
    await waitForState(servers, 'address', 'failed');
    const views = (await servers.editable.list(me)).items;
    expect(views[0]).toMatchObject({ transport: { type: 'stdio', command: expect.stringMatching(/^node/) } });
    expect(views[1]).toMatchObject({ transport: { type: 'http', url: 'http://127.0.0.1:9/s/•••/mcp' } });
    expect(JSON.stringify(views[0])).toContain('using •••, ••• and •••');
    const shown = JSON.stringify([views, room.logged]);
    for (const secret of [...secrets, '0a1b2c3d4e5f6a7b8c9d0e1f']) expect(shown).not.toContain(secret);
  });
});
