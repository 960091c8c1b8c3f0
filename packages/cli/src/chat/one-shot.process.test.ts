import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { eventually, isAlive, listProcessTree, reply, startModelServer, within } from '@toolyard/testing';
import { mcpFlag } from '../test-fixtures/mcp-flag.ts';
import { NODE_ARGS, PROCESS_ENV, spawnCommand } from '../test-fixtures/spawn-command.ts';

describe('the binary', () => {
  it('puts the answer on stdout and everything else on stderr', async () => {
    const ran = await spawnCommand(['chat', '--model', 'demo', 'What time is it in Tokyo?']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/Tokyo.*\d{1,2}:\d{2}/);
    expect(ran.stdout).not.toContain('get-date');
    expect(ran.stderr).toContain('date/get-date');
    expect(ran.stderr).toContain('demo');
  });

  it('exits with 2 for a usage error and 1 for a failure, without a stack trace', async () => {
    for (const [args, code, message] of [
      [['chat', '--nonsense', 'x'], 2, /nonsense/],
      [['chat', '--model', 'demo', '--mcp-config', 'no-such-file.json', 'x'], 1, /no-such-file\.json/],
    ] as const) {
      const ran = await spawnCommand(args);
      expect(ran).toMatchObject({ code, stdout: '' });
      expect(ran.stderr).toMatch(message);
      expect(ran.stderr).not.toMatch(/\n\s+at /);
    }
  });
});

describe('a one-shot chat leaves no child process', () => {
  /** A chat that hangs during an answer, with an MCP server that ignores SIGTERM. */
  async function hanging(): Promise<{ pid: number; children: number[]; ended: Promise<unknown[]> }> {
    const server = await startModelServer([reply.text('One two', { finish: null, done: false, thenSilence: true })]);
    const child = spawn(
      process.execPath,
      [
        ...NODE_ARGS,
        'chat',
        '--base-url',
        server.url,
        '--mcp',
        mcpFlag({ stubborn: true }),
        '--no-date',
        '--json',
        'Count',
      ],
      { stdio: ['ignore', 'pipe', 'ignore'], env: PROCESS_ENV },
    );
    // oxlint-disable-next-line typescript/no-misused-promises -- finally() waits for the promise
    const ended = once(child, 'exit').finally(() => server.close());
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await eventually(() => output.includes('text_delta'), { what: 'the first words' });
    const { pid } = child;
    if (pid === undefined) throw new Error('no pid');
    const children = listProcessTree(pid).filter((other) => other !== pid);
    expect(children.length).toBeGreaterThanOrEqual(1);
    return { pid, children, ended };
  }

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s cancels the answer, stops the servers and exits with %i', async (signal, code) => {
    const { pid, children, ended } = await hanging();
    process.kill(pid, signal);
    expect(await within(ended, { what: 'the exit of the command' })).toEqual([code, null]);
    expect(children.filter(isAlive)).toEqual([]);
  });

  it('does not wait for stubborn servers after a second SIGINT', async () => {
    const { pid, children, ended } = await hanging();
    process.kill(pid, 'SIGINT');
    process.kill(pid, 'SIGINT');
    expect(await within(ended, { what: 'the exit of the command' })).toEqual([130, null]);
    await eventually(() => !children.some(isAlive), { what: 'the end of the servers' });
  });

  it('leaves none after success and failure', async () => {
    for (const [answer, code] of [
      [reply.text('Hello.'), 0],
      [reply.error(500, 'out of memory'), 1],
    ] as const) {
      const looked = Promise.withResolvers<void>();
      await using server = await startModelServer(() => looked.promise.then(() => answer));
      const child = spawn(process.execPath, [...NODE_ARGS, 'chat', '--base-url', server.url, 'Hello'], {
        stdio: 'ignore',
        env: PROCESS_ENV,
      });
      const ended = once(child, 'exit');
      await eventually(() => server.requests.some(({ method }) => method === 'POST'), { what: 'the message' });
      const tree = listProcessTree(child.pid ?? 0);
      expect(tree.length).toBeGreaterThan(1);
      looked.resolve();
      expect(await within(ended, { what: 'the exit of the command' })).toEqual([code, null]);
      expect(tree.filter(isAlive)).toEqual([]);
    }
  });
});
