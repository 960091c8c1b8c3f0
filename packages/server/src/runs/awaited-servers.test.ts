import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '@toolyard/testing';
import type { RunBenchOptions } from './test-fixtures/setup.ts';
import { ANNE, answers, BERT, cleanUp, openBench, temporaryFolder } from './test-fixtures/setup.ts';
import { endedRunEvents, eventTypes } from './test-fixtures/run-events.ts';
import { calls, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

/** Waits for `slow` until the user skips the wait or stops the run. */
function waitsUntilTold(): { awaitServers: NonNullable<RunBenchOptions['awaitServers']>; waits: number } {
  const counted = {
    waits: 0,
    awaitServers: async (signal, { skip, onAwaited }) => {
      if (skip?.aborted === true) return;
      counted.waits++;
      onAwaited?.(['slow']);
      const until = AbortSignal.any([signal, ...(skip === undefined ? [] : [skip])]);
      await new Promise<void>((resolve) => until.addEventListener('abort', () => resolve(), { once: true }));
      signal.throwIfAborted();
    },
  } satisfies ReturnType<typeof waitsUntilTold>;
  return counted;
}

describe('a run that waits for a server', () => {
  test('says so before the model is asked, and begins when the wait is skipped', async () => {
    const model = scriptedModel([says('Hello')]);
    const { awaitServers } = waitsUntilTold();
    const bench = await openBench(temporaryFolder(), { model, awaitServers });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Hi');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'servers_awaited'), { what: 'the wait' });
    expect(model.requests).toHaveLength(0);
    await expect(bench.runs.skipServers(BERT, runId)).rejects.toMatchObject({ code: 'not_found' });
    await bench.runs.skipServers(ANNE, runId);
    await bench.runs.skipServers(ANNE, runId);
    const events = await endedRunEvents(bench, runId);
    expect(events.find(({ type }) => type === 'servers_awaited')).toMatchObject({ servers: ['slow'] });
    expect(eventTypes(events).slice(0, 3)).toEqual(['run_started', 'servers_awaited', 'step_started']);
    expect(events.at(-1)).toMatchObject({ status: 'done' });
    expect(await bench.runs.skipServers(ANNE, runId)).toMatchObject({ status: 'done' });
  });

  test('can be skipped again after it was parked; a skip does not wake it', async () => {
    const model = scriptedModel([calls({ name: 'delete' }), says('Done')]);
    const wait = waitsUntilTold();
    const tools = { delete: { call: () => answers('deleted') } };
    const bench = await openBench(temporaryFolder(), { model, tools, awaitServers: wait.awaitServers });
    const runId = await bench.ask(await bench.conversation(), 'Delete it');
    await eventually(() => wait.waits === 1, { what: 'the wait' });
    await bench.runs.skipServers(ANNE, runId);
    await bench.rest(runId);
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 2 });
    await bench.runs.skipServers(ANNE, runId);
    await bench.rest(runId);
    expect(bench.storage.runs.getRun(ANNE, runId)?.status).toBe('parked');
    await bench.runs.answer(ANNE, asked?.id ?? '', { decision: 'approve', scope: 'once' });
    await eventually(() => wait.waits === 2, { what: 'the second wait' });
    await bench.runs.skipServers(ANNE, runId);
    expect((await endedRunEvents(bench, runId)).at(-1)).toMatchObject({ status: 'done' });
  });

  test('can be stopped meanwhile', async () => {
    const model = scriptedModel([]);
    const wait = waitsUntilTold();
    const bench = await openBench(temporaryFolder(), { model, awaitServers: wait.awaitServers });
    const runId = await bench.ask(await bench.conversation(), 'Hi');
    await eventually(() => wait.waits === 1, { what: 'the wait' });
    await bench.runs.cancel(ANNE, runId);
    expect((await endedRunEvents(bench, runId)).at(-1)).toMatchObject({ status: 'cancelled' });
    expect(model.requests).toHaveLength(0);
  });
});
