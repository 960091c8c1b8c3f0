import { afterEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '@toolyard/protocol';
import { DEFAULT_LIMITS } from '@toolyard/protocol';
import type { SteadyClock } from '@toolyard/testing';
import { createSteadyClock, eventually } from '@toolyard/testing';
import { ANNE, answers, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/setup.ts';
import { calls, hangsAfter, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

const HOUR_MS = 3_600_000;

/** A system clock that is changed; its monotonic time is not affected. */
function settableClock(): SteadyClock & { jump(ms: number): void } {
  const clock = createSteadyClock();
  let offset = 0;
  return {
    ...clock,
    now: () => clock.now() + offset,
    jump: (ms) => {
      offset += ms;
    },
  };
}

function expectNeverBack(events: readonly RunEvent[]): void {
  const times = events.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
}

describe.each([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
])('a system clock set by an hour %s', (_where, ms) => {
  const limited = { limits: { ...DEFAULT_LIMITS, maxWallTimeMs: 60_000 } };

  test('does not affect an executing run', async () => {
    const clock = settableClock();
    const hanging = hangsAfter('Some');
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([hanging.answer]),
      clock,
      configuration: limited,
    });
    const runId = await bench.ask(await bench.conversation(), 'Hello');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'text_delta'));
    clock.jump(ms);
    // Past the next renewal of the lease.
    await clock.passes(1_200);
    hanging.go(' words');
    const events = await bench.rest(runId);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
    expect(events.some(({ type }) => type === 'attempt_abandoned')).toBe(false);
    expectNeverBack(events);
    const run = bench.storage.runs.getRun(ANNE, runId);
    expect((run?.endedAt ?? 0) - (run?.createdAt ?? Infinity)).toBeGreaterThanOrEqual(0);
    expect(bench.log).toEqual([]);
  });

  test('does not affect the time limit of a run that waits for the user', async () => {
    const clock = settableClock();
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'send' }), says('Done')]),
      tools: { send: { call: () => answers('sent') } },
      clock,
      configuration: limited,
    });
    const runId = await bench.ask(await bench.conversation(), 'Send');
    await bench.rest(runId);
    clock.jump(ms);
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { runId, limit: 1 });
    await bench.runs.answer(ANNE, asked?.id ?? '', { decision: 'approve', scope: 'once' });
    await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.status === 'done');
    expectNeverBack(bench.events(runId));
  });

  test('loses no run while its process is down', async () => {
    const clock = settableClock();
    const folder = temporaryFolder();
    const first = await openBench(folder, { model: scriptedModel([hangsAfter('Half').answer]), clock });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Hello');
    await eventually(() => first.events(runId).some(({ type }) => type === 'text_delta'));
    first.die();
    clock.jump(ms);
    const next = await openBench(folder, { model: scriptedModel([says('Whole')]), clock });
    expectNeverBack(await next.rest(runId));
    expect(transcriptLines(await next.branch(conversation))).toEqual(['user: Hello', 'assistant: Whole']);
  });
});

test('a run with a deadline keeps it although the clock was set back', async () => {
  const clock = settableClock();
  const folder = temporaryFolder();
  const configuration = { limits: { ...DEFAULT_LIMITS, maxWallTimeMs: 1_000 } };
  const first = await openBench(folder, { model: scriptedModel([hangsAfter('Half').answer]), clock, configuration });
  const runId = await first.ask(await first.conversation(), 'Hello');
  await eventually(() => first.events(runId).some(({ type }) => type === 'text_delta'));
  first.die();
  clock.jump(-HOUR_MS);
  const next = await openBench(folder, { model: scriptedModel([hangsAfter('Again').answer]), clock, configuration });
  expect((await next.rest(runId)).at(-1)).toMatchObject({ status: 'failed', error: { code: 'time_limit_exceeded' } });
});
