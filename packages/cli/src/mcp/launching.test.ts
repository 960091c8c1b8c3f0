import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, scriptedMcpCommand } from '@toolyard/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

let folder: string;
let npx: string;
let downloaded: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-launching-'));
  npx = join(folder, 'npx');
  downloaded = join(folder, 'downloaded');
  // It "downloads" until the file exists, then becomes a server. It exits without its folder, so a failed test leaves no process.
  const { command, args } = scriptedMcpCommand('plain');
  const server = [command, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  writeFileSync(
    npx,
    `#!/bin/sh\necho 'fetching a package' >&2\nwhile [ ! -e '${downloaded}' ]; do [ -d '${folder}' ] || exit 1; sleep 0.05; done\nexec ${server}\n`,
  );
  chmodSync(npx, 0o755);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const configure = (): void =>
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { slow: { command: npx } } }));

/** Runs a command until it shows the download, then lets the download complete. */
async function runUntilShown(...args: string[]): Promise<{ code: number; stderr: string }> {
  // Fake only the displayed time; processes and sockets use real time.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  let stderr = '';
  const command = runCommand(['mcp', ...args], { onError: (text) => (stderr = text) });
  await eventually(
    async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      return stderr.includes('Downloading…');
    },
    { what: 'the download on stderr' },
  );
  writeFileSync(downloaded, '');
  return command;
}

const DOWNLOAD = /^server slow: Downloading… \d+ s \(npx\): fetching a package$/m;

it('shows downloads while a server is added and tested', async () => {
  const added = await runUntilShown('add', 'slow', '--no-sandbox', '--data-dir', folder, '--', npx);
  expect(added.code).toBe(0);
  expect(added.stderr).toMatch(DOWNLOAD);
  expect(added.stderr).toContain('Connected: 1 tool');
});

it.each(['list', 'test slow'])('shows downloads during "mcp %s"', async (args) => {
  configure();
  const { code, stderr } = await runUntilShown(...args.split(' '), '--data-dir', folder);
  expect(code).toBe(0);
  expect(stderr).toMatch(DOWNLOAD);
});

it('shows downloads of a running Toolyard server during a test', async () => {
  await using served = await Served.start();
  const at = ['--data-dir', served.dataDir];
  await runCommand(['mcp', 'add', 'slow', '--disabled', '--no-sandbox', ...at, '--', npx]);
  const { code, stderr } = await runUntilShown('test', 'slow', ...at);
  expect(code).toBe(0);
  expect(stderr).toContain(`the Toolyard server at ${served.url}`);
  expect(stderr).toMatch(DOWNLOAD);
});
