import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Need } from '@toolyard/testing';
import { eventually, needs, UNIX } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeOrWarn } from './secrets/private-file.ts';
import type { RunningServer } from './start-server.ts';
import { startServer } from './start-server.ts';

/** A folder in which no user, not even root, can change the mode of files. */
const FIXED = '/proc/self/status';
const PROC: Need = { name: 'unix', missing: existsSync(FIXED) ? null : 'only Linux has files whose mode is fixed' };

/** The key file is not listed: its mode is corrected when it is read, see secrets.test.ts. */
const CREATED = ['access-token', 'server.json', 'toolyard.db', 'toolyard.db-wal', 'toolyard.db-shm'];
const WRITTEN_BY_HAND = ['mcp.json', 'config.json'];

let folder: string;
let logged: string[];
let server: RunningServer | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-private-'));
  logged = [];
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true });
});

async function start(): Promise<void> {
  server = await startServer({
    dataDir: folder,
    host: '127.0.0.1',
    port: 0,
    allowHosts: [],
    ui: false,
    uiSettings: {},
    uiMcpProxy: false,
    proxyAllow: [],
    builtInServers: [],
    flagServers: [],
    env: {},
    log: (line) => logged.push(line),
  });
}

const isPrivate = (name: string): boolean => (statSync(join(folder, name)).mode & 0o077) === 0;

describe('files with secrets', needs(UNIX), () => {
  test('are made private when the server starts, whatever their mode', async () => {
    for (const name of WRITTEN_BY_HAND) writeFileSync(join(folder, name), '{}', { mode: 0o644 });
    await start();
    const names = [...WRITTEN_BY_HAND, ...CREATED].filter((name) => existsSync(join(folder, name)));
    expect(names).toEqual([...WRITTEN_BY_HAND, ...CREATED]);
    expect(names.filter((name) => !isPrivate(name))).toEqual([]);
    await server?.close();
    const remaining = names.filter((name) => existsSync(join(folder, name)));
    // A killed server leaves its address file behind.
    writeFileSync(join(folder, 'server.json'), '{}');
    for (const name of [...remaining, 'server.json']) chmodSync(join(folder, name), 0o666);
    await start();
    expect(names.filter((name) => !isPrivate(name))).toEqual([]);
  });

  test('are made private again when an editor replaces mcp.json with a readable file', async () => {
    await start();
    const path = join(folder, 'mcp.json');
    writeFileSync(`${path}~`, '{"mcpServers": {}}', { mode: 0o644 });
    renameSync(`${path}~`, path);
    await eventually(() => isPrivate('mcp.json'), { what: 'mcp.json is private' });
  });

  test('are used with a warning if their mode cannot be changed', needs(PROC), () => {
    closeOrWarn(FIXED, (line) => logged.push(line));
    expect(logged).toEqual([expect.stringMatching(/status: may contain secrets.*cannot be set to 600 \(EPERM\)/)]);
    closeOrWarn(join(folder, 'absent'), (line) => logged.push(line));
    expect(logged).toHaveLength(1);
  });
});
