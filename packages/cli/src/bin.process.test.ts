import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs, registerProcess, within } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { NODE_ARGS, PROCESS_ENV } from './test-fixtures/spawn-command.ts';

const isLinux = process.platform === 'linux';
const LINUX = needs({
  name: 'unix',
  missing: isLinux ? null : 'Linux alone lists the open files of a process in /proc',
});

test('what the shell that starts toolyard has open does not reach a server that toolyard starts', LINUX, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-open-'));
  const opened = openSync(join(folder, 'secret'), 'w+');
  try {
    const seen = join(folder, 'seen');
    const gap = Array.from({ length: 197 }, () => 'ignore' as const);
    const child = spawn(
      process.execPath,
      [...NODE_ARGS, 'mcp', 'tools', `sh -c 'exec ls -l /proc/self/fd > ${seen}'`, '--data-dir', folder],
      { stdio: ['ignore', 'ignore', 'ignore', ...gap, opened], env: { ...process.env, ...PROCESS_ENV } },
    );
    registerProcess(child, 'toolyard');
    await within(once(child, 'exit'), { what: 'the end of the command' });
    const listed = readFileSync(seen, 'utf8');
    expect(listed).toMatch(/ 0 -> /);
    expect(listed).not.toMatch(/ 200 -> /);
  } finally {
    closeSync(opened);
    rmSync(folder, { recursive: true, force: true });
  }
});
