import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createSteadyClock, eventually, isAlive, scriptedMcpCommand } from '@toolyard/testing';
import { StorageError } from '@toolyard/storage';
import { describe, expect, it, vi } from 'vitest';
import { resolveAgentConfig } from '../config/resolve-agent-config.ts';
import {
  commandWithPid,
  findView,
  NEVER_ABORTED,
  OWNER as me,
  pidOf,
  commandServer,
  stdio,
  useServerBench,
  waitForState,
  waitForRequest,
} from './test-fixtures/server-bench.ts';

const room = useServerBench({ builtIn: [commandServer('built-in', 'plain')] });

/** As editors do it: another file in its place. */
function replaceFile(text: string): void {
  writeFileSync(`${room.path}.new`, text);
  renameSync(`${room.path}.new`, room.path);
}

describe('an mcp.json that is changed while the server runs', () => {
  it('takes effect on the servers that have changed, and on no other', { tags: ['C7.13'] }, async () => {
    const all = await room.start({
      stays: commandWithPid(),
      goes: commandWithPid(),
      becomes: scriptedMcpCommand('plain'),
    });
    const [stays, goes] = [await pidOf(all, 'stays'), await pidOf(all, 'goes')];
    const becomes = scriptedMcpCommand({ tools: [{ name: 'other' }] });
    replaceFile(
      JSON.stringify({ mcpServers: { stays: commandWithPid(), becomes, comes: scriptedMcpCommand('plain') } }),
    );
    await waitForState(all, 'comes', 'ready');
    await eventually(async () => (await findView(all, 'becomes'))?.tools[0]?.tool.name === 'other');
    expect(await findView(all, 'goes')).toBeUndefined();
    await eventually(() => !isAlive(goes));
    expect(await pidOf(all, 'stays')).toBe(stays);
    expect(isAlive(stays)).toBe(true);
    // Changes are gathered for a moment before they are told.
    await eventually(() =>
      expect(new Set(room.changed)).toEqual(new Set(['built-in', 'stays', 'goes', 'becomes', 'comes'])),
    );
  });

  it('while the database is away takes effect when it is back', async () => {
    const all = await room.start({ a: { ...scriptedMcpCommand('plain'), disabled: true } });
    await all.change(me, 'a', { enabled: true });
    await all.change(me, 'a', { enabled: false });
    const away = vi.spyOn(room.storage.settings, 'set').mockImplementation(() => {
      throw new StorageError('unreachable', { message: 'The database cannot be reached.' });
    });
    // What the file says of a server counts from now on, which has to be stored.
    replaceFile(JSON.stringify({ mcpServers: { a: scriptedMcpCommand('plain'), b: scriptedMcpCommand('plain') } }));
    await eventually(() => away.mock.results.some(({ type }) => type === 'throw'));
    away.mockRestore();
    await waitForState(all, 'b', 'ready');
    await waitForState(all, 'a', 'ready');
    expect(await room.storage.settings.get(me, 'mcp.enabled')).toEqual({});
  });

  it('while the database is away is not tried again by a process that ends', async () => {
    const all = await room.start({ a: { ...scriptedMcpCommand('plain'), disabled: true } });
    await all.change(me, 'a', { enabled: false });
    const away = vi.spyOn(room.storage.settings, 'set').mockImplementation(() => {
      throw new StorageError('unreachable', { message: 'The database cannot be reached.' });
    });
    replaceFile(JSON.stringify({ mcpServers: { a: scriptedMcpCommand('plain') } }));
    await eventually(() => room.logged.some((line) => line.startsWith('The MCP servers could not be read anew')));
    const tried = away.mock.calls.length;
    await all.close();
    expect(away).toHaveBeenCalledTimes(tried);
  });

  it('that is broken in the middle of it changes nothing, and says so until it is mended', async () => {
    const all = await room.start({ a: commandWithPid() });
    const pid = await pidOf(all, 'a');
    writeFileSync(room.path, '{"mcpServers": {"a": ');
    const fault = await eventually(async () => (await all.list(me)).fileFault);
    expect(fault.message).toMatch(/^mcp\.json, line 1, column \d+: .* What it said before still counts\.$/);
    expect(isAlive(pid)).toBe(true);
    await expect(all.add(me, { id: 'b', transport: stdio('plain') })).rejects.toMatchObject({ code: 'conflict' });
    replaceFile(JSON.stringify({ mcpServers: { a: commandWithPid() } }));
    await eventually(async () => (await all.list(me)).fileFault === undefined);
    expect(await pidOf(all, 'a')).toBe(pid);
    await eventually(() => expect(room.changed).toContain(undefined));
  });

  it('that is gone for a moment, or emptied before it is written, changes nothing', async () => {
    const text = JSON.stringify({ mcpServers: { a: commandWithPid() } });
    const clock = createSteadyClock();
    const all = await room.start(text, { clock });
    const pid = await pidOf(all, 'a');
    rmSync(room.path);
    await clock.passes(400);
    writeFileSync(room.path, '');
    await clock.passes(400);
    writeFileSync(room.path, text);
    await clock.passes(1_600);
    expect(await pidOf(all, 'a')).toBe(pid);
    rmSync(room.path);
    await waitForState(all, 'a', undefined);
    await eventually(() => !isAlive(pid));
  });

  it('sets a bad entry aside, which stands in the list with its line, and mends itself', async () => {
    const all = await room.start(
      '{"mcpServers": {\n "bad": {},\n "off": {"command": "${env:NOPE}", "disabled": true},\n "good": {"command": "x"}\n}}',
    );
    expect(await findView(all, 'bad')).toMatchObject({
      state: 'failed',
      fault: { file: 'mcp.json', line: 2 },
      transport: null,
      editable: true,
      error: { code: 'bad_config', message: 'mcp.json, line 2: server "bad" has neither "command" nor "url".' },
    });
    expect(await findView(all, 'off')).toMatchObject({ state: 'disabled', fault: { line: 3 } });
    expect(await findView(all, 'good')).toMatchObject({ transport: { command: 'x' } });
    expect(room.logged.join()).toContain('line 2: server "bad"');
    await expect(all.tools(me, 'bad')).rejects.toMatchObject({ code: 'conflict', message: /line 2/ });
    await expect(all.reconnect(me, 'bad')).rejects.toMatchObject({ code: 'conflict' });
    await all.edit(me, 'bad', { transport: stdio('plain') });
    await waitForState(all, 'bad', 'ready');
    expect((await findView(all, 'bad'))?.fault).toBeUndefined();
  });

  it('decides nothing that is decided in Toolyard: a tool an editor need not ask about is asked about here', async () => {
    const all = await room.start({ a: { ...scriptedMcpCommand('plain'), alwaysAllow: ['echo'] } });
    await waitForState(all, 'a', 'ready');
    expect((await findView(all, 'a'))?.tools).toMatchObject([{ permission: null }]);
    expect(room.logged).toEqual([
      expect.stringMatching(/line 3: server "a" names tools that may run without asking; Toolyard asks/),
    ]);
  });

  it('starts the server also where it cannot be read at all', async () => {
    const all = await room.start('this is no JSON');
    expect((await all.list(me)).fileFault).toMatchObject({ code: 'bad_config', message: /mcp\.json, line 1/ });
    await waitForState(all, 'built-in', 'ready');
  });

  it('has the last word where it says something new of what was switched by hand', async () => {
    const all = await room.start({ a: scriptedMcpCommand('plain') });
    await all.change(me, 'a', { enabled: false, tools: { echo: false } });
    // Nothing is said of switches.
    replaceFile(JSON.stringify({ mcpServers: { a: { ...scriptedMcpCommand('plain'), callTimeoutMs: 7_000 } } }));
    await eventually(async () => (await all.configuration(me, 'a')).callTimeoutMs === 7_000);
    expect(await findView(all, 'a')).toMatchObject({ enabled: false });
    replaceFile(
      JSON.stringify({ mcpServers: { a: { ...scriptedMcpCommand('plain'), disabled: true, callTimeoutMs: 8_000 } } }),
    );
    await eventually(async () => (await all.configuration(me, 'a')).callTimeoutMs === 8_000);
    replaceFile(JSON.stringify({ mcpServers: { a: { ...scriptedMcpCommand('plain'), disabledTools: ['other'] } } }));
    await waitForState(all, 'a', 'ready');
    expect((await findView(all, 'a'))?.tools).toMatchObject([{ tool: { name: 'echo' }, enabled: true }]);
  });
});

describe('a server that is added, changed and taken out', () => {
  it('is written to mcp.json, connected, connected anew, and gone', { tags: ['C7.13'] }, async () => {
    const all = await room.start('{\n  // mine\n  "mcpServers": {}\n}\n');
    expect(await all.add(me, { id: 'a', transport: stdio('plain') })).toMatchObject({
      id: 'a',
      editable: true,
      origin: 'file',
    });
    await waitForState(all, 'a', 'ready');
    expect(readFileSync(room.path, 'utf8')).toMatch(/\/\/ mine[^]*"a": \{\n {6}"command"/);
    const limits = { callTimeoutMs: 9_000, processes: 'one' as const, maxConcurrentCalls: 2 };
    await all.edit(me, 'a', { transport: stdio({ tools: [{ name: 'other' }] }), ...limits });
    await eventually(async () => (await findView(all, 'a'))?.tools[0]?.tool.name === 'other');
    expect(await all.configuration(me, 'a')).toMatchObject({
      enabled: true,
      ...limits,
      connectTimeoutMs: null,
    });
    await all.remove(me, 'a');
    expect(await findView(all, 'a')).toBeUndefined();
    expect(readFileSync(room.path, 'utf8')).toBe('{\n  // mine\n  "mcpServers": {\n  }\n}\n');
    await expect(all.remove(me, 'a')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leaves the others alone', async () => {
    const all = await room.start({ other: commandWithPid() });
    const pid = await pidOf(all, 'other');
    await all.add(me, { id: 'a', transport: stdio('plain'), enabled: false });
    await all.edit(me, 'a', { transport: stdio('stubborn'), enabled: true });
    await all.remove(me, 'a');
    expect(await pidOf(all, 'other')).toBe(pid);
    expect(isAlive(pid)).toBe(true);
  });

  it('is refused where its name is taken, or it could not be read again', async () => {
    const all = await room.start({ a: scriptedMcpCommand('plain') });
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
    const all = await room.start({ a: scriptedMcpCommand('never-answers') });
    const configuration = resolveAgentConfig([{}], null);
    const selection = await all.select(configuration, NEVER_ABORTED);
    const call = selection.callTool({ serverId: 'a', name: 'hang' }, {});
    await waitForRequest(all, 'a', 'tools/call');
    await all.remove(me, 'a');
    expect(await call).toMatchObject({ isError: true, outcome: 'unknown', error: { message: /"a" is closed/ } });
    expect(await selection.callTool({ serverId: 'a', name: 'echo' }, {})).toMatchObject({ outcome: 'not_sent' });
    const next = await all.select(configuration, NEVER_ABORTED);
    expect(next.tools().map(({ tool }) => tool.serverId)).toEqual(['built-in']);
  });
});

describe('tools that are switched off', () => {
  const two = { tools: [{ name: 'read' }, { name: 'write' }] };

  it('are offered to no run, by the file or by hand, and cost nothing', async () => {
    const all = await room.start({ a: { ...scriptedMcpCommand(two), disabledTools: ['write'] } });
    await waitForState(all, 'a', 'ready');
    const configuration = resolveAgentConfig([{ servers: { 'built-in': false } }], null);
    const offered = async () => (await all.select(configuration, NEVER_ABORTED)).tools().map(({ name }) => name);
    expect(await offered()).toEqual(['read']);
    const before = await all.select(configuration, NEVER_ABORTED);
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
    const all = await room.start({ a: { ...scriptedMcpCommand(two), enabledTools: ['write'] } });
    await waitForState(all, 'a', 'ready');
    expect((await findView(all, 'a'))?.tools).toMatchObject([{ enabled: false }, { enabled: true }]);
  });
});

describe('attack 4: MCP servers changed by somebody who does not run this server', () => {
  it('is refused, whatever it is', async () => {
    const all = await room.start({ a: scriptedMcpCommand('plain') });
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
