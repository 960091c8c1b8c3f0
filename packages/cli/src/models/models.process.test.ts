import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { within } from '@toolyard/testing';
import { expect, it } from 'vitest';
import { NODE_ARGS, PROCESS_ENV } from '../test-fixtures/spawn-command.ts';

it('exits silently when the reader of its output closes the pipe', async () => {
  const words = [process.execPath, ...NODE_ARGS, 'providers', '--known'];
  const command = words.map((word) => `"${word}"`).join(' ');
  const child = spawn('bash', ['-o', 'pipefail', '-c', `${command} | head -c 1 > /dev/null`], { env: PROCESS_ENV });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await within(once(child, 'exit'), { what: 'the exit of the pipe' })) as [number | null];
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
