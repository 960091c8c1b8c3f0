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
  waitForPid,
  commandServer,
  stdio,
  useServerBench,
  waitForState,
  waitForRequest,
} from './test-fixtures/server-setup.ts';

const room = useServerBench({ builtIn: [commandServer('built-in', 'plain')] });

/** Replaces the file by another one, as editors do. */
function replaceFile(text: string): void {
  writeFileSync(`${room.path}.new`, text);
  renameSync(`${room.path}.new`, room.path);
}

describe('mcp.json, changed while the server runs', () => {
  it('affects only the servers that changed', async () => {
    const all = await room.start({
      stays: commandWithPid(),
      goes: commandWithPid(),
      becomes: scriptedMcpCommand('plain'),
    });
    const [stays, goes] = [await waitForPid(all, 'stays'), await waitForPid(all, 'goes')];
    const becomes = scriptedMcpCommand({ tools: [{ name: 'other' }] });
    replaceFile(
      JSON.stringify({ mcpServers: { stays: commandWithPid(), becomes, comes: scriptedMcpCommand('plain') } }),
    );
    await waitForState(all, 'comes', 'ready');
    await eventually(async () => (await findView(all, 'becomes'))?.tools[0]?.tool.name === 'other');
    expect(await findView(all, 'goes')).toBeUndefined();
    await eventually(() => !isAlive(goes));
    expect(await waitForPid(all, 'stays')).toBe(stays);
    expect(isAlive(stays)).toBe(true);
    // Notifications are delayed while changes are collected.
    await eventually(() =>
      expect(new Set(room.changed)).toEqual(new Set(['built-in', 'stays', 'goes', 'becomes', 'comes'])),
    );
  });

  it('takes effect after the database is reachable again', async () => {
    const all = await room.start({ a: { ...scriptedMcpCommand('plain'), disabled: true } });
    await all.editable.change(me, 'a', { enabled: true });
    await all.editable.change(me, 'a', { enabled: false });
    const away = vi.spyOn(room.storage.settings, 'set').mockImplementation(() => {
      throw new StorageError('unreachable', { message: 'The database cannot be reached.' });
    });
    // The change has to be stored before it takes effect.
    replaceFile(JSON.stringify({ mcpServers: { a: scriptedMcpCommand('plain'), b: scriptedMcpCommand('plain') } }));
    await eventually(() => away.mock.results.some(({ type }) => type === 'throw'));
    away.mockRestore();
    await waitForState(all, 'b', 'ready');
    await waitForState(all, 'a', 'ready');
    expect(await room.storage.settings.get(me, 'mcp.enabled')).toEqual({});
  });

  it('is not retried by a process that shuts down while the database is unreachable', async () => {
    const all = await room.start({ a: { ...scriptedMcpCommand('plain'), disabled: true } });
    await all.editable.change(me, 'a', { enabled: false });
    const away = vi.spyOn(room.storage.settings, 'set').mockImplementation(() => {
      throw new StorageError('unreachable', { message: 'The database cannot be reached.' });
    });
    replaceFile(JSON.stringify({ mcpServers: { a: scriptedMcpCommand('plain') } }));
    await eventually(() => room.logged.some((line) => line.startsWith('mcp.json: could not be applied')));
    const tried = away.mock.calls.length;
    await all.close();
    expect(away).toHaveBeenCalledTimes(tried);
  });

  it('changes nothing while it is invalid, and reports that until it is corrected', async () => {
    const all = await room.start({ a: commandWithPid() });
    const pid = await waitForPid(all, 'a');
    writeFileSync(room.path, '{"mcpServers": {"a": ');
    const fault = await eventually(async () => (await all.editable.list(me)).fileFault);
    expect(fault.message).toMatch(/^mcp\.json, line 1, column \d+: .* The previous version stays in use\.$/);
    expect(isAlive(pid)).toBe(true);
    await expect(all.editable.add(me, { id: 'b', transport: stdio('plain') })).rejects.toMatchObject({
      code: 'conflict',
    });
    replaceFile(JSON.stringify({ mcpServers: { a: commandWithPid() } }));
    await eventually(async () => (await all.editable.list(me)).fileFault === undefined);
    expect(await waitForPid(all, 'a')).toBe(pid);
    await eventually(() => expect(room.changed).toContain(undefined));
  });

  it('changes nothing while it is missing or empty for a moment', async () => {
    const text = JSON.stringify({ mcpServers: { a: commandWithPid() } });
    const clock = createSteadyClock();
    const all = await room.start(text, { clock });
    const pid = await waitForPid(all, 'a');
    rmSync(room.path);
    await clock.passes(400);
    writeFileSync(room.path, '');
    await clock.passes(400);
    writeFileSync(room.path, text);
    await clock.passes(1_600);
    expect(await waitForPid(all, 'a')).toBe(pid);
    rmSync(room.path);
    await waitForState(all, 'a', undefined);
    await eventually(() => !isAlive(pid));
  });

  it('reports an invalid entry with its line until it is corrected', async () => {
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
    await expect(all.lists.tools(me, 'bad')).rejects.toMatchObject({ code: 'conflict', message: /line 2/ });
    await expect(all.ask('POST /api/mcp/servers/{id}/reconnect', me, { params: { id: 'bad' } })).rejects.toMatchObject({
      code: 'conflict',
    });
    await all.editable.edit(me, 'bad', { transport: stdio('plain') });
    await waitForState(all, 'bad', 'ready');
    expect((await findView(all, 'bad'))?.fault).toBeUndefined();
  });

  it('does not override permissions: a tool that an editor may call freely needs approval here', async () => {
    const all = await room.start({ a: { ...scriptedMcpCommand('plain'), alwaysAllow: ['echo'] } });
    await waitForState(all, 'a', 'ready');
    expect((await findView(all, 'a'))?.tools).toMatchObject([{ permission: null }]);
    expect(room.logged).toEqual([
      expect.stringMatching(/line 3: server "a" lists tools that run without approval; Toolyard ignores/),
    ]);
  });

  it('does not prevent the start if it cannot be read', async () => {
    const all = await room.start('not JSON');
    expect((await all.editable.list(me)).fileFault).toMatchObject({ code: 'bad_config', message: /mcp\.json, line 1/ });
    await waitForState(all, 'built-in', 'ready');
  });

  it('overrides what users enabled or disabled only for settings that changed in the file', async () => {
    const all = await room.start({ a: scriptedMcpCommand('plain') });
    await all.editable.change(me, 'a', { enabled: false, tools: { echo: false } });
    // Contains no enabled or disabled tools.
    replaceFile(JSON.stringify({ mcpServers: { a: { ...scriptedMcpCommand('plain'), callTimeoutMs: 7_000 } } }));
    await eventually(async () => (await all.editable.configuration(me, 'a')).callTimeoutMs === 7_000);
    expect(await findView(all, 'a')).toMatchObject({ enabled: false });
    replaceFile(
      JSON.stringify({ mcpServers: { a: { ...scriptedMcpCommand('plain'), disabled: true, callTimeoutMs: 8_000 } } }),
    );
    await eventually(async () => (await all.editable.configuration(me, 'a')).callTimeoutMs === 8_000);
    replaceFile(JSON.stringify({ mcpServers: { a: { ...scriptedMcpCommand('plain'), disabledTools: ['other'] } } }));
    await waitForState(all, 'a', 'ready');
    expect((await findView(all, 'a'))?.tools).toMatchObject([{ tool: { name: 'echo' }, enabled: true }]);
  });
});

describe('a server that is added, changed and removed', () => {
  it('is written to mcp.json, connected, reconnected, and disconnected', async () => {
    const all = await room.start('{\n  // mine\n  "mcpServers": {}\n}\n');
    expect(await all.editable.add(me, { id: 'a', transport: stdio('plain') })).toMatchObject({
      id: 'a',
      editable: true,
      origin: 'file',
    });
    await waitForState(all, 'a', 'ready');
    expect(readFileSync(room.path, 'utf8')).toMatch(/\/\/ mine[^]*"a": \{\n {6}"command"/);
    const limits = { callTimeoutMs: 9_000, processes: 'one' as const, maxConcurrentCalls: 2 };
    await all.editable.edit(me, 'a', { transport: stdio({ tools: [{ name: 'other' }] }), ...limits });
    await eventually(async () => (await findView(all, 'a'))?.tools[0]?.tool.name === 'other');
    expect(await all.editable.configuration(me, 'a')).toMatchObject({
      enabled: true,
      ...limits,
      connectTimeoutMs: null,
    });
    await all.editable.remove(me, 'a');
    expect(await findView(all, 'a')).toBeUndefined();
    expect(readFileSync(room.path, 'utf8')).toBe('{\n  // mine\n  "mcpServers": {\n  }\n}\n');
    await expect(all.editable.remove(me, 'a')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('does not affect other servers', async () => {
    const all = await room.start({ other: commandWithPid() });
    const pid = await waitForPid(all, 'other');
    await all.editable.add(me, { id: 'a', transport: stdio('plain'), enabled: false });
    await all.editable.edit(me, 'a', { transport: stdio('stubborn'), enabled: true });
    await all.editable.remove(me, 'a');
    expect(await waitForPid(all, 'other')).toBe(pid);
    expect(isAlive(pid)).toBe(true);
  });

  it('is rejected if the name is taken or the entry is invalid', async () => {
    const all = await room.start({ a: scriptedMcpCommand('plain') });
    for (const id of ['a', 'built-in']) {
      await expect(all.editable.add(me, { id, transport: stdio('plain') })).rejects.toMatchObject({ code: 'conflict' });
    }
    await expect(all.editable.add(me, { id: 'b', transport: { type: 'http', url: 'ftp://x' } })).rejects.toMatchObject({
      code: 'bad_request',
      message: /not an http or ws address/,
    });
    await expect(all.editable.edit(me, 'built-in', { transport: stdio('plain') })).rejects.toMatchObject({
      code: 'conflict',
      message: /comes with Toolyard/,
    });
    await expect(all.editable.remove(me, 'built-in')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('answers a run in progress, and is not offered to the next one', async () => {
    const all = await room.start({ a: scriptedMcpCommand('never-answers') });
    const configuration = resolveAgentConfig([{}], null);
    const selection = await all.select(configuration, NEVER_ABORTED);
    const call = selection.callTool({ serverId: 'a', name: 'hang' }, {});
    await waitForRequest(all, 'a', 'tools/call');
    await all.editable.remove(me, 'a');
    expect(await call).toMatchObject({ isError: true, outcome: 'unknown', error: { message: /"a" is closed/ } });
    expect(await selection.callTool({ serverId: 'a', name: 'echo' }, {})).toMatchObject({ outcome: 'not_sent' });
    const next = await all.select(configuration, NEVER_ABORTED);
    expect(next.tools().map(({ tool }) => tool.serverId)).toEqual(['built-in']);
  });
});

describe('disabled tools', () => {
  const two = { tools: [{ name: 'read' }, { name: 'write' }] };

  it('are offered to no run, whether disabled in the file or by a user, and use no tokens', async () => {
    const all = await room.start({ a: { ...scriptedMcpCommand(two), disabledTools: ['write'] } });
    await waitForState(all, 'a', 'ready');
    const configuration = resolveAgentConfig([{ servers: { 'built-in': false } }], null);
    const offeredTools = async () => (await all.select(configuration, NEVER_ABORTED)).tools().map(({ name }) => name);
    expect(await offeredTools()).toEqual(['read']);
    const before = await all.select(configuration, NEVER_ABORTED);
    const view = await all.editable.change(me, 'a', { tools: { read: false, write: true } });
    expect(view.tools.map(({ enabled }) => enabled)).toEqual([false, true]);
    expect(view.tokens).toBe(view.tools[1]?.tokens);
    expect(await offeredTools()).toEqual(['write']);
    // A run in progress may not call a tool that was disabled.
    expect(await before.callTool({ serverId: 'a', name: 'read' }, {})).toMatchObject({ outcome: 'not_sent' });
    expect((await all.editable.configuration(me, 'a')).disabledTools).toEqual(['read']);
    await all.editable.edit(me, 'a', { transport: stdio(two), disabledTools: ['write'] });
    expect(await offeredTools()).toEqual(['read']);
  });

  it('are all except those listed, if the file lists tools', async () => {
    const all = await room.start({ a: { ...scriptedMcpCommand(two), enabledTools: ['write'] } });
    await waitForState(all, 'a', 'ready');
    expect((await findView(all, 'a'))?.tools).toMatchObject([{ enabled: false }, { enabled: true }]);
  });
});

describe('attack 4: MCP servers changed by someone other than the owner', () => {
  it('is rejected for every change', async () => {
    const all = await room.start({ a: scriptedMcpCommand('plain') });
    const stranger = { ownerId: 'stranger' };
    const transport = stdio('plain');
    for (const attempt of [
      () => all.editable.add(stranger, { id: 'evil', transport }),
      () => all.editable.edit(stranger, 'a', { transport }),
      () => all.editable.remove(stranger, 'a'),
      () => all.editable.configuration(stranger, 'a'),
      () => all.ask('POST /api/mcp/test', stranger, { params: {}, body: { transport } }),
      () => all.ask('GET /api/mcp/servers/{id}/log', stranger, { params: { id: 'a' }, query: {} }),
      () => all.editable.change(stranger, 'a', { tools: { echo: false } }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect((await all.editable.list(me)).items.map(({ id }) => id)).toEqual(['built-in', 'a']);
  });
});
