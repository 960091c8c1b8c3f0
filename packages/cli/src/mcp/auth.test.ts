import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthorizationServer, ScriptedMcp } from '@toolyard/testing';
import { startAuthorizationServer, startScriptedMcp } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { browserCommand } from './sign-in-window.ts';
import type { CommandResult } from '../test-fixtures/run-command.ts';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

let dataDir: string;
let authorization: AuthorizationServer;
let mcp: ScriptedMcp;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'toolyard-auth-'));
  authorization = await startAuthorizationServer({ expiresIn: 3_600 });
  mcp = await startScriptedMcp('plain', { sessions: false, protection: authorization.protect() });
  writeFileSync(join(dataDir, 'mcp.json'), JSON.stringify({ mcpServers: { guarded: { url: mcp.url } } }));
});
afterEach(async () => {
  await mcp.close();
  await authorization.close();
  rmSync(dataDir, { recursive: true });
});

/** Runs `toolyard mcp auth` and opens the URL that it prints. */
const auth = (...flags: string[]) => authTo('guarded', ...flags);

async function authTo(server: string, ...flags: string[]): Promise<CommandResult> {
  let isOpened = false;
  return runCommand(['mcp', 'auth', server, '--no-open', '--data-dir', dataDir, ...flags], {
    onError(stderr) {
      const address = /^http:\S+\/authorize\?\S+$/m.exec(stderr)?.[0];
      if (address === undefined || isOpened) return;
      isOpened = true;
      void fetch(address);
    },
  });
}

const call = (...flags: string[]) =>
  runCommand(['mcp', 'call', 'guarded', 'echo', '{"message":"hello"}', '--data-dir', dataDir, ...flags]);

describe('toolyard mcp auth', () => {
  test('receives the redirect without a running server, and later commands are signed in', async () => {
    const before = await call();
    expect(before.code).toBe(1);
    expect(before.stderr + before.stdout).toContain('requires a sign-in');

    const done = await auth('--port', '0');
    expect(done).toMatchObject({ code: 0, stdout: 'Signed in to guarded; it is ready.\n' });
    const after = await call();
    expect(after).toMatchObject({ code: 0, stdout: expect.stringContaining('hello') as string });
    expect(authorization.grants('authorization_code')).toHaveLength(1);

    const out = await runCommand(['mcp', 'auth', 'guarded', '--sign-out', '--data-dir', dataDir]);
    expect(out.stdout).toBe('Signed out of guarded.\n');
    expect((await call()).code).toBe(1);
  });

  test('uses the sign-in in a standalone chat and for an unconfigured URL', async () => {
    const ask = ['--model', 'demo', '--no-date', '--allow', 'guarded/echo'];
    const chat = () =>
      runCommand(['chat', '/call echo {"message":"hello"}', ...ask, '--mcp-config', join(dataDir, 'mcp.json')], {
        env: { TOOLYARD_DATA_DIR: dataDir },
      });
    expect((await chat()).stderr).toContain('requires a sign-in');
    await auth('--port', '0');
    expect(await chat()).toMatchObject({ code: 0, stdout: expect.stringContaining('hello') as string });

    const tools = () => runCommand(['mcp', 'tools', mcp.url, '--data-dir', dataDir]);
    expect((await tools()).code).toBe(1);
    await authTo(mcp.url, '--port', '0');
    expect(await tools()).toMatchObject({ code: 0, stdout: expect.stringContaining('echo') as string });
  });

  test('signs in on the running Toolyard server', async () => {
    await using served = await Served.start({ dataDir });
    const done = await auth('--json');
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toEqual({ server: 'guarded', signedIn: true, state: 'ready' });
    expect(done.stderr).toContain(served.url);
    expect((await call()).code).toBe(0);
  });

  test('reports a declined sign-in', async () => {
    await authorization.close();
    authorization = await startAuthorizationServer({ person: 'declines' });
    await mcp.close();
    mcp = await startScriptedMcp('plain', { sessions: false, protection: authorization.protect() });
    writeFileSync(join(dataDir, 'mcp.json'), JSON.stringify({ mcpServers: { guarded: { url: mcp.url } } }));
    const done = await auth('--port', '0');
    expect(done.code).toBe(1);
    expect(done.stderr).toContain('declined');
  });
});

describe('attack 1: a malicious URL for the browser', () => {
  const screen = { DISPLAY: ':0' };

  test('is passed as a single argument, without a shell', () => {
    const address = 'https://accounts.example/authorize?a=$(touch%20x);b=`id`&c=|calc';
    expect(browserCommand(address, screen, 'linux')).toEqual(['xdg-open', new URL(address).href]);
    expect(browserCommand(address, {}, 'darwin')).toEqual(['open', new URL(address).href]);
    expect(browserCommand(address, {}, 'win32')).toEqual([
      'rundll32',
      'url.dll,FileProtocolHandler',
      new URL(address).href,
    ]);
  });

  test.each(['--flag', 'file:///etc/passwd', 'javascript:alert(1)', 'ms-msdt:/id', 'calc.exe', ''])(
    '"%s" starts nothing',
    (address) => {
      expect(browserCommand(address, screen, 'linux')).toBeNull();
      expect(browserCommand(address, {}, 'win32')).toBeNull();
    },
  );

  test('is only printed without a display', () => {
    expect(browserCommand('https://accounts.example/', {}, 'linux')).toBeNull();
    expect(browserCommand('https://accounts.example/', { ...screen, SSH_CONNECTION: 'x' }, 'linux')).toBeNull();
  });
});
