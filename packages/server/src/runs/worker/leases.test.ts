import { afterEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, systemClock } from '@toolyard/protocol';
import { createSteadyClock, eventually } from '@toolyard/testing';
import { ANNE, answers, cleanUp, openBench, temporaryFolder, transcriptLines } from '../test-fixtures/setup.ts';
import { calls, hangsAfter, says, scriptedModel } from '../test-fixtures/scripted-model.ts';

afterEach(cleanUp);

describe('a queued run', () => {
  test('waits for a process that executes runs, which claims it with a lease and a fence', async () => {
    const folder = temporaryFolder();
    const web = await openBench(folder, { model: scriptedModel([]), executesRuns: false });
    const conversation = await web.conversation();
    const runId = await web.ask(conversation, 'Hello');
    expect(web.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'queued' });
    web.die();

    const hanging = hangsAfter('Well');
    const worker = await openBench(folder, { model: scriptedModel([hanging.answer]) });
    await eventually(() => worker.storage.runs.getRun(ANNE, runId)?.status === 'running', { what: 'the execution' });
    expect(worker.storage.runs.acquireLease(runId, { owner: 'another', ms: 60_000 })).toBeNull();
    hanging.go(' done');
    await worker.rest(runId);
    expect(transcriptLines(await worker.branch(conversation))).toEqual(['user: Hello', 'assistant: Well done']);
  });
});

describe('the leases of a process', () => {
  test('deliver a message without a notification', async () => {
    const model = scriptedModel([hangsAfter('Some').answer]);
    const bench = await openBench(temporaryFolder(), { model });
    const runId = await bench.ask(await bench.conversation(), 'Hello');
    await eventually(() => model.requests.length === 1);
    bench.storage.runs.putInbox(ANNE, runId, { id: 'cancel', kind: 'cancel', body: {}, at: 1 });
    expect((await bench.rest(runId)).at(-1)).toMatchObject({ status: 'cancelled' });
  });

  test('resume a parked run that was answered without a notification', async () => {
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'send' }), says('Done')]),
      tools: { send: { call: () => answers('sent') } },
    });
    const runId = await bench.ask(await bench.conversation(), 'Send');
    await bench.rest(runId);
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { runId, limit: 1 });
    bench.storage.runs.answerInterrupt(ANNE, asked?.id ?? '', { decision: 'approve', scope: 'once' }, 1);
    await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.status === 'done');
  });

  test('send the queued message after a completed run if its process did not', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('One'), says('Two')]) });
    const conversationId = await bench.conversation();
    await bench.rest(await bench.ask(conversationId, 'First'));
    const parts = [{ type: 'text' as const, text: 'Second' }];
    await bench.storage.queue.add(ANNE, { id: 'q2', conversationId, parts, at: 1 });
    await eventually(() => bench.storage.runs.getRun(ANNE, 'q2')?.status === 'done');
    expect(await bench.storage.queue.list(ANNE, conversationId)).toEqual([]);
  });

  test('that expired during system sleep stay its own, also when a run gets a message at once', async () => {
    let asleep = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + asleep };
    const hanging = hangsAfter('Some');
    const model = scriptedModel([hanging.answer, says('Shorter')]);
    const bench = await openBench(temporaryFolder(), { model, clock });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Hello');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'text_delta'));
    asleep = 3_600_000;
    await bench.say(conversation, 'shorter!', { whenBusy: 'steer' });
    hanging.go(' words');
    const events = await bench.rest(runId);
    expect(events.some(({ type }) => type === 'attempt_abandoned')).toBe(false);
    expect(transcriptLines(await bench.branch(conversation))).toEqual([
      'user: Hello',
      'assistant: Some words',
      'user: shorter!',
      'assistant: Shorter',
    ]);
  });

  test('that are lost stop the execution, and nothing more of this process is stored', async () => {
    let stopped = false;
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([
        async function* (_request, signal) {
          signal.addEventListener('abort', () => (stopped = true));
          for (;;) {
            yield [{ type: 'text', text: 'still here ' }];
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        },
      ]),
    });
    const runId = await bench.ask(await bench.conversation(), 'Hello');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'text_delta'));
    bench.storage.runs.releaseLease(runId, 1);
    const other = bench.storage.runs.acquireLease(runId, { owner: 'another', ms: 60_000 });
    await eventually(() => stopped);
    expect(bench.events(runId)).toHaveLength(other?.lastSeq ?? 0);
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'running' });
    expect(bench.log).toEqual([]);
  });
});

describe('the time limit of a run', () => {
  test('fails the run, and keeps its output', async () => {
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([hangsAfter('Some').answer]),
      configuration: { limits: { ...DEFAULT_LIMITS, maxWallTimeMs: 5_000 } },
      clock: createSteadyClock({ times: 10 }),
    });
    const conversation = await bench.conversation();
    const events = await bench.rest(await bench.ask(conversation, 'Hello'));
    expect(events.at(-1)).toMatchObject({ status: 'failed', error: { code: 'time_limit_exceeded' } });
    expect((await bench.branch(conversation)).at(-1)?.parts[0]).toEqual({ type: 'text', text: 'Some' });
  });

  test('excludes the time it waits for the user', async () => {
    const clock = createSteadyClock({ times: 10 });
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'send' }), says('Done')]),
      tools: { send: { call: () => answers('sent') } },
      configuration: { limits: { ...DEFAULT_LIMITS, maxWallTimeMs: 5_000 } },
      clock,
    });
    const runId = await bench.ask(await bench.conversation(), 'Send');
    await bench.rest(runId);
    await clock.passes(6_000);
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { runId, limit: 1 });
    await bench.runs.answer(ANNE, asked?.id ?? '', { decision: 'approve', scope: 'once' });
    await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.endedAt !== null);
    expect(bench.events(runId).at(-1)).toMatchObject({ status: 'done' });
  });
});
