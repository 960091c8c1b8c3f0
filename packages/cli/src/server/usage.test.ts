import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UsageReport } from '@toolyard/protocol';
import { reply, startModelServer } from '@toolyard/testing';
import { afterEach, expect, it } from 'vitest';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

let served: Served | undefined;
afterEach(async () => {
  await served?.[Symbol.asyncDispose]();
  served = undefined;
});

it('prints usage, with "?" for unknown tokens and costs, and budgets', async () => {
  const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
  await using model = await startModelServer(() => reply.text('Hi.', { usage }));
  served = await Served.start({ model: model.url });
  const { dataDir } = served;
  const at = ['--data-dir', dataDir];
  expect((await runCommand(['usage', ...at])).stderr).toMatch(/No usage/);
  expect((await runCommand(['usage', 'budgets', ...at])).stderr).toMatch(/No budgets/);

  const budgets = [
    { of: 'day', tokens: 10, dollars: 5 },
    { of: 'turn', calls: 3 },
  ];
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ defaults: { budgets } }));
  await served.restart();
  expect(await runCommand(['chat', 'Hello', '--server', ...at])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Hi\./) as string,
  });

  const byModel = await runCommand(['usage', '--by', 'model', ...at]);
  expect(byModel).toMatchObject({ code: 0, stderr: '' });
  expect(byModel.stdout).toMatch(/^\S+\/scripted\S* +1 +0 +0 +4 +2 +unknown$/m);
  expect(byModel.stdout).toMatch(/^total +1 +0 +0 +4 +2 +unknown$/m);
  const json = JSON.parse((await runCommand(['usage', '--json', ...at])).stdout) as UsageReport;
  expect(json.rows).toMatchObject([{ modelCalls: 1, cost: null, unpriced: 1 }]);
  expect((await runCommand(['usage', '--csv', ...at])).stdout.split('\r\n')).toHaveLength(3);
  expect((await runCommand(['usage', '--from', 'monday', ...at])).stderr).toMatch(/expected a day such as 2026-11-21/);

  const listed = await runCommand(['usage', 'budgets', ...at]);
  expect(listed.stdout).toMatch(/^the daily budget +\$0 of \$5\.00$/m);
  expect(listed.stdout).toMatch(/^the daily budget +6 tokens of 10 tokens$/m);
  expect(listed.stdout).toMatch(/^the budget of a turn +3 calls$/m);
});
