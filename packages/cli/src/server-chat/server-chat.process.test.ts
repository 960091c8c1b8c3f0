import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { RunEvent, RunRecord } from '@toolyard/protocol';
import { eventually, startModelServer, within } from '@toolyard/testing';
import { runCommand } from '../test-fixtures/run-command.ts';
import { ServedProcess } from '../test-fixtures/served-process.ts';
import { NEVER, slowly } from '../test-fixtures/slow-reply.ts';
import { NODE_ARGS, PROCESS_ENV } from '../test-fixtures/spawn-command.ts';

describe('toolyard chat --server "question" while the server is killed', () => {
  it('continues the run after SIGKILL and restart: every event once with --json, the answer once in a pipe', async () => {
    await using model = await startModelServer((_request, index) => slowly(60, index < 2 ? NEVER : undefined));
    await using served = await ServedProcess.start({ model: model.url });
    const at = ['--server', served.url, '--model', 'scripted', '--reconnect-timeout', '300'];
    let [ofJson, ofText] = ['', ''];
    const json = runCommand(['chat', ...at, '--json', 'Count'], { onError: (stderr) => (ofJson = stderr) });
    const first = await served.answering();
    const text = runCommand(['chat', ...at, 'Count'], { onError: (stderr) => (ofText = stderr) });
    await served.answering([first]);
    await served.end('SIGKILL');
    // Otherwise a slow chat could miss the outage.
    await eventually(() => [ofJson, ofText].every((stderr) => stderr.includes('Reconnecting')), {
      what: 'both chats without their server',
    });
    await served.start();

    const ran = await json;
    expect(ran.stderr).toMatch(/Reconnecting for up to 300 s[^]*Reconnected/);
    expect(ran.code).toBe(0);
    const events = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(events.some(({ type }) => type === 'attempt_abandoned')).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done', runId: first.id });
    expect(await text).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^word0 word1 [^\n]* end\.\n$/),
    });
  });

  it('exits with 3 if the server stays unreachable, and says how to continue', async () => {
    await using model = await startModelServer(() => slowly(60, NEVER));
    await using served = await ServedProcess.start({ model: model.url });
    const running = runCommand([
      'chat',
      '--server',
      served.url,
      '--model',
      'scripted',
      '--reconnect-timeout',
      '1',
      'Count',
    ]);
    await served.answering();
    await served.end('SIGKILL');
    const ran = await running;
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(`The Toolyard server at ${served.url} does not answer.`);
    expect(ran.stderr).toMatch(/toolyard chat --server \S+ --conversation \S+/);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
  });

  it('cancels the run on SIGINT, and leaves it running on SIGTERM', async () => {
    await using model = await startModelServer(() => slowly(60, NEVER));
    await using served = await ServedProcess.start({ model: model.url });
    for (const [signal, code, status] of [
      ['SIGINT', 130, 'cancelled'],
      ['SIGTERM', 143, 'running'],
    ] as const) {
      const args = [...NODE_ARGS, 'chat', '--server', served.url, '--model', 'scripted', 'Count'];
      const chat = spawn(process.execPath, args, { stdio: 'ignore', env: PROCESS_ENV });
      const ended = once(chat, 'exit');
      const run = await served.answering();
      chat.kill(signal);
      expect(await within(ended, { what: 'the exit of the chat' })).toEqual([code, null]);
      await eventually(async () => (await served.get<RunRecord>(`/api/runs/${run.id}`)).status === status, {
        what: `the status ${status}`,
      });
    }
  });
});
