import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryAuthStore } from '@toolyard/mcp-host';
import type { McpServerView, McpTransport, Principal } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import type { McpBehaviour, McpBehaviourName } from '@toolyard/testing';
import { eventually, isAlive, scriptedMcpCommand, startScriptedMcp } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveAgentConfig } from '../config/resolve-agent-config.ts';
import type { Servers } from '../services.ts';
import { createServers } from './servers.ts';

const me: Principal = { ownerId: 'owner' };
const never = new AbortController().signal;
let folder: string;
let path: string;
let storage: Storage;
let servers: Servers | undefined;
let logged: string[];
let changed: (string | undefined)[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-mcp-'));
  path = join(folder, 'mcp.json');
  storage = await openStorage({ folder, clock: systemClock });
  logged = [];
  changed = [];
});
afterEach(async () => {
  await servers?.close();
  servers = undefined;
  storage.close();
  rmSync(folder, { recursive: true });
});

async function start(mcpServers: Record<string, object> | string, env: Record<string, string> = {}): Promise<Servers> {
  writeFileSync(path, typeof mcpServers === 'string' ? mcpServers : JSON.stringify({ mcpServers }, null, 2));
  servers = await createServers({
    builtIn: [{ id: 'built-in', transport: { type: 'stdio', ...scriptedMcpCommand('plain') } }],
    file: path,
    flags: [],
    env,
    owner: me,
    settings: storage.settings,
    permissions: storage.permissions,
    signIns: createMemoryAuthStore(),
    hub: { changed: (_owner, _what, id) => void changed.push(id) },
    clock: systemClock,
    log: (line) => void logged.push(line),
  });
  return servers;
}

const program = (behaviour: McpBehaviour | McpBehaviourName) => scriptedMcpCommand(behaviour);
const stdio = (behaviour: McpBehaviour | McpBehaviourName): McpTransport => ({
  type: 'stdio',
  ...scriptedMcpCommand(behaviour),
});

/** A server that prints the id of its process. */
function withPid(more: object = {}): { command: string; args: string[] } {
  const { command, args } = scriptedMcpCommand('plain');
  const script = `data:text/javascript,${encodeURIComponent("process.stderr.write('pid ' + process.pid + '\\n')")}`;
  return { command, args: ['--import', script, ...args], ...more };
}

async function pidOf(all: Servers, id: string): Promise<number> {
  return eventually(async () => {
    const said = (await find(all, id))?.log.findLast(({ text }) => text.startsWith('pid '));
    return said === undefined ? undefined : Number(said.text.slice('pid '.length));
  });
}

async function find(all: Servers, id: string): Promise<McpServerView | undefined> {
  return (await all.list(me)).items.find((each) => each.id === id);
}

const whenIn = (all: Servers, id: string, state: McpServerView['state'] | undefined) =>
  eventually(async () => (await find(all, id))?.state === state, { what: `${id} ${state}` });

/** As editors do it: another file in its place. */
function replaceFile(text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

describe('an mcp.json that is changed while the server runs', () => {
  it('takes effect on the servers that have changed, and on no other', async () => {
    const all = await start({ stays: withPid(), goes: withPid(), becomes: program('plain') });
    const [stays, goes] = [await pidOf(all, 'stays'), await pidOf(all, 'goes')];
    const becomes = program({ tools: [{ name: 'other' }] });
    replaceFile(JSON.stringify({ mcpServers: { stays: withPid(), becomes, comes: program('plain') } }));
    await whenIn(all, 'comes', 'ready');
    await eventually(async () => (await find(all, 'becomes'))?.tools[0]?.tool.name === 'other');
    expect(await find(all, 'goes')).toBeUndefined();
    await eventually(() => !isAlive(goes));
    expect(await pidOf(all, 'stays')).toBe(stays);
    expect(isAlive(stays)).toBe(true);
    expect(new Set(changed)).toEqual(new Set(['built-in', 'stays', 'goes', 'becomes', 'comes']));
  });

  it('that is broken in the middle of it changes nothing, and says so until it is mended', async () => {
    const all = await start({ a: withPid() });
    const pid = await pidOf(all, 'a');
    writeFileSync(path, '{"mcpServers": {"a": ');
    const fault = await eventually(async () => (await all.list(me)).fileFault);
    expect(fault.message).toMatch(/^mcp\.json, line 1, column \d+: .* What it said before still counts\.$/);
    expect(isAlive(pid)).toBe(true);
    await expect(all.add(me, { id: 'b', transport: stdio('plain') })).rejects.toMatchObject({ code: 'conflict' });
    replaceFile(JSON.stringify({ mcpServers: { a: withPid() } }));
    await eventually(async () => (await all.list(me)).fileFault === undefined);
    expect(await pidOf(all, 'a')).toBe(pid);
    expect(changed).toContain(undefined);
  });

  it('that is gone for a moment, or emptied before it is written, changes nothing', async () => {
    const text = JSON.stringify({ mcpServers: { a: withPid() } });
    const all = await start(text);
    const pid = await pidOf(all, 'a');
    rmSync(path);
    await new Promise((resolve) => setTimeout(resolve, 400));
    writeFileSync(path, '');
    await new Promise((resolve) => setTimeout(resolve, 400));
    writeFileSync(path, text);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await pidOf(all, 'a')).toBe(pid);
    rmSync(path);
    await whenIn(all, 'a', undefined);
    await eventually(() => !isAlive(pid));
  });

  it('sets a bad entry aside, which stands in the list with its line, and mends itself', async () => {
    const all = await start(
      '{"mcpServers": {\n "bad": {},\n "off": {"command": "${env:NOPE}", "disabled": true},\n "good": {"command": "x"}\n}}',
    );
    expect(await find(all, 'bad')).toMatchObject({
      state: 'failed',
      fault: { file: 'mcp.json', line: 2 },
      transport: null,
      editable: true,
      error: { code: 'bad_config', message: 'mcp.json, line 2: server "bad" has neither "command" nor "url".' },
    });
    expect(await find(all, 'off')).toMatchObject({ state: 'disabled', fault: { line: 3 } });
    expect(await find(all, 'good')).toMatchObject({ transport: { command: 'x' } });
    expect(logged.join()).toContain('line 2: server "bad"');
    await expect(all.tools(me, 'bad')).rejects.toMatchObject({ code: 'conflict', message: /line 2/ });
    await expect(all.reconnect(me, 'bad')).rejects.toMatchObject({ code: 'conflict' });
    await all.edit(me, 'bad', { transport: stdio('plain') });
    await whenIn(all, 'bad', 'ready');
    expect((await find(all, 'bad'))?.fault).toBeUndefined();
  });

  it('decides nothing that is decided in Toolyard: a tool an editor need not ask about is asked about here', async () => {
    const all = await start({ a: { ...program('plain'), alwaysAllow: ['echo'] } });
    await whenIn(all, 'a', 'ready');
    expect((await find(all, 'a'))?.tools).toMatchObject([{ permission: null }]);
    expect(logged).toEqual([
      expect.stringMatching(/line 3: server "a" names tools that may run without asking; Toolyard asks/),
    ]);
  });

  it('starts the server also where it cannot be read at all', async () => {
    const all = await start('this is no JSON');
    expect((await all.list(me)).fileFault).toMatchObject({ code: 'bad_config', message: /mcp\.json, line 1/ });
    await whenIn(all, 'built-in', 'ready');
  });

  it('has the last word where it says something new of what was switched by hand', async () => {
    const all = await start({ a: program('plain') });
    await all.change(me, 'a', { enabled: false, tools: { echo: false } });
    replaceFile(JSON.stringify({ mcpServers: { a: { ...program('plain'), note: 'nothing said of switches' } } }));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await find(all, 'a')).toMatchObject({ enabled: false });
    replaceFile(JSON.stringify({ mcpServers: { a: { ...program('plain'), disabled: true } } }));
    await new Promise((resolve) => setTimeout(resolve, 500));
    replaceFile(JSON.stringify({ mcpServers: { a: { ...program('plain'), disabledTools: ['other'] } } }));
    await whenIn(all, 'a', 'ready');
    expect((await find(all, 'a'))?.tools).toMatchObject([{ tool: { name: 'echo' }, enabled: true }]);
  });
});

describe('a server that is added, changed and taken out', () => {
  it('is written to mcp.json, connected, connected anew, and gone', async () => {
    const all = await start('{\n  // mine\n  "mcpServers": {}\n}\n');
    expect(await all.add(me, { id: 'a', transport: stdio('plain') })).toMatchObject({
      id: 'a',
      editable: true,
      origin: 'file',
    });
    await whenIn(all, 'a', 'ready');
    expect(readFileSync(path, 'utf8')).toMatch(/\/\/ mine[^]*"a": \{\n {6}"command"/);
    await all.edit(me, 'a', { transport: stdio({ tools: [{ name: 'other' }] }), callTimeoutMs: 9_000 });
    await eventually(async () => (await find(all, 'a'))?.tools[0]?.tool.name === 'other');
    expect(await all.configuration(me, 'a')).toMatchObject({
      enabled: true,
      callTimeoutMs: 9_000,
      connectTimeoutMs: null,
    });
    await all.remove(me, 'a');
    expect(await find(all, 'a')).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe('{\n  // mine\n  "mcpServers": {\n  }\n}\n');
    await expect(all.remove(me, 'a')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leaves the others alone', async () => {
    const all = await start({ other: withPid() });
    const pid = await pidOf(all, 'other');
    await all.add(me, { id: 'a', transport: stdio('plain'), enabled: false });
    await all.edit(me, 'a', { transport: stdio('stubborn'), enabled: true });
    await all.remove(me, 'a');
    expect(await pidOf(all, 'other')).toBe(pid);
    expect(isAlive(pid)).toBe(true);
  });

  it('is refused where its name is taken, or it could not be read again', async () => {
    const all = await start({ a: program('plain') });
    for (const id of ['a', 'built-in']) {
      await expect(all.add(me, { id, transport: stdio('plain') })).rejects.toMatchObject({ code: 'conflict' });
    }
    await expect(all.add(me, { id: 'b', transport: { type: 'http', url: 'ftp://x' } })).rejects.toMatchObject({
      code: 'bad_request',
      message: /not an http or ws address/,
    });
    await expect(all.edit(me, 'built-in', { transport: stdio('plain') })).rejects.toMatchObject({
      code: 'conflict',
      message: /comes with Toolyard/,
    });
    await expect(all.remove(me, 'built-in')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('answers a run in flight, and is no longer offered to the next', async () => {
    const all = await start({ a: program('never-answers') });
    const configuration = resolveAgentConfig([{}], null);
    const selection = await all.select(configuration, never);
    const call = selection.callTool({ serverId: 'a', name: 'hang' }, {});
    await new Promise((resolve) => setTimeout(resolve, 200));
    await all.remove(me, 'a');
    expect(await call).toMatchObject({ isError: true, outcome: 'unknown', error: { message: /"a" is closed/ } });
    expect(await selection.callTool({ serverId: 'a', name: 'echo' }, {})).toMatchObject({ outcome: 'not_sent' });
    const next = await all.select(configuration, never);
    expect(next.tools().map(({ tool }) => tool.serverId)).toEqual(['built-in']);
  });
});

describe('what an editor sees of a server', () => {
  const AUTHORIZATION = { Authorization: 'Bearer sk-header-1234', 'X-Ref': 'Bearer ${env:KEY}', 'X-Id': '${env:KEY}' };

  it('has no secret in it, and keeps those it sends back', async () => {
    const url = 'https://a.example/mcp';
    const all = await start(
      {
        web: { url, headers: AUTHORIZATION, disabled: true },
        local: { ...program('plain'), env: { KEY: 'sk-env-1234' } },
      },
      { KEY: 'k' },
    );
    const web = await all.configuration(me, 'web');
    expect(web).toMatchObject({
      enabled: false,
      transport: {
        type: 'http',
        url,
        headers: { Authorization: { secret: true }, 'X-Ref': 'Bearer ${env:KEY}', 'X-Id': '${env:KEY}' },
      },
    });
    const local = await all.configuration(me, 'local');
    expect(local.transport).toMatchObject({ env: { KEY: { secret: true } } });
    expect(JSON.stringify([web, local])).not.toContain('sk-');
    if (web.transport === null) throw new Error('it can be read');
    const headers = { Authorization: { secret: true as const }, 'X-New': 'new' };
    await all.edit(me, 'web', { transport: { type: 'http', url: 'https://a.example/other', headers } });
    const written = JSON.parse(readFileSync(path, 'utf8')) as { mcpServers: Record<string, object> };
    expect(written.mcpServers['web']).toEqual({
      url: 'https://a.example/other',
      headers: { Authorization: 'Bearer sk-header-1234', 'X-New': 'new' },
      disabled: true,
    });
  });

  it('cannot be used to send a stored secret to another address', async () => {
    await using thief = await startScriptedMcp('plain');
    const all = await start({ web: { url: 'https://a.example/mcp', headers: AUTHORIZATION, disabled: true } });
    const transport: McpTransport = { type: 'http', url: thief.url, headers: { Authorization: { secret: true } } };
    await expect(all.test(me, { id: 'web', transport })).rejects.toMatchObject({
      code: 'bad_request',
      message: /Authorization/,
    });
    await expect(all.edit(me, 'web', { transport })).rejects.toMatchObject({ code: 'bad_request' });
    expect(thief.requests).toEqual([]);
  });

  it('tells the fault of an entry that cannot be read, with what can be told of it', async () => {
    const all = await start({ a: { command: '${env:NOPE}' }, b: { command: 1 } });
    expect(await all.configuration(me, 'a')).toMatchObject({
      transport: { type: 'stdio', command: '${env:NOPE}' },
      fault: { message: /NOPE is not set/ },
    });
    expect(await all.configuration(me, 'b')).toMatchObject({ transport: null, fault: { message: /not a text/ } });
  });
});

describe('what is asked of a server directly', () => {
  it('is answered by that server, also by one that is switched off', async () => {
    const all = await start({
      off: { ...program({ tools: [{ name: 'echo', does: [{ do: 'echo' }] }] }), disabled: true },
    });
    expect(await all.call(me, 'off', { tool: 'echo', arguments: { a: 1 } })).toMatchObject({
      isError: false,
      content: [{ type: 'text', text: '{"a":1}' }],
    });
    expect(await all.tools(me, 'off')).toMatchObject([
      { tool: { serverId: 'off', name: 'echo' }, inputSchema: { type: 'object' }, tokens: expect.any(Number) },
    ]);
    expect(await all.call(me, 'off', { tool: 'none' })).toMatchObject({ outcome: 'not_sent' });
    await expect(all.call(me, 'none', { tool: 'echo' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await find(all, 'off')).toMatchObject({ enabled: false, state: 'ready' });
  });

  it('says of a server that cannot be connected why', async () => {
    const all = await start({ bad: program('exit-at-start') });
    await whenIn(all, 'bad', 'failed');
    await expect(all.tools(me, 'bad')).rejects.toMatchObject({ code: 'server_exited' });
    await expect(all.resources(me, 'bad')).rejects.toMatchObject({ code: 'server_exited' });
    await expect(all.read(me, 'bad', 'x://y')).rejects.toMatchObject({ code: 'server_exited' });
  });

  it('is bounded: what is too large is cut and says so', async () => {
    const all = await start({
      a: program({ tools: [{ name: 'big', does: [{ do: 'huge', bytes: 12 * 1_024 * 1_024 }] }] }),
    });
    const { content } = await all.call(me, 'a', { tool: 'big' });
    const [part] = content;
    if (part?.type !== 'text') throw new Error('a text was expected');
    expect(part.text.length).toBeLessThan(8.1 * 1_024 * 1_024);
    expect(part.text.slice(-100)).toMatch(/more characters are left out/);
  });

  it('ends when nobody waits for it any more', async () => {
    const all = await start({ a: program('never-answers') });
    await whenIn(all, 'a', 'ready');
    const stop = new AbortController();
    const call = all.call(me, 'a', { tool: 'hang' }, stop.signal);
    setTimeout(() => stop.abort(), 100);
    expect(await call).toMatchObject({ isError: true, outcome: 'unknown' });
  });

  it('stands in its log, with what went over the wire, from where one has read', async () => {
    const all = await start({ a: { ...program('plain'), env: { KEY: 'sk-env-1234' } } });
    await whenIn(all, 'a', 'ready');
    const first = await all.log(me, 'a');
    expect(first.items.map((entry) => entry.kind)).toContain('event');
    expect(first.items).toContainEqual(
      expect.objectContaining({ kind: 'message', direction: 'sent', method: 'tools/list' }),
    );
    expect((await all.log(me, 'a', first.next)).items).toEqual([]);
    await all.call(me, 'a', { tool: 'echo', arguments: { text: 'sk-env-1234' } });
    const more = await all.log(me, 'a', first.next);
    expect(more.items).toMatchObject([
      { direction: 'sent', message: 'request', method: 'tools/call' },
      { direction: 'received', message: 'result' },
    ]);
    expect(JSON.stringify(more)).not.toContain('sk-env');
    expect(more.items[0]?.id).not.toBe(first.items[0]?.id);
    await all.edit(me, 'a', { transport: stdio('plain') });
    await whenIn(all, 'a', 'ready');
    // The log has begun anew.
    expect((await all.log(me, 'a', more.next)).items.length).toBeGreaterThan(5);
  });
});

describe('tools that are switched off', () => {
  const two = { tools: [{ name: 'read' }, { name: 'write' }] };

  it('are offered to no run, by the file or by hand, and cost nothing', async () => {
    const all = await start({ a: { ...program(two), disabledTools: ['write'] } });
    await whenIn(all, 'a', 'ready');
    const configuration = resolveAgentConfig([{ servers: { 'built-in': false } }], null);
    const offered = async () => (await all.select(configuration, never)).tools().map(({ name }) => name);
    expect(await offered()).toEqual(['read']);
    const before = await all.select(configuration, never);
    const view = await all.change(me, 'a', { tools: { read: false, write: true } });
    expect(view.tools.map(({ enabled }) => enabled)).toEqual([false, true]);
    expect(view.tokens).toBe(view.tools[1]?.tokens);
    expect(await offered()).toEqual(['write']);
    // A run under way may no longer call what was switched off.
    expect(await before.callTool({ serverId: 'a', name: 'read' }, {})).toMatchObject({ outcome: 'not_sent' });
    expect((await all.configuration(me, 'a')).disabledTools).toEqual(['read']);
    await all.edit(me, 'a', { transport: stdio(two), disabledTools: ['write'] });
    expect(await offered()).toEqual(['read']);
  });

  it('are all others where the file names the only ones', async () => {
    const all = await start({ a: { ...program(two), enabledTools: ['write'] } });
    await whenIn(all, 'a', 'ready');
    expect((await find(all, 'a'))?.tools).toMatchObject([{ enabled: false }, { enabled: true }]);
  });
});

describe('a server that is tried', () => {
  it('is connected beside the one that runs, and nothing is stored', async () => {
    const all = await start({ a: withPid() });
    const pid = await pidOf(all, 'a');
    expect(await all.test(me, { id: 'a' })).toMatchObject({ ok: true, offers: { tools: 1 }, era: 'legacy' });
    expect(await pidOf(all, 'a')).toBe(pid);
    const before = readFileSync(path, 'utf8');
    expect(await all.test(me, { transport: stdio('exit-at-start') })).toMatchObject({
      ok: false,
      error: { code: 'server_exited' },
    });
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect((await all.list(me)).items.map(({ id }) => id)).toEqual(['built-in', 'a']);
    await expect(all.test(me, {})).rejects.toMatchObject({ code: 'bad_request' });
    await expect(all.test(me, { id: 'none' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(all.test(me, { transport: { type: 'stdio', command: '${env:NOPE}' } })).rejects.toMatchObject({
      code: 'bad_request',
      message: /NOPE is not set/,
    });
  });
});

it('is tried as it is used: what it offers only to whom it can ask is there, too', async () => {
  const args = [
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
    'stdio',
  ];
  const all = await start({});
  const { tools, offers } = await all.test(me, { transport: { type: 'stdio', command: 'node', args } });
  expect(offers.tools).toBe(tools.length);
  const names = tools.map(({ name }) => name);
  for (const asking of ['trigger-elicitation-request', 'trigger-sampling-request']) expect(names).toContain(asking);
});

describe('attack 4: MCP servers changed by somebody who does not run this server', () => {
  it('is refused, whatever it is', async () => {
    const all = await start({ a: program('plain') });
    const stranger = { ownerId: 'stranger' };
    const transport = stdio('plain');
    for (const attempt of [
      () => all.add(stranger, { id: 'evil', transport }),
      () => all.edit(stranger, 'a', { transport }),
      () => all.remove(stranger, 'a'),
      () => all.configuration(stranger, 'a'),
      () => all.test(stranger, { transport }),
      () => all.log(stranger, 'a'),
      () => all.change(stranger, 'a', { tools: { echo: false } }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect((await all.list(me)).items.map(({ id }) => id)).toEqual(['built-in', 'a']);
  });
});
