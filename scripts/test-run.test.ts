import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, isAlive, runNode, SOURCE_CONDITION } from '@toolyard/testing';
import { RUN_VARIABLE } from '../testing/src/test-run.ts';

const MODULE = JSON.stringify(pathToFileURL(join(import.meta.dirname, 'test-run.ts')).href);
const PROGRAM = [SOURCE_CONDITION, '--input-type=module', '--eval'];

/** Begins a run, starts a detached program, and waits. */
const RUN = `
  import { spawn } from 'node:child_process';
  import { mkdtempSync } from 'node:fs';
  import { tmpdir } from 'node:os';
  import { join } from 'node:path';
  import { beginTestRun, testRunEnv } from ${MODULE};
  beginTestRun();
  Object.assign(process.env, testRunEnv());
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true });
  process.stdout.write(JSON.stringify({ child: child.pid, folder: mkdtempSync(join(tmpdir(), 'left-')) }));
  setInterval(() => {}, 1000);`;

/** Begins a run, then ends it or only exits. */
const shortRun = (ends: boolean) => `
  import { beginTestRun } from ${MODULE};
  const end = beginTestRun();
  process.stdout.write(process.env['${RUN_VARIABLE}'] ?? '');
  if (${ends}) end();`;

function machine(): { tmp: string; env: Record<string, string | undefined> } {
  const tmp = mkdtempSync(join(tmpdir(), 'toolyard-machine-'));
  onTestFinished(() => rmSync(tmp, { recursive: true, force: true }));
  return { tmp, env: { TMPDIR: tmp, TMP: tmp, TEMP: tmp, [RUN_VARIABLE]: undefined } };
}

async function startRun(env: Record<string, string | undefined>): Promise<{
  run: ChildProcess;
  child: number;
  folder: string;
}> {
  const run = spawn(process.execPath, [...PROGRAM, RUN], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void run.kill('SIGKILL'));
  const [chunk] = (await once(run.stdout, 'data')) as [Buffer];
  const { child, folder } = JSON.parse(chunk.toString()) as { child: number; folder: string };
  onTestFinished(() => void (isAlive(child) && process.kill(child, 'SIGKILL')));
  return { run, child, folder };
}

test('a run removes processes and folders of a killed run, but not of one in progress', async () => {
  const { tmp, env } = machine();
  const killed = await startRun(env);
  const going = await startRun(env);
  const exited = once(killed.run, 'exit');
  killed.run.kill('SIGKILL');
  await exited;
  expect(isAlive(killed.child)).toBe(true);
  expect(existsSync(killed.folder)).toBe(true);

  const next = await runNode([...PROGRAM, shortRun(true)], { env });
  expect(next).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(killed.folder)).toBe(false);
  if (process.platform === 'linux') {
    await eventually(() => !isAlive(killed.child), { what: 'the program of the killed run to be gone' });
  }
  expect(isAlive(going.child)).toBe(true);
  expect(existsSync(going.folder)).toBe(true);
  expect(readdirSync(tmp)).toHaveLength(1);
});

test.each([true, false])('a run removes its folder (explicit end: %s)', async (ends) => {
  const { tmp, env } = machine();
  const ran = await runNode([...PROGRAM, shortRun(ends)], { env });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout.startsWith(join(tmp, 'toolyard-run-'))).toBe(true);
  expect(readdirSync(tmp)).toEqual([]);
});

test('a nested run uses the folder of the outer one and does not delete it', async () => {
  const { tmp, env } = machine();
  const ran = await runNode([...PROGRAM, shortRun(true)], { env: { ...env, [RUN_VARIABLE]: tmp } });
  expect(ran.stdout).toBe(tmp);
  expect(existsSync(tmp)).toBe(true);
});
