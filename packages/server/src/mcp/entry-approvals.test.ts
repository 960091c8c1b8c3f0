import { createServer } from 'node:http';
import { existsSync, mkdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { McpServerView } from '@toolyard/protocol';
import { eventually, listenOnLoopback, scriptedMcpCommand } from '@toolyard/testing';
import { describe, expect, it } from 'vitest';
import type { ConnectedServers } from './servers.ts';
import { findView, OWNER, stdio, useServerBench, getView, waitForState } from './test-fixtures/server-setup.ts';

const room = useServerBench({ approvals: 'stored' });

type Entries = Record<string, Record<string, unknown>>;

const KNOWN: Entries = { known: scriptedMcpCommand('plain') };
const write = (entries: Entries): void => writeFileSync(room.path, JSON.stringify({ mcpServers: entries }));
const written = (): Entries => (JSON.parse(readFileSync(room.path, 'utf8')) as { mcpServers: Entries }).mcpServers;
const start = (entries: Entries): Promise<ConnectedServers> => room.start(entries);
const whenWaiting = (servers: ConnectedServers, id: string): Promise<McpServerView> =>
  eventually(
    async () => {
      const view = await findView(servers, id);
      return view?.approval === undefined ? undefined : view;
    },
    { what: `${id} needing approval` },
  );

/** A server that writes a file where it was started. */
function leaving(name: string): { entry: Record<string, unknown>; hasRun: () => boolean } {
  const file = join(room.folder, name);
  const script = `require('fs').writeFileSync(${JSON.stringify(file)}, '')`;
  return { entry: { command: process.execPath, args: ['-e', script] }, hasRun: () => existsSync(file) };
}

describe('a local server written to mcp.json outside Toolyard', () => {
  it('is not started, not even for a test, until its exact text is approved; the approval is permanent', async () => {
    const servers = await start(KNOWN);
    await waitForState(servers, 'known', 'ready');
    const { entry, hasRun } = leaving('ran');
    write({ ...KNOWN, planted: entry });
    const view = await whenWaiting(servers, 'planted');
    expect(view).toMatchObject({
      state: 'failed',
      approval: { isNew: true },
      error: { message: expect.stringMatching(/"planted" was added outside Toolyard/) as string },
    });
    await expect(
      servers.ask('POST /api/mcp/test', OWNER, { params: {}, body: { id: 'planted' } }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      servers.ask('POST /api/mcp/servers/{id}/reconnect', OWNER, { params: { id: 'planted' } }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(servers.editable.edit(OWNER, 'planted', { transport: stdio('plain') })).rejects.toMatchObject({
      code: 'conflict',
    });
    await servers.editable.change(OWNER, 'planted', { enabled: true });
    // The other server is not affected.
    expect((await getView(servers, 'known')).state).toBe('ready');

    const shown = await servers.editable.approval(OWNER, 'planted');
    expect(JSON.parse(shown.text)).toEqual({ ...entry, sandbox: false });
    await expect(servers.editable.approveEntry(OWNER, 'planted', { hash: 'another' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(hasRun()).toBe(false);
    await servers.editable.approveEntry(OWNER, 'planted', { hash: shown.hash });
    await eventually(hasRun, { what: 'the approved server' });
    await expect(servers.editable.approval(OWNER, 'planted')).rejects.toMatchObject({ code: 'conflict' });

    const again = await start({ ...KNOWN, planted: entry });
    expect((await getView(again, 'planted')).approval).toBeUndefined();
  });

  it('needs approval again when what it starts changes, and not otherwise', async () => {
    const envFile = join(room.folder, 'extra.env');
    writeFileSync(envFile, 'MODE=quiet\n');
    const entry = { ...scriptedMcpCommand('plain'), env: { KEY: 'k' }, envFile, disabled: true };
    const servers = await start({ a: entry });
    const [, ...args] = entry.args;
    const changes: Record<string, unknown>[] = [
      { command: '/bin/sh' },
      { args },
      { env: { KEY: 'k', NODE_OPTIONS: '--require /tmp/x.js' } },
      { cwd: '/tmp' },
      { envFile: undefined },
      { sandbox: { write: ['/'] } },
      { trusted: true },
    ];
    for (const change of changes) {
      const changed = await start({ a: { ...entry, ...change } });
      expect([change, (await getView(changed, 'a')).approval]).toMatchObject([change, { isNew: false }]);
    }
    for (const change of [{}, { disabledTools: ['x'] }, { callTimeoutMs: 5 }, { type: 'stdio' }]) {
      const same = await start({ a: { ...entry, ...change } });
      expect([change, (await getView(same, 'a')).approval]).toEqual([change, undefined]);
    }
    await servers.close();
    writeFileSync(envFile, 'MODE=quiet\nLD_PRELOAD=/tmp/x.so\n');
    const loaded = await start({ a: entry });
    expect((await loaded.editable.approval(OWNER, 'a')).text).toContain('"LD_PRELOAD": "/tmp/x.so"');
  });

  it('needs approval again when a folder it may use leads elsewhere', async () => {
    for (const name of ['notes', 'other']) mkdirSync(join(room.folder, name));
    const notes = join(room.folder, 'notes');
    const entry = { command: 'true', sandbox: { read: [notes] }, disabled: true };
    await start({ a: entry });
    expect((await getView(await start({ a: entry }), 'a')).approval).toBeUndefined();
    rmdirSync(notes);
    expect((await getView(await start({ a: entry }), 'a')).approval).toBeUndefined();
    symlinkSync(join(room.folder, 'other'), notes);
    const redirected = await start({ a: entry });
    const { text, hash } = await redirected.editable.approval(OWNER, 'a');
    expect(text).toContain(
      JSON.stringify({ [notes]: join(room.folder, 'other') }, null, 4)
        .slice(2, -2)
        .trim(),
    );
    await redirected.editable.approveEntry(OWNER, 'a', { hash });
    expect((await getView(await start({ a: entry }), 'a')).approval).toBeUndefined();
  });

  it('is shown with its environment, and with hidden characters made visible', async () => {
    await start(KNOWN);
    const hiding = { command: 'run', args: ['a\u202eb', 'line\nbreak'], env: { KEY: 'of-env' } };
    const servers = await start({ hiding });
    const { text, line } = await servers.editable.approval(OWNER, 'hiding');
    expect(text).toContain(String.raw`"a⟨U+202E⟩b"`);
    expect(text).toContain(String.raw`"line\nbreak"`);
    expect(text).toContain('"KEY": "of-env"');
    expect(line).toBe(3);
    // The list, which more users may read, does not contain it.
    expect(JSON.stringify(await servers.editable.list(OWNER))).not.toContain('of-env');
  });

  it('needs approval even if the same name was removed here before', async () => {
    const servers = await start(KNOWN);
    await servers.editable.remove(OWNER, 'known');
    write(KNOWN);
    expect((await whenWaiting(servers, 'known')).approval).toMatchObject({ isNew: true });
  });
});

describe('an entry is approved', () => {
  it('when it is added or changed here, also after a restart', async () => {
    const servers = await start(KNOWN);
    await servers.editable.add(OWNER, { id: 'mine', transport: stdio('plain') });
    await waitForState(servers, 'mine', 'ready');
    const env = { MODE: 'other' };
    await servers.editable.edit(OWNER, 'mine', { transport: { ...stdio('plain'), env } as never });
    expect((await getView(servers, 'mine')).approval).toBeUndefined();
    const again = await start(written());
    expect((await again.editable.list(OWNER)).items.map(({ approval }) => approval)).toEqual([undefined, undefined]);
  });

  it('only as before if the file cannot be written', async () => {
    const servers = await start(KNOWN);
    writeFileSync(room.path, '{ "mcpServers": ');
    await expect(
      servers.editable.edit(OWNER, 'known', { transport: { type: 'stdio', command: 'other' } }),
    ).rejects.toMatchObject({ code: 'conflict' });
    const again = await start(KNOWN);
    expect((await getView(again, 'known')).approval).toBeUndefined();
  });

  it('at the upgrade if it is in the file, once that can be read', async () => {
    const broken = await room.start('{ "mcpServers": ');
    expect((await broken.editable.list(OWNER)).items).toEqual([]);
    const servers = await start(KNOWN);
    expect((await getView(servers, 'known')).approval).toBeUndefined();
    const later = await start({ ...KNOWN, later: scriptedMcpCommand('plain') });
    expect((await getView(later, 'later')).approval).toMatchObject({ isNew: true });
  });
});

/** A listener that counts what arrives, and answers nothing useful. */
async function listener(): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${JSON.stringify(request.headers)}`);
    response.writeHead(404).end();
  });
  server.on('upgrade', (request, socket) => {
    requests.push(`${request.url} ${JSON.stringify(request.headers)}`);
    socket.destroy();
  });
  const listening = await listenOnLoopback(server);
  room.open.push(listening);
  return { url: `127.0.0.1:${listening.port}`, requests };
}

/** Entries that start nothing on this machine, but contact a host with a variable of Toolyard. */
const REMOTE: [string, (host: string) => Record<string, unknown>][] = [
  ['http', (host) => ({ url: `http://${host}/a`, headers: { 'x-leak': '${env:CANARY}' } })],
  ['http with the variable in its URL', (host) => ({ url: `http://${host}/\${env:CANARY}` })],
  ['sse', (host) => ({ type: 'sse', url: `http://${host}/b`, headers: { 'x-leak': 'k ${env:CANARY}' } })],
  ['websocket', (host) => ({ url: `ws://${host}/c`, headers: { 'x-leak': '${env:CANARY}' } })],
  ['plugin', (host) => ({ type: 'plugin', url: `http://${host}/d?\${env:CANARY}` })],
  [
    'hosted',
    (host) => ({ hosted: { service: 'klavis', server: 'x', apiKey: '${env:CANARY}', url: `http://${host}` } }),
  ],
];

describe('an entry that contacts a host', () => {
  const env = { CANARY: 'canary-value' };

  it.each(REMOTE)('is not contacted before its approval, and says what it would do: %s', async (_kind, entryOf) => {
    const { url, requests } = await listener();
    await room.start(KNOWN, { env });
    const servers = await room.start({ ...KNOWN, web: entryOf(url) }, { env });
    expect(await getView(servers, 'web')).toMatchObject({ state: 'failed', approval: { isNew: true } });
    await expect(servers.ask('POST /api/mcp/test', OWNER, { params: {}, body: { id: 'web' } })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(
      servers.ask('POST /api/mcp/servers/{id}/reconnect', OWNER, { params: { id: 'web' } }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await waitForState(servers, 'known', 'ready');
    expect(requests).toEqual([]);
    const shown = await servers.editable.approval(OWNER, 'web');
    expect(shown).toMatchObject({ contacts: [expect.stringContaining(url)], variables: ['CANARY'] });
    expect(JSON.stringify(shown)).not.toContain('canary-value');
    await servers.editable.approveEntry(OWNER, 'web', { hash: shown.hash });
    await eventually(() => requests.some((each) => each.includes('canary-value')), { what: 'the approved request' });
  });

  it('needs approval again when anything that decides what is sent where changes, and not otherwise', async () => {
    const entry = {
      url: 'http://127.0.0.1:1/a',
      headers: { 'x-key': 'literal' },
      oauth: { scope: 'a' },
      disabled: true,
    };
    await start({ web: entry });
    for (const change of [
      { url: 'http://127.0.0.1:2/a' },
      { url: 'http://127.0.0.1:1/${env:CANARY}' },
      { type: 'sse' },
      { headers: { 'x-key': 'another' } },
      { headers: { 'x-key': 'literal', 'x-more': '${env:CANARY}' } },
      { headers: undefined },
      { oauth: { scope: 'a', clientSecret: '${env:CANARY}' } },
      { oauth: undefined, auth: { issuer: 'https://a.example' } },
      { trusted: true },
      { command: 'sh', url: undefined, type: undefined },
    ]) {
      const changed = await room.start({ web: { ...entry, ...change } }, { env });
      expect([change, (await getView(changed, 'web')).approval]).toMatchObject([change, { isNew: false }]);
      expect((await changed.editable.approval(OWNER, 'web')).text).not.toMatch(/literal|another/);
    }
    for (const change of [{}, { disabledTools: ['x'] }, { callTimeoutMs: 5 }, { type: 'http' }]) {
      const same = await start({ web: { ...entry, ...change } });
      expect([change, (await getView(same, 'web')).approval]).toEqual([change, undefined]);
    }
  });

  it('is approved by adding or changing it here, with the sign-in settings it keeps', async () => {
    const { url } = await listener();
    const entry = { url: `http://${url}/a`, oauth: { scope: 'a' }, disabled: true };
    const servers = await start({ web: entry });
    await servers.editable.add(OWNER, {
      id: 'mine',
      enabled: false,
      transport: { type: 'http', url: `http://${url}/b` },
    });
    await servers.editable.edit(OWNER, 'web', { transport: { type: 'http', url: `http://${url}/c` } });
    const again = await start(written());
    expect((await again.editable.list(OWNER)).items.map(({ approval }) => approval)).toEqual([undefined, undefined]);
  });
});
