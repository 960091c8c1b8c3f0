import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { within } from '@toolyard/testing';
import { expect, test } from 'vitest';

const bin = fileURLToPath(new URL('./bin.ts', import.meta.url));

type Answer = { jsonrpc: string; id: number; result?: object; error?: { code: number } };

test('stdout contains only JSON-RPC, one message per line, for any input', async () => {
  const child = spawn(process.execPath, [bin], { stdio: ['pipe', 'pipe', 'ignore'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const call = (id: number, name: string, args: object): string =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const lines = [
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    'this is no JSON',
    '{"neither":"request nor answer"}',
    call(2, 'get-date', { format: 'locale' }),
    call(3, 'get-date', { timezone: 'Mars/Olympus' }),
    call(4, 'no-such-tool', {}),
    JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'no/such/method' }),
  ];
  const ended = once(child, 'close');
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  expect(await within(ended, { what: 'the exit of the date server' })).toEqual([0, null]);

  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer)
    .filter(({ id }) => typeof id === 'number');
  for (const answer of answers) expect(answer.jsonrpc).toBe('2.0');
  expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4, 5]);
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  expect(byId.get(2)?.result).toMatchObject({ content: [{ type: 'text' }] });
  expect(byId.get(3)?.result).toMatchObject({ isError: true });
  expect(byId.get(4)?.error).toMatchObject({ code: -32602 });
  expect(byId.get(5)?.error).toMatchObject({ code: -32601 });
});
