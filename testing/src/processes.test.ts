import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually, within } from './eventually.ts';
import { isAlive, listProcessTree, runNode } from './processes.ts';

test('runNode passes input, environment, folder and exit code', async () => {
  const program = `
    let input = '';
    process.stdin.on('data', (text) => (input += text)).on('end', () => {
      console.log(input.toUpperCase(), process.env.COLOUR, process.env.HOME, process.cwd());
      console.error('to stderr');
      process.exitCode = 4;
    });`;
  const cwd = realpathSync(tmpdir());
  const result = await runNode(['--eval', program], { input: 'hello', env: { COLOUR: 'blue', HOME: undefined }, cwd });
  expect(result).toEqual({
    code: 4,
    signal: null,
    stdout: `HELLO blue undefined ${cwd}\n`,
    stderr: 'to stderr\n',
    timedOut: false,
  });
});

test('runNode accepts a program that never reads its input', async () => {
  const result = await runNode(['--eval', 'process.exit(0)'], { input: 'x'.repeat(1_000_000) });
  expect(result.code).toBe(0);
});

test('runNode kills the whole tree after the timeout', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-tree-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 1000);
    require('node:fs').writeFileSync(process.env.SAYS, String(child.pid));`;
  const says = join(folder, 'grandchild');
  // The timeout starts only after the program is running.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const ran = runNode(['--eval', program], { timeoutMs: 1_500, env: { SAYS: says } });
  const grandchild = await eventually(() => Number(readFileSync(says, 'utf8')) || null);
  vi.advanceTimersByTime(1_500);
  expect(await ran).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
  await eventually(() => !isAlive(grandchild));
});

test('processTreeOf returns the process, its children and theirs', async () => {
  const program = `require('node:child_process').spawn('sleep', ['60']); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--eval', program], { stdio: 'ignore' });
  const pid = child.pid ?? 0;
  const tree = await eventually(() => {
    const found = listProcessTree(pid);
    return found.length === 2 && found;
  });
  expect(tree[0]).toBe(pid);
  const ended = within(once(child, 'exit'), { what: 'the end of the tree' });
  for (const member of tree) process.kill(member, 'SIGKILL');
  await ended;
  await eventually(() => !tree.some(isAlive));
  expect(listProcessTree(pid)).toEqual([]);
});

test('isAlive is false for a zombie', async () => {
  // The shell starts a child, then becomes a program that never reaps it, which the shell itself would.
  const shell = spawn('sh', ['-c', 'sleep 60 & echo $!; exec cat'], { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    const [text] = (await within(once(shell.stdout, 'data'), { what: 'the pid' })) as [Buffer];
    const zombie = Number(String(text));
    shell.stdin.write('there?');
    await within(once(shell.stdout, 'data'), { what: 'the echo' });
    process.kill(zombie, 'SIGKILL');
    await eventually(() => !isAlive(zombie));
    expect(listProcessTree(shell.pid ?? 0)).toEqual([shell.pid]);
    // Its pid is still in use, which deceives a plain kill(pid, 0).
    if (process.platform === 'linux') expect(process.kill(zombie, 0)).toBe(true);
  } finally {
    shell.kill('SIGKILL');
    await within(once(shell, 'exit'), { what: 'the end of the shell' });
  }
});

test('isAlive is true for this process and false for an unused pid', () => {
  expect(isAlive(process.pid)).toBe(true);
  expect(isAlive(2 ** 30)).toBe(false);
});
