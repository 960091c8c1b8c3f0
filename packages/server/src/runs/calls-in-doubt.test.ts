import { afterEach, describe, expect, test } from 'vitest';
import { createFailpoints, eventually } from '@toolyard/testing';
import type { RunBench } from './test-fixtures/setup.ts';
import { ANNE, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/setup.ts';
import { calls, says, scriptedModel } from './test-fixtures/scripted-model.ts';
import { actTool, allowAct, killAt } from './test-fixtures/killed-run.ts';
import { endedRunEvents } from './test-fixtures/run-events.ts';

afterEach(cleanUp);

describe('a run whose process crashed during a call', () => {
  async function inDoubt(): Promise<{ bench: RunBench; runId: string; conversation: string; acted: () => number }> {
    let acted = 0;
    const folder = temporaryFolder();
    const failpoints = createFailpoints();
    const first = await openBench(folder, {
      model: scriptedModel([calls({ name: 'act' })]),
      tools: { act: actTool(() => acted++) },
      failpoint: failpoints,
    });
    await allowAct(first);
    const conversation = await first.conversation();
    failpoints.at('run:returned', () => first.die());
    const runId = await first.ask(conversation, 'Do it');
    await eventually(() => failpoints.passed.includes('run:returned'));
    await first.runs.close();
    const bench = await openBench(folder, {
      model: scriptedModel([says('Done')]),
      tools: { act: actTool(() => acted++) },
    });
    await bench.rest(runId);
    return { bench, runId, conversation, acted: () => acted };
  }

  test('asks the user instead of repeating the call', async () => {
    const { bench, runId, acted } = await inDoubt();
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'parked' });
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', limit: 9 });
    expect(asked?.interrupt).toMatchObject({ kind: 'in_doubt', name: 'act', sentAt: expect.any(Number) as number });
    expect(acted()).toBe(1);
  });

  for (const [answer, expected, made] of [
    [{ decision: 'repeat' }, 'tool: acted', 2],
    [{ decision: 'result', text: 'it was sent' }, 'tool: it was sent', 1],
    [{ decision: 'failed' }, 'tool: This call was interrupted; the user reports that it did not take effect.', 1],
  ] as const) {
    test(`passes "${answer.decision}" on to the model`, async () => {
      const { bench, runId, conversation, acted } = await inDoubt();
      const [asked] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', limit: 9 });
      await bench.runs.answer(ANNE, asked?.id ?? '', answer);
      await endedRunEvents(bench, runId);
      expect(acted()).toBe(made);
      expect(transcriptLines(await bench.branch(conversation)).slice(2)).toEqual([expected, 'assistant: Done']);
    });
  }

  test('repeats a read-only call without asking', async () => {
    let acted = 0;
    const script = [calls({ name: 'act' })];
    const { folder, runId } = await killAt('run:sent', script, { builtIn: true });
    const bench = await openBench(folder, {
      model: scriptedModel([says('Done')]),
      tools: { act: actTool(() => acted++, true) },
    });
    const events = await endedRunEvents(bench, runId);
    expect(acted).toBe(1);
    expect(events.at(-1)).toMatchObject({ status: 'done' });
  });
});
