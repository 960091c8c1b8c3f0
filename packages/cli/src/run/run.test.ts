import type { RunEvent, StartedRun } from '@toolyard/protocol';
import { reply, startModelServer } from '@toolyard/testing';
import { expect, it } from 'vitest';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

it('starts a run of an agent, prints its answer, and exits by its outcome', async () => {
  const replies = [reply.text('Arr.'), reply.error(401, 'no')];
  await using model = await startModelServer(() => replies.shift() ?? reply.text('Arr.'));
  await using served = await Served.start({ model: model.url });
  const at = ['--data-dir', served.dataDir];
  const headers = { 'content-type': 'application/json' };
  const agent = JSON.stringify({ id: 'pirate', title: 'Pirate', configuration: { instructions: 'Talk like one.' } });
  await fetch(`${served.url}/api/agents`, { method: 'POST', headers, body: agent });

  const waited = await runCommand(['run', 'Pirate', 'Hello', '--wait', ...at]);
  expect(waited).toMatchObject({ code: 0, stdout: 'Arr.\n' });
  expect(waited.stderr).toMatch(/^toolyard: run [\w-]+\n/);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Talk like one.');
  const failed = await runCommand(['run', 'pirate', 'Hello', '--wait', ...at]);
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  const events = await runCommand(['run', 'pirate', 'Hello', '--wait', '--json', ...at]);
  const lines = events.stdout.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as RunEvent).type).at(-1)).toBe('run_finished');
  const started = JSON.parse((await runCommand(['run', 'pirate', 'Hi', '--json', ...at])).stdout) as StartedRun;
  expect(started.run.agentId).toBe('pirate');
  expect((await runCommand(['run', 'pirate', 'Hi', ...at])).stdout).toMatch(/^[\w-]{36}\n$/);
  expect(await runCommand(['run', 'ghost', 'Hi', ...at])).toMatchObject({ code: 1 });
});
