import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerConfig } from '@toolyard/mcp-host';
import { createMemoryAuthStore } from '@toolyard/mcp-host';
import type { McpConfigEntry } from '@toolyard/mcp-host/node';
import { readMcpConfig } from '@toolyard/mcp-host/node';
import type { Clock, McpServerView, Principal, ResolvedAgentConfiguration } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import type { McpBehaviour, McpBehaviourName } from '@toolyard/testing';
import { eventually, isAlive, scriptedMcpCommand, startScriptedMcp, startScriptedWebSocket } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveAgentConfig } from '../config/resolve-agent-config.ts';
import type { Servers } from '../services.ts';
import { configuredServers } from './configured-servers.ts';
import { createServers } from './servers.ts';

const me: Principal = { ownerId: 'owner' };
const never = new AbortController().signal;
let folder: string;
let storage: Storage;
let changed: (string | undefined)[];
let logged: string[];
const open: { close(): Promise<unknown> }[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-mcp-'));
  storage = await openStorage({ folder, clock: systemClock });
  changed = [];
  logged = [];
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  storage.close();
  rmSync(folder, { recursive: true });
});

function program(id: string, behaviour: McpBehaviourName | McpBehaviour, more: object = {}): ServerConfig {
  return { id, transport: { type: 'stdio', ...scriptedMcpCommand(behaviour), ...more } };
}

type Given = { config: ServerConfig; origin?: 'built-in' | 'file'; enabled?: boolean };

/** A server of the file, or one that is built in, switched on unless said otherwise. */
function server(config: ServerConfig, more: Omit<Given, 'config'> = {}): Given {
  return { config, ...more };
}

/** The data folder's `mcp.json` with these servers. */
function file(servers: readonly Given[]): string {
  const entries = servers
    .filter(({ origin }) => origin !== 'built-in')
    .map(({ config: { id, transport, ...config }, enabled = true }) => {
      const { type, ...rest } = transport;
      return [id, { ...rest, ...config, ...(type === 'sse' ? { type } : {}), ...(enabled ? {} : { disabled: true }) }];
    });
  const path = join(folder, 'mcp.json');
  writeFileSync(path, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  return path;
}

async function start(servers: Given[], clock: Clock = systemClock): Promise<Servers> {
  const made = await createServers({
    builtIn: servers.flatMap(({ config, origin }) => (origin === 'built-in' ? [config] : [])),
    file: file(servers),
    flags: [],
    env: {},
    owner: me,
    settings: storage.settings,
    permissions: storage.permissions,
    signIns: createMemoryAuthStore(),
    hub: { changed: (_owner, _what, id) => void changed.push(id) },
    clock,
    log: (line) => void logged.push(line),
  });
  open.push(made);
  return made;
}

const chosen = (servers: Record<string, boolean> = {}, disabledTools: string[] = []): ResolvedAgentConfiguration =>
  resolveAgentConfig([{ servers, disabledTools }], null);

async function viewOf(servers: Servers, id: string): Promise<McpServerView> {
  const view = (await servers.list(me)).items.find((each) => each.id === id);
  if (view === undefined) throw new Error(`no server ${id}`);
  return view;
}

const whenIn = (servers: Servers, id: string, state: McpServerView['state']) =>
  eventually(async () => (await viewOf(servers, id)).state === state, { what: `${id} ${state}` });

/** A behaviour whose server prints the id of its process. */
async function withPid(id: string): Promise<{ config: ServerConfig; pid: (servers: Servers) => Promise<number> }> {
  const { command, args } = scriptedMcpCommand('plain');
  const script = `data:text/javascript,${encodeURIComponent("process.stderr.write('pid ' + process.pid + '\\n')")}`;
  return {
    config: { id, transport: { type: 'stdio', command, args: ['--import', script, ...args] } },
    pid: (servers) =>
      eventually(async () => {
        const { log } = await viewOf(servers, id);
        const said = log.findLast(({ text }) => text.startsWith('pid '));
        return said === undefined ? undefined : Number(said.text.slice('pid '.length));
      }),
  };
}

describe('the servers of a start', () => {
  const log = (line: string): void => void logged.push(line);
  const entries = (text: string): McpConfigEntry[] => {
    const path = join(folder, 'mcp.json');
    writeFileSync(path, text);
    return readMcpConfig(path, {});
  };

  it('are the built-in ones, those of the file and those of the flags', () => {
    const servers = configuredServers({
      builtIn: [{ id: 'date', transport: { type: 'stdio', command: 'node' } }],
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
    expect(logged).toEqual([]);
  });

  it('with one id are one: the flags before the file before what is built in, which it then no longer is', () => {
    const servers = configuredServers({
      builtIn: [{ id: 'date', transport: { type: 'stdio', command: 'node' }, builtIn: true }],
      entries: entries('{"mcpServers": {"date": {"command": "mine"}, "x": {"command": "x"}}}'),
      flags: [{ id: 'x', transport: { type: 'stdio', command: 'y' }, builtIn: true }],
      log,
    });
    expect(servers).toMatchObject([
      { config: { id: 'date', builtIn: false, transport: { command: 'mine' } }, origin: 'file' },
      { config: { id: 'x', builtIn: false, transport: { command: 'y' } }, origin: 'flag' },
    ]);
    expect(logged).toHaveLength(2);
  });
});

const HINTS = { readOnlyHint: true, openWorldHint: false };

describe('the MCP servers of a process', () => {
  it('connect by themselves, nobody waiting for a slow one', async () => {
    const servers = await start([
      server(program('good', { tools: [{ name: 'echo', title: 'Echo', annotations: HINTS }] })),
      server(program('slow', 'hang-in-initialize')),
      server(program('bad', 'exit-at-start')),
      server(program('off', 'plain'), { enabled: false }),
    ]);
    await whenIn(servers, 'good', 'ready');
    await whenIn(servers, 'bad', 'failed');
    const tool = { serverId: 'good', name: 'echo' };
    await storage.permissions.set(me, { tool, conversationId: null, decision: 'never', at: 0 });
    expect((await servers.list(me)).items).toMatchObject([
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
    expect(logged).toEqual([expect.stringMatching(/^MCP server bad: /)]);
  });

  it('tell what has changed, once for many changes', async () => {
    const servers = await start([server(program('a', 'plain'))]);
    await whenIn(servers, 'a', 'ready');
    await eventually(() => changed.length > 0);
    expect(new Set(changed)).toEqual(new Set(['a']));
    const phases = (await viewOf(servers, 'a')).log.length;
    expect(changed.length).toBeLessThan(phases);
  });

  it('are switched off and on, which outlives a new start; the others go on', async () => {
    const [one, two] = [await withPid('one'), await withPid('two')];
    const servers = await start([server(one.config), server(two.config)]);
    const [pid, other] = [await one.pid(servers), await two.pid(servers)];
    expect(await servers.change(me, 'one', { enabled: false })).toMatchObject({ enabled: false, state: 'disabled' });
    expect(isAlive(pid)).toBe(false);
    expect(isAlive(other)).toBe(true);
    await servers.close();

    const again = await start([server(one.config), server(two.config)]);
    await whenIn(again, 'two', 'ready');
    expect((await viewOf(again, 'one')).state).toBe('disabled');
    await again.change(me, 'one', { enabled: true });
    await whenIn(again, 'one', 'ready');
  });

  it('are connected anew when asked', async () => {
    const { config, pid } = await withPid('one');
    const servers = await start([server(config), server(program('off', 'plain'), { enabled: false })]);
    await whenIn(servers, 'one', 'ready');
    const before = await pid(servers);
    expect(await servers.reconnect(me, 'one')).toMatchObject({ state: 'ready' });
    expect(isAlive(before)).toBe(false);
    await expect(servers.reconnect(me, 'off')).rejects.toMatchObject({ code: 'conflict' });
    await expect(servers.reconnect(me, 'none')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leave no process behind', async () => {
    const { config, pid } = await withPid('one');
    const servers = await start([server(config)]);
    const running = await pid(servers);
    await servers.close();
    expect(isAlive(running)).toBe(false);
  });
});

describe('attack 4: MCP servers switched by somebody who does not run this server', () => {
  it('is refused', async () => {
    const servers = await start([server(program('a', 'plain'), { enabled: false })]);
    const stranger = { ownerId: 'stranger' };
    await expect(servers.change(stranger, 'a', { enabled: true })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(servers.reconnect(stranger, 'a')).rejects.toMatchObject({ code: 'forbidden' });
    expect((await viewOf(servers, 'a')).state).toBe('disabled');
  });
});

describe('what is shown of a server', () => {
  it('has no secret in it, wherever the configuration or the server put it', async () => {
    const secrets = ['sk-env-1234', 'sk-arg-1234', 'sk-opt-1234', 'sk-header-1234', 'sk-query-1234', 'p4ssw0rd-url'];
    const noisy = { atStart: { stderr: `using sk-env-1234, sk-arg-1234 and sk-opt-1234\n`, exitCode: 3 } };
    const { command, args } = scriptedMcpCommand(noisy);
    const servers = await start([
      server({
        id: 'program',
        transport: {
          type: 'stdio',
          command,
          args: [...args, '--api-key', 'sk-arg-1234', '--token=sk-opt-1234'],
          env: { KEY: 'sk-env-1234' },
        },
      }),
      server({
        id: 'address',
        transport: {
          type: 'http',
          url: 'http://127.0.0.1:9/s/0a1b2c3d4e5f6a7b8c9d0e1f/mcp?key=sk-query-1234',
          headers: { Authorization: 'Bearer sk-header-1234' },
        },
      }),
      server({ id: 'user', transport: { type: 'http', url: 'http://me:p4ssw0rd-url@127.0.0.1:9/mcp' } }),
    ]);
    await whenIn(servers, 'program', 'failed');
    await whenIn(servers, 'user', 'failed');
    await whenIn(servers, 'address', 'failed');
    const views = (await servers.list(me)).items;
    expect(views[0]).toMatchObject({ transport: { type: 'stdio', command: expect.stringMatching(/^node/) } });
    expect(views[1]).toMatchObject({ transport: { type: 'http', url: 'http://127.0.0.1:9/s/•••/mcp' } });
    expect(JSON.stringify(views[0])).toContain('using •••, ••• and •••');
    const shown = JSON.stringify([views, logged]);
    for (const secret of [...secrets, '0a1b2c3d4e5f6a7b8c9d0e1f']) expect(shown).not.toContain(secret);
  });
});

describe('what a run may use', () => {
  const two = { tools: [{ name: 'read' }, { name: 'write' }] };

  it('is what is switched on, unless the conversation chose otherwise, without the tools it switched off', async () => {
    const servers = await start([
      server(program('a', two)),
      server(program('b', two)),
      server(program('off', 'plain'), { enabled: false }),
    ]);
    const standard = await servers.select(chosen(), never);
    expect(standard.tools().map(({ name }) => name)).toEqual(['a__read', 'a__write', 'b__read', 'b__write']);
    const own = await servers.select(chosen({ b: false, off: true, none: true }, ['a/write']), never);
    expect(own.tools().map(({ name }) => name)).toEqual(['read', 'echo']);
    expect(await own.callTool({ serverId: 'off', name: 'echo' }, {})).toMatchObject({ outcome: 'done' });
    for (const tool of [
      { serverId: 'a', name: 'write' },
      { serverId: 'b', name: 'read' },
    ]) {
      expect(own.judged(tool)).toBeUndefined();
      expect(await own.callTool(tool, {})).toMatchObject({ outcome: 'not_sent', error: { code: 'tool_not_found' } });
    }
    expect(await servers.select(chosen(), never)).toBe(standard);
    expect((await viewOf(servers, 'off')).enabled).toBe(false);
  });

  it('waits for servers that are connecting, but not for ever, and ends with its signal', async () => {
    const patience: (() => void)[] = [];
    const giveUp = (): void => patience.splice(0).forEach((end) => end());
    const clock: Clock = {
      ...systemClock,
      after(ms, callback) {
        if (ms !== 10_000) return systemClock.after(ms, callback);
        patience.push(callback);
        return () => {};
      },
    };
    const servers = await start(
      [server(program('good', 'plain')), server(program('slow', 'hang-in-initialize'))],
      clock,
    );
    const selecting = servers.select(chosen(), never);
    await whenIn(servers, 'good', 'ready');
    giveUp();
    expect((await selecting).tools().map(({ name }) => name)).toEqual(['echo']);
    // One run has waited in vain: the next does not. What is connected anew is waited for again.
    expect((await servers.select(chosen(), never)).tools().map(({ name }) => name)).toEqual(['echo']);
    const reconnecting = servers.reconnect(me, 'slow');
    await whenIn(servers, 'slow', 'connecting');
    const stop = new AbortController();
    const stopped = servers.select(chosen(), stop.signal);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    giveUp();
    await reconnecting;
  });

  it('has the instructions of these servers only, the same list as long as they say the same', async () => {
    const servers = await start([
      server(program('a', { ...two, instructions: 'Read first.' })),
      server(program('b', { ...two, instructions: 'Not for you.' })),
      server(program('c', 'plain')),
    ]);
    const selection = await servers.select(chosen({ b: false }), never);
    const sources = selection.contextSources();
    expect(sources.serverInstructions).toEqual([{ serverId: 'a', text: 'Read first.' }]);
    await servers.change(me, 'c', { enabled: false });
    expect(selection.contextSources().serverInstructions).toBe(sources.serverInstructions);
    await servers.change(me, 'a', { enabled: false });
    expect(selection.contextSources().serverInstructions).toEqual([]);
  });

  it('is built in and read-only only by registration and annotation', async () => {
    const tools = [{ name: 'look', annotations: { readOnlyHint: true } }];
    const servers = await start([
      server({ ...program('date', { tools }), builtIn: true }, { origin: 'built-in' }),
      server(program('mine', { tools: [{ name: 'date' }, ...tools] })),
    ]);
    const selection = await servers.select(chosen(), never);
    expect(selection.judged({ serverId: 'date', name: 'look' })).toEqual({ builtIn: true, readOnly: true });
    expect(selection.judged({ serverId: 'mine', name: 'look' })).toMatchObject({ builtIn: false, readOnly: true });
    expect(selection.judged({ serverId: 'mine', name: 'date' })).toMatchObject({ builtIn: false, readOnly: false });
    expect(selection.judged({ serverId: 'mine', name: 'none' })).toBeUndefined();
  });

  it('gives a server that is switched off back when nobody has used it for a while', async () => {
    let now = 0;
    const due: (() => void)[] = [];
    const clock: Clock = {
      ...systemClock,
      monotonic: () => now,
      after(ms, callback) {
        if (ms <= 30_000) return systemClock.after(ms, callback);
        due.push(callback);
        return () => {};
      },
    };
    const { config, pid } = await withPid('off');
    const servers = await start([server(config, { enabled: false })], clock);
    const selection = await servers.select(chosen({ off: true }), never);
    const running = await pid(servers);
    now += 9 * 60_000;
    selection.contextSources();
    now += 9 * 60_000;
    due.splice(0).forEach((timer) => timer());
    expect(isAlive(running)).toBe(true);
    expect((await viewOf(servers, 'off')).state).toBe('ready');
    now += 10 * 60_000;
    due.splice(0).forEach((timer) => timer());
    await eventually(() => !isAlive(running));
    await whenIn(servers, 'off', 'disabled');
    const again = await servers.select(chosen({ off: true }), never);
    expect(again.tools().map(({ name }) => name)).toEqual(['echo']);
  });
});

describe('servers behind an address', () => {
  it('are reached where the owner said, with the headers given, on this machine too', async () => {
    const scripted = await startScriptedMcp('plain', { requireToken: 'secret-1' });
    open.push(scripted);
    const headers = { Authorization: 'Bearer secret-1' };
    const servers = await start([server({ id: 'web', transport: { type: 'http', url: scripted.url, headers } })]);
    const selection = await servers.select(chosen(), never);
    expect(await selection.callTool({ serverId: 'web', name: 'echo' }, { a: 1 })).toMatchObject({ outcome: 'done' });
    expect((await viewOf(servers, 'web')).transport).toEqual({ type: 'http', url: scripted.url });
  });

  it('are reached over a WebSocket in the same way', async () => {
    const scripted = await startScriptedWebSocket('plain');
    open.push(scripted);
    const servers = await start([server({ id: 'web', transport: { type: 'websocket', url: scripted.url } })]);
    const selection = await servers.select(chosen(), never);
    expect(await selection.callTool({ serverId: 'web', name: 'echo' }, { a: 1 })).toMatchObject({ outcome: 'done' });
    expect((await viewOf(servers, 'web')).transport).toEqual({ type: 'websocket', url: scripted.url });
  });

  it('that are lost come back by themselves', async () => {
    const scripted = await startScriptedWebSocket('plain');
    open.push(scripted);
    const servers = await start([server({ id: 'web', transport: { type: 'websocket', url: scripted.url } })]);
    await whenIn(servers, 'web', 'ready');
    scripted.dropConnections('cut');
    await whenIn(servers, 'web', 'reconnecting');
    expect((await viewOf(servers, 'web')).error).toMatchObject({ code: 'server_closed' });
    await whenIn(servers, 'web', 'ready');
    expect((await viewOf(servers, 'web')).error).toBeUndefined();
  });

  it('attack 5: that redirect into this machine or the private network are not followed', async () => {
    const victim = await startScriptedMcp('plain');
    const evil = createServer((_request, response) => response.writeHead(307, { location: victim.url }).end());
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    open.push(victim, {
      close: () =>
        new Promise((resolve) => {
          evil.close(resolve);
          evil.closeAllConnections();
        }),
    });
    const url = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/mcp`;
    // The victim is configured too: that the owner uses it is no reason for another server to reach it.
    const servers = await start([
      server({ id: 'evil', transport: { type: 'http', url } }),
      server({ id: 'victim', transport: { type: 'http', url: victim.url } }, { enabled: false }),
    ]);
    await whenIn(servers, 'evil', 'failed');
    const { error } = await viewOf(servers, 'evil');
    expect(error).toMatchObject({ code: 'server_refused', message: /points to another address/ });
    expect(victim.requests).toEqual([]);
  });

  it('attack 9: that name private addresses as the place to sign in do not make anybody ask there', async () => {
    const asked: string[] = [];
    const inside = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.setHeader('content-type', 'application/json').end('{}');
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    const there = `http://127.0.0.1:${(inside.address() as AddressInfo).port}`;
    const evil = createServer((request, response) => {
      if (request.url !== '/mcp') {
        const endpoints = { authorization_servers: [there], issuer: there, token_endpoint: `${there}/token` };
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ resource: there, ...endpoints }));
        return;
      }
      const named = `Bearer resource_metadata="${there}/meta", authorization_uri="${there}/authorize"`;
      response.writeHead(401, { 'www-authenticate': named }).end();
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    for (const each of [inside, evil]) {
      open.push({
        close: () =>
          new Promise((resolve) => {
            each.close(resolve);
            each.closeAllConnections();
          }),
      });
    }
    const url = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/mcp`;
    const servers = await start([server({ id: 'evil', transport: { type: 'http', url } })]);
    await whenIn(servers, 'evil', 'needs_sign_in');
    expect((await viewOf(servers, 'evil')).error?.code).toBe('needs_sign_in');
    expect(asked).toEqual([]);
  });
});
