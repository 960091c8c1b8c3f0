import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createMemoryAuthStore } from '@toolyard/mcp-host';
import type { McpTransport } from '@toolyard/protocol';
import { StorageError } from '@toolyard/storage';
import { scriptedMcpCommand, startScriptedMcp } from '@toolyard/testing';
import { describe, expect, it, vi } from 'vitest';
import {
  commandWithPid,
  OWNER as me,
  waitForPid,
  commandServer,
  stdio,
  useServerBench,
} from './test-fixtures/server-setup.ts';

const room = useServerBench({ builtIn: [commandServer('built-in', 'plain')] });

describe('the configuration of a server for editing', () => {
  const AUTHORIZATION = { Authorization: 'Bearer sk-header-1234', 'X-Ref': 'Bearer ${env:KEY}', 'X-Id': '${env:KEY}' };

  it('contains no secrets, and keeps those that are sent back', async () => {
    const url = 'https://a.example/mcp';
    const all = await room.start(
      {
        web: { url, headers: AUTHORIZATION, disabled: true },
        local: { ...scriptedMcpCommand('plain'), env: { KEY: 'sk-env-1234' } },
      },
      { env: { KEY: 'k' } },
    );
    const web = await all.editable.configuration(me, 'web');
    expect(web).toMatchObject({
      enabled: false,
      transport: {
        type: 'http',
        url,
        headers: { Authorization: { secret: true }, 'X-Ref': 'Bearer ${env:KEY}', 'X-Id': '${env:KEY}' },
      },
    });
    const local = await all.editable.configuration(me, 'local');
    expect(local.transport).toMatchObject({ env: { KEY: { secret: true } } });
    expect(JSON.stringify([web, local])).not.toContain('sk-');
    if (web.transport === null) throw new Error('it can be read');
    const headers = { Authorization: { secret: true as const }, 'X-New': 'new' };
    await all.editable.edit(me, 'web', { transport: { type: 'http', url: 'https://a.example/other', headers } });
    const written = JSON.parse(readFileSync(room.path, 'utf8')) as { mcpServers: Record<string, object> };
    expect(written.mcpServers['web']).toEqual({
      url: 'https://a.example/other',
      headers: { Authorization: 'Bearer sk-header-1234', 'X-New': 'new' },
      disabled: true,
    });
  });

  it('does not send a stored secret to another origin', async () => {
    await using thief = await startScriptedMcp('plain');
    const all = await room.start({ web: { url: 'https://a.example/mcp', headers: AUTHORIZATION, disabled: true } });
    const transport: McpTransport = { type: 'http', url: thief.url, headers: { Authorization: { secret: true } } };
    await expect(
      all.ask('POST /api/mcp/test', me, { params: {}, body: { id: 'web', transport } }),
    ).rejects.toMatchObject({
      code: 'bad_request',
      message: /Authorization/,
    });
    await expect(all.editable.edit(me, 'web', { transport })).rejects.toMatchObject({ code: 'bad_request' });
    expect(thief.requests).toEqual([]);
  });

  it('reports the fault of an invalid entry, with its readable fields', async () => {
    const all = await room.start({ a: { command: '${env:NOPE}' }, b: { command: 1 } });
    expect(await all.editable.configuration(me, 'a')).toMatchObject({
      transport: { type: 'stdio', command: '${env:NOPE}' },
      fault: { message: /NOPE is not set/ },
    });
    expect(await all.editable.configuration(me, 'b')).toMatchObject({
      transport: null,
      fault: { message: /must be a string/ },
    });
  });
});

describe('removing a server', () => {
  it('fails while its sign-in cannot be deleted', async () => {
    const signIns = createMemoryAuthStore();
    const all = await room.start({ web: { url: 'https://a.example/mcp', disabled: true } }, { signIns, builtIn: [] });
    const away = new StorageError('unreachable', { message: 'The database cannot be reached.' });
    vi.spyOn(signIns, 'get').mockRejectedValueOnce(away);
    await expect(all.editable.remove(me, 'web')).rejects.toBe(away);
    expect((await all.editable.list(me)).items.map(({ id }) => id)).toEqual(['web']);
    await all.editable.remove(me, 'web');
    expect((await all.editable.list(me)).items).toEqual([]);
  });
});

describe('testing a server', () => {
  it('connects a second time and stores nothing', async () => {
    const all = await room.start({ a: commandWithPid() });
    const pid = await waitForPid(all, 'a');
    expect(await all.ask('POST /api/mcp/test', me, { params: {}, body: { id: 'a' } })).toMatchObject({
      ok: true,
      offers: { tools: 1 },
      era: 'legacy',
    });
    expect(await waitForPid(all, 'a')).toBe(pid);
    const before = readFileSync(room.path, 'utf8');
    expect(
      await all.ask('POST /api/mcp/test', me, { params: {}, body: { transport: stdio('exit-at-start') } }),
    ).toMatchObject({
      ok: false,
      error: { code: 'server_exited' },
    });
    expect(readFileSync(room.path, 'utf8')).toBe(before);
    expect((await all.editable.list(me)).items.map(({ id }) => id)).toEqual(['built-in', 'a']);
    await expect(all.ask('POST /api/mcp/test', me, { params: {}, body: {} })).rejects.toMatchObject({
      code: 'bad_request',
    });
    await expect(all.ask('POST /api/mcp/test', me, { params: {}, body: { id: 'none' } })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(
      all.ask('POST /api/mcp/test', me, { params: {}, body: { transport: { type: 'stdio', command: '${env:NOPE}' } } }),
    ).rejects.toMatchObject({
      code: 'bad_request',
      message: /NOPE is not set/,
    });
  });

  it('advertises the same capabilities as a normal connection', async () => {
    const args = [
      createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
      'stdio',
    ];
    const all = await room.start({});
    const { tools, offers } = await all.ask('POST /api/mcp/test', me, {
      params: {},
      body: {
        transport: { type: 'stdio', command: 'node', args, sandbox: false },
      },
    });
    expect(offers.tools).toBe(tools.length);
    const names = tools.map(({ name }) => name);
    for (const asking of ['trigger-elicitation-request', 'trigger-sampling-request']) expect(names).toContain(asking);
  });
});
