import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, within } from './eventually.ts';
import { describeProcesses, forgetExitedProcesses, registerProcess } from './started-processes.ts';

/** A process that writes to stderr and waits; it is killed after the test. */
async function startProcess(name: string) {
  const program = `console.error('first', 'line'); console.error('last', 'line'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'ignore', 'pipe'] });
  registerProcess(child, name);
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    forgetExitedProcesses();
  });
  await eventually(() => describeProcesses().includes('last line'), { what: 'its stderr' });
  return { child, exited };
}

test('eventually returns what the check found', async () => {
  let polls = 0;
  expect(await eventually(() => ++polls >= 3 && polls)).toBe(3);
  expect(await eventually(() => 0)).toBe(0);
});

test('eventually names what it waited for and the last error of the check', async () => {
  const failing = eventually(
    () => {
      throw new Error('still down');
    },
    { timeoutMs: 30, what: 'the server' },
  );
  await expect(failing).rejects.toThrow(/^Timed out after 0\.03 s waiting for the server\. Last error: still down/);
  await expect(eventually(() => false, { timeoutMs: 30, what: 'the flag' })).rejects.toThrow('waiting for the flag');
});

test('eventually uses the source of the check as a name', async () => {
  const isGreen = false;
  await expect(eventually(() => isGreen, { timeoutMs: 30 })).rejects.toThrow('isGreen');
});

test('eventually times out if a check never settles', async () => {
  const never = eventually(() => new Promise<boolean>(() => {}), { timeoutMs: 30, what: 'an answer' });
  await expect(never).rejects.toThrow('waiting for an answer');
});

test('within settles like its promise', async () => {
  expect(await within(Promise.resolve(7), { what: 'seven' })).toBe(7);
  await expect(within(Promise.reject(new Error('no seven')), { what: 'seven' })).rejects.toThrow('no seven');
});

test('a wait that times out prints the state of the started processes', async () => {
  const { child, exited } = await startProcess('the worker');
  const wait = (): Promise<unknown> => within(new Promise(() => {}), { what: 'a promise', timeoutMs: 30 });
  // Earlier files in the same worker may have left processes that are still needed.
  const running = new RegExp(
    `waiting for a promise\nProcesses:\n[^]*- the worker, pid ${child.pid}, running: .*--eval.*`,
  );
  await expect(wait()).rejects.toThrow(running);
  await expect(wait()).rejects.toThrow('    | first line\n    | last line');
  child.kill('SIGSTOP');
  await eventually(() => describeProcesses().includes(`pid ${child.pid}, stopped`), { what: 'the stop' });
  child.kill('SIGKILL');
  await exited;
  await expect(wait()).rejects.toThrow(`pid ${child.pid}, killed by SIGKILL`);
  forgetExitedProcesses();
  expect(describeProcesses()).not.toContain('the worker');
});
