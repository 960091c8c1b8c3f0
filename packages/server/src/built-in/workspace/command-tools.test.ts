import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { FunctionTool, ToolContext } from '@toolyard/agent-host';
import type { JsonObject, ToolResult } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { eventually, needs, SANDBOX, sharedTmp } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCommandTools } from './command-tools.ts';

let folder: string;
let workspace: string;
let tools: readonly FunctionTool[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(sharedTmp(), 'toolyard-shell-')));
  workspace = join(folder, 'work');
  mkdirSync(workspace);
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'access-token'), 'secret-token');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  ({ tools } = createCommandTools({
    hidden: [join(folder, 'data')],
    clock: systemClock,
    stateFolder: join(folder, 'state'),
  }));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function call(
  name: string,
  args: JsonObject,
  signal = new AbortController().signal,
): Promise<{ text: string; isError: boolean }> {
  const context: ToolContext = {
    signal,
    progress: () => undefined,
    ask: () => Promise.reject(new Error('not asked')),
    workspace,
  };
  const { content, isError } = (await tools.find((each) => each.name === name)?.run(args, context)) as ToolResult;
  const [part] = content;
  return { text: part?.type === 'text' ? part.text : '', isError };
}

describe('shell', () => {
  test('runs in the workspace, and reports output and exit code', needs(SANDBOX), async () => {
    expect(await call('shell', { command: 'pwd; echo "$HOME" | wc -l; echo made > file.txt; cat file.txt' })).toEqual({
      text: `${workspace}\n1\nmade`,
      isError: false,
    });
    expect(readFileSync(join(workspace, 'file.txt'), 'utf8')).toBe('made\n');
    expect(await call('shell', { command: 'echo bad >&2; exit 3' })).toEqual({
      text: 'bad\nExit code: 3',
      isError: true,
    });
    expect(await call('shell', { command: 'if then' })).toMatchObject({ isError: true });
  });

  test('reaches neither other files, nor secrets, nor the network', needs(SANDBOX), async () => {
    process.env['SOME_API_KEY'] = 'secret-of-the-environment';
    const commands = [
      `cat ${folder}/secret.txt`,
      `cat ${folder}/data/access-token`,
      `echo x > ${folder}/out.txt`,
      `ln -s ${folder}/secret.txt l; cat l`,
      'env',
      'ls ~/.ssh',
      'cat /proc/1/environ',
      `(exec 3<>/dev/tcp/127.0.0.1/22) 2>&1; command -v curl >/dev/null && curl -sS -m 2 http://127.0.0.1:1/`,
    ];
    for (const command of commands) {
      const { text } = await call('shell', { command });
      expect([command, text]).toEqual([command, expect.not.stringMatching(/^secret|secret-token|secret-of/m)]);
    }
    delete process.env['SOME_API_KEY'];
    expect(existsSync(join(folder, 'out.txt'))).toBe(false);
  });

  test('does not start in a workspace that has become a link', async () => {
    mkdirSync(join(folder, 'private'));
    renameSync(workspace, join(folder, 'renamed'));
    symlinkSync(join(folder, 'private'), workspace);
    await expect(call('shell', { command: 'echo x > made.txt' })).rejects.toThrow(
      `leads to ${folder}/private through a symbolic link`,
    );
    expect(existsSync(join(folder, 'private', 'made.txt'))).toBe(false);
  });

  test('is bounded in time and output, and leaves no process behind', needs(SANDBOX), async () => {
    const endless = await call('shell', { command: 'yes 0123456789', timeout_seconds: 1 });
    expect(endless.isError).toBe(true);
    expect(endless.text).toMatch(/\[cut after 30000 characters\]\nStopped after 1 s\.$/);
    expect(endless.text.length).toBeLessThan(31_000);
    const left = '(setsid sh -c "sleep 2; echo late > late.txt" >/dev/null 2>&1 &) ; echo done';
    expect(await call('shell', { command: left })).toEqual({ text: 'done', isError: false });
    await new Promise((resolve) => void systemClock.after(2_500, () => resolve(undefined)));
    expect(existsSync(join(workspace, 'late.txt'))).toBe(false);
  });

  test('ends when its run is cancelled', needs(SANDBOX), async () => {
    const run = new AbortController();
    const running = call('shell', { command: 'echo on > on.txt; sleep 100' }, run.signal);
    running.catch(() => undefined);
    await eventually(() => existsSync(join(workspace, 'on.txt')));
    run.abort(new Error('cancelled by the user'));
    await expect(running).rejects.toThrow('cancelled by the user');
  });

  test('run_python runs the Python of the user', needs(SANDBOX), async () => {
    if (!tools.some(({ name }) => name === 'run_python')) return;
    const { text, isError } = await call('run_python', { code: 'import os\nprint(os.getcwd(), 6 * 7)' });
    expect({ text, isError }).toEqual({ text: `${workspace} 42`, isError: false });
    expect(await call('run_python', { code: '1 / 0' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('ZeroDivisionError'),
    });
  });
});
