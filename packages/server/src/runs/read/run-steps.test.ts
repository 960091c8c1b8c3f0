import { afterEach, describe, expect, test } from 'vitest';
import type { RunSteps } from '@toolyard/protocol';
import { createFakeClock, createFailpoints, eventually } from '@toolyard/testing';
import { readSteps } from './run-steps.ts';
import type { RunBench } from '../test-fixtures/setup.ts';
import { ANNE, answers, cleanUp, openBench, temporaryFolder } from '../test-fixtures/setup.ts';
import { endedRunEvents } from '../test-fixtures/run-events.ts';
import { calls, says, scriptedModel } from '../test-fixtures/scripted-model.ts';

afterEach(cleanUp);

async function getSteps(bench: RunBench, runId: string, now = 0): Promise<RunSteps> {
  const run = bench.storage.runs.getRun(ANNE, runId);
  if (run === null) throw new Error('the run is gone');
  return readSteps(bench.storage.runs, ANNE, run, now);
}

describe('the steps of a run', () => {
  test('contain model requests, calls, results, and the time waited for the user', async () => {
    const clock = createFakeClock({ start: 1_000_000 });
    const bench = await openBench(temporaryFolder(), {
      clock,
      model: scriptedModel([calls({ name: 'send', arguments: { to: 'all' } }), says('Done')]),
      tools: { send: { call: () => answers('sent') } },
      price: { inputPerMillion: 1, outputPerMillion: 1 },
    });
    const runId = await bench.ask(await bench.conversation(), 'Do it');
    await eventually(
      async () => (await clock.advance(20), bench.storage.runs.getRun(ANNE, runId)?.status === 'parked'),
    );
    const parkedAt = clock.now();
    await clock.advance(60_000);
    const waiting = await getSteps(bench, runId, clock.now());
    expect(waiting.waitedMs).toBeGreaterThanOrEqual(60_000);
    expect(waiting.items.map(({ instruction }) => instruction)).toEqual(['call_llm', 'request_human_approve']);
    expect(waiting.items[1]?.questions).toMatchObject([{ status: 'open', live: false, answer: null, closedAt: null }]);

    const answer = { decision: 'approve', scope: 'once', arguments: { to: 'Bert' } } as const;
    await bench.runs.answer(ANNE, `${runId}.0.0.approval`, answer);
    await eventually(async () => (await clock.advance(20), bench.storage.runs.getRun(ANNE, runId)?.endedAt !== null));
    const { items, question, waitedMs, usage } = await getSteps(bench, runId);
    expect(question).toMatchObject({ role: 'user', parts: [{ text: 'Do it' }] });
    expect(items.map(({ instruction }) => instruction)).toEqual([
      'call_llm',
      'request_human_approve',
      'call_tool',
      'call_llm',
      'finish',
    ]);
    expect(items[0]?.model).toMatchObject({
      messageId: `${runId}.0`,
      model: 'scripted-1',
      finishReason: 'tool_calls',
      calls: [{ callId: `${runId}.0.0`, name: 'send' }],
    });
    expect(items[1]?.questions).toMatchObject([{ status: 'answered', answer }]);
    expect(items[1]?.endedAt).toBeLessThanOrEqual(parkedAt);
    expect(items[2]?.calls).toMatchObject([
      {
        name: 'send',
        tool: { serverId: 'desk', name: 'send' },
        arguments: { to: 'all' },
        editedArguments: { to: 'Bert' },
        result: { content: [{ text: 'sent' }], outcome: 'done' },
      },
    ]);
    expect(items[3]?.model).toMatchObject({ finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } });
    expect(items.every(({ endedAt }) => endedAt !== null)).toBe(true);
    expect(waitedMs).toBeGreaterThanOrEqual(60_000);
    expect(waitedMs).toBeLessThan(70_000);
    expect(usage).toEqual({ inputTokens: 1, outputTokens: 1 });
  });

  test('contain the duration of a call without its time in the queue', async () => {
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'date' }), says('Noon')]),
      tools: { date: { builtIn: true, call: () => answers('noon') } },
    });
    const runId = await bench.ask(await bench.conversation(), 'When?');
    await endedRunEvents(bench, runId);
    const run = bench.storage.runs.getRun(ANNE, runId);
    const events = bench.storage.runs.readWholeEvents(ANNE, runId, 0, 100) ?? [];
    if (run === null) throw new Error('the run is gone');
    const slow = events.map((event) => (event.type === 'tool_finished' ? { ...event, durationMs: 90_000 } : event));
    const { items } = await readSteps({ readWholeEvents: async () => slow }, ANNE, run, 0);
    const step = items.find(({ calls }) => calls.length > 0);
    expect(step?.calls[0]?.durationMs).toBeLessThanOrEqual((step?.endedAt ?? 0) - (step?.startedAt ?? 0));
  });

  test('contain abandoned attempts beside the ones that replaced them', async () => {
    const folder = temporaryFolder();
    const failpoints = createFailpoints();
    const script = [calls({ name: 'date' }), says('Noon')];
    const tools = { date: { builtIn: true, call: () => answers('noon') } };
    const first = await openBench(folder, { model: scriptedModel(script), tools, failpoint: failpoints });
    const conversation = await first.conversation();
    let died = false;
    failpoints.at('run:sent', () => {
      died = true;
      first.die();
      throw new Error('the process died');
    });
    await first.say(conversation, 'When?', { id: 'run' }).catch(() => {});
    await eventually(() => died, { what: 'the call' });
    await first.runs.close();

    const bench = await openBench(folder, { model: scriptedModel([says('Noon')]), tools });
    await endedRunEvents(bench, 'run');
    const { items } = await getSteps(bench, 'run');
    expect(items.map(({ step, attempt, abandoned }) => [step, attempt, abandoned ?? false])).toEqual([
      [0, 1, false],
      [1, 1, true],
      [1, 2, false],
      [2, 1, false],
      [3, 1, false],
    ]);
    expect(items[1]?.calls).toMatchObject([{ name: 'date', result: null }]);
    expect(items[2]?.calls).toMatchObject([{ name: 'date', result: { outcome: 'done' } }]);
  });

  test('are the same after the deltas were deleted', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('a', 'b', 'c')]) });
    const runId = await bench.ask(await bench.conversation(), 'Say');
    await endedRunEvents(bench, runId);
    const before = await getSteps(bench, runId);
    expect(bench.storage.runs.compact(Number.MAX_SAFE_INTEGER, 9)).toBe(1);
    expect(await getSteps(bench, runId)).toEqual(before);
  });
});
