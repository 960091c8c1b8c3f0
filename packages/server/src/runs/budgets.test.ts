import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from 'vitest';
import { DATABASE_FILE } from '@toolyard/storage';
import type { Budget, InterruptAnswer, Price, RunEvent, StoredInterrupt } from '@toolyard/protocol';
import { createFailpoints, eventually } from '@toolyard/testing';
import type { RunBench } from './test-fixtures/setup.ts';
import { ANNE, answers, cleanUp, openBench, temporaryFolder } from './test-fixtures/setup.ts';
import { endedRunEvents } from './test-fixtures/run-events.ts';
import type { ScriptedAnswer } from './test-fixtures/scripted-model.ts';
import { calls, hangsAfter, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

/** A model request with one input and one output token costs three dollars. */
const PRICE: Price = { inputPerMillion: 1_000_000, outputPerMillion: 2_000_000 };
const USAGE = { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } } as const;

function asksFor(...names: string[]): ScriptedAnswer {
  const asked = calls(...names.map((name) => ({ name })));
  if (typeof asked === 'function') throw new Error('not a list');
  return [[USAGE], ...asked];
}

type Scene = {
  bench: RunBench;
  runId: string;
  conversation: string;
  model: ReturnType<typeof scriptedModel>;
  made: () => number;
};

/** A model that calls `look` forever, with these budgets. */
async function runaway(
  budgets: Budget[],
  more: { price?: Price | null; headless?: true; script?: readonly ScriptedAnswer[]; stored?: object } = {},
): Promise<Scene> {
  const { price = PRICE, script } = more;
  const model = scriptedModel(script ?? (() => asksFor('look')));
  let made = 0;
  const bench = await openBench(temporaryFolder(), {
    model,
    tools: {
      look: {
        builtIn: true,
        call: () => {
          made++;
          return answers('seen');
        },
      },
    },
    configuration: { budgets, ...(more.headless ? { intervention: 'headless' as const } : {}) },
    ...(price ? { price } : {}),
  });
  const conversation = await bench.conversation();
  if (more.stored) await bench.storage.settings.set(ANNE, 'defaults', { budgets }, 1);
  const runId = await bench.ask(conversation, 'Look');
  await bench.rest(runId);
  return { bench, runId, conversation, model, made: () => made };
}

function asked({ bench, runId }: Scene): StoredInterrupt[] {
  return [...bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 })];
}

async function say(scene: Scene, answer: InterruptAnswer): Promise<readonly RunEvent[]> {
  const { bench, runId } = scene;
  const before = bench.events(runId).length;
  await bench.runs.answer(ANNE, asked(scene)[0]?.id ?? '', answer);
  await eventually(() => bench.events(runId).length > before + 2, { what: 'the run to go on' });
  await bench.rest(runId);
  return bench.events(runId);
}

describe('a runaway', () => {
  const WITHIN: [string, Budget, { requests: number; calls: number }][] = [
    ['a turn', { of: 'turn', dollars: 3 }, { requests: 1, calls: 1 }],
    ['a run', { of: 'run', dollars: 5 }, { requests: 2, calls: 2 }],
    ['a run in tokens', { of: 'run', tokens: 3 }, { requests: 2, calls: 2 }],
    ['a run in calls', { of: 'run', calls: 3 }, { requests: 3, calls: 3 }],
    ['a conversation', { of: 'conversation', dollars: 5 }, { requests: 2, calls: 2 }],
    ['a day', { of: 'day', tokens: 4 }, { requests: 2, calls: 2 }],
    ['its model', { of: 'model', model: 'scripted/scripted-1', dollars: 6 }, { requests: 2, calls: 2 }],
    ['a tool', { of: 'tool', tool: 'desk/look', calls: 2 }, { requests: 3, calls: 2 }],
  ];

  test.each(WITHIN)('is stopped by the budget of %s, and asks', async (_what, budget, { requests, calls: made }) => {
    const scene = await runaway([budget]);
    expect(scene.bench.storage.runs.getRun(ANNE, scene.runId)).toMatchObject({ status: 'parked' });
    expect(asked(scene)).toMatchObject([{ mode: 'parked', interrupt: { kind: 'budget', budget } }]);
    expect({ requests: scene.model.requests.length, calls: scene.made() }).toEqual({ requests, calls: made });
  });

  test('is not stopped by the budget of another model or tool', async () => {
    const script = [asksFor('look'), says('Done')];
    const others: Budget[] = [
      { of: 'model', model: 'scripted/other', calls: 1 },
      { of: 'tool', tool: 'desk/other', calls: 1 },
      { of: 'agent', calls: 1 },
      { of: 'tool', tool: 'desk/look', dollars: 1 },
    ];
    const { bench, runId } = await runaway(others, { script, price: null });
    expect(bench.events(runId).some(({ type }) => type === 'notice')).toBe(false);
    expect(bench.events(runId).at(-1)).toMatchObject({ status: 'done' });
  });

  test('fails with a clear error if no user is available', async () => {
    const { bench, runId, model } = await runaway([{ of: 'run', dollars: 2 }], { headless: true });
    expect(bench.events(runId).at(-1)).toMatchObject({
      status: 'failed',
      error: {
        code: 'budget_exceeded',
        message: 'The budget of this run is used up: $3.00 of $2.00.',
        hint: 'Raise the budget to continue.',
      },
    });
    expect(model.requests).toHaveLength(1);
  });

  test('with parallel calls makes none beyond the budget of their tool', async () => {
    const script = [asksFor('look', 'look', 'look'), says('Done')];
    const scene = await runaway([{ of: 'tool', tool: 'desk/look', calls: 2 }], { script });
    expect(asked(scene)).toMatchObject([{ interrupt: { measure: 'calls', spent: { calls: 0 } } }]);
    expect(scene.made()).toBe(0);
    await say(scene, { decision: 'raise', limit: 3 });
    expect(scene.made()).toBe(3);
    expect(scene.bench.events(scene.runId).at(-1)).toMatchObject({ status: 'done' });
  });

  test('of unknown price is limited by tokens, not by dollars', async () => {
    const free = await runaway([{ of: 'run', dollars: 0.01 }], {
      price: null,
      script: [asksFor('look'), says('Done')],
    });
    const events = free.bench.events(free.runId);
    expect(events.at(-1)).toMatchObject({ status: 'done' });
    const notices = events.filter((event) => event.type === 'notice' && event.code === 'budget_unpriced');
    expect(notices).toMatchObject([
      { level: 'warning', text: expect.stringMatching(/limit in dollars has no effect.*budget of this run/) as string },
    ]);
    const counted = await runaway([{ of: 'run', dollars: 0.01, tokens: 2 }], { price: null });
    expect(asked(counted)).toMatchObject([
      { interrupt: { measure: 'tokens', spent: { dollars: 0, tokens: 2, unpriced: 1 } } },
    ]);
    expect(counted.bench.events(counted.runId).some((event) => event.type === 'notice')).toBe(false);
  });
});

describe('a budget interrupt', () => {
  test('when raised, continues the run to the new limit and asks again there', async () => {
    const scene = await runaway([{ of: 'run', dollars: 3 }]);
    await say(scene, { decision: 'raise', limit: 7 });
    expect(scene.model.requests).toHaveLength(3);
    expect(asked(scene)).toMatchObject([
      { interrupt: { budget: { of: 'run', dollars: 7 }, spent: { dollars: 9, tokens: 6, calls: 3 } } },
    ]);
  });

  test('when stopped, ends the run with a reason and a result for every call', async () => {
    const scene = await runaway([{ of: 'tool', tool: 'desk/look', calls: 1 }]);
    const events = await say(scene, { decision: 'stop' });
    expect(events.at(-1)).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
    const branch = await scene.bench.branch(scene.conversation);
    const results = branch.filter(({ role }) => role === 'tool');
    expect(results).toHaveLength(2);
    expect(JSON.stringify(results.at(-1))).toContain('not_sent');
  });

  test.each<[InterruptAnswer, RegExp]>([
    [{ decision: 'raise', limit: 3 }, /above the amount already used, \$3.00/],
    [{ decision: 'raise', limit: -1 }, /above the amount already used/],
    [{ decision: 'approve', scope: 'once' }, /expected "raise", "stop"/],
  ])('rejects %j', async (answer, pattern) => {
    const scene = await runaway([{ of: 'run', dollars: 2 }]);
    const [open] = asked(scene);
    await expect(scene.bench.runs.answer(ANNE, open?.id ?? '', answer)).rejects.toThrow(pattern);
    expect(asked(scene)).toEqual([open]);
  });

  test.each([
    [1e300, /whole number of at most/],
    [4.5, /whole number/],
    // One call is left, and two are requested.
    [3, /above the current limit, 3 calls/],
  ])('for calls, raised to %j permanently, keeps all other budgets', async (limit, pattern) => {
    const two = [asksFor('look', 'look'), asksFor('look', 'look')];
    const budgets: Budget[] = [{ of: 'tool', tool: 'desk/look', calls: 3 }];
    const scene = await runaway(budgets, { stored: {}, script: two });
    const [open] = asked(scene);
    expect(open).toMatchObject({ interrupt: { measure: 'calls', spent: { calls: 2 } } });
    const raise = { decision: 'raise', limit, scope: 'always' } as const;
    await expect(scene.bench.runs.answer(ANNE, open?.id ?? '', raise)).rejects.toThrow(pattern);
    expect(asked(scene)).toEqual([open]);
    expect(await scene.bench.storage.settings.get(ANNE, 'defaults')).toEqual({ budgets });
  });

  test('is answered once, and by its owner', async () => {
    const scene = await runaway([{ of: 'run', dollars: 2 }], { script: [asksFor('look'), says('Done')] });
    const id = asked(scene)[0]?.id ?? '';
    const raise = { decision: 'raise', limit: 9 } as const;
    const { bench } = scene;
    await expect(bench.runs.answer({ ownerId: 'bert' }, id, raise)).rejects.toMatchObject({ code: 'not_found' });
    await say(scene, raise);
    await expect(bench.runs.answer(ANNE, id, { decision: 'stop' })).rejects.toMatchObject({ code: 'conflict' });
    expect(bench.events(scene.runId).at(-1)).toMatchObject({ status: 'done' });
  });

  test('survives a crash: another process continues after the answer', async () => {
    const folder = temporaryFolder();
    const options = { tools: { look: { builtIn: true, call: () => answers('seen') } }, price: PRICE };
    const configuration = { budgets: [{ of: 'run', dollars: 2 }] } satisfies { budgets: Budget[] };
    const first = await openBench(folder, { ...options, model: scriptedModel([asksFor('look')]), configuration });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Look');
    await first.rest(runId);
    await first.runs.close();
    first.die();
    const model = scriptedModel([says('Done')]);
    const bench = await openBench(folder, { ...options, model, configuration });
    await bench.runs.start();
    const [open] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 });
    await bench.runs.answer(ANNE, open?.id ?? '', { decision: 'raise', limit: 9 });
    await endedRunEvents(bench, runId);
    expect(bench.events(runId).at(-1)).toMatchObject({ status: 'done', cost: 6 });
  });

  test('when raised for the conversation or permanently, is stored there', async () => {
    const scene = await runaway([{ of: 'run', dollars: 2 }], { stored: {} });
    await say(scene, { decision: 'raise', limit: 4, scope: 'conversation' });
    const { bench, conversation } = scene;
    expect((await bench.storage.conversations.get(ANNE, conversation))?.configuration).toEqual({
      budgets: [{ of: 'run', dollars: 4 }],
    });
    // The conversation's own budget has precedence now: a permanent change is stored there.
    await say(scene, { decision: 'raise', limit: 8, scope: 'always' });
    expect((await bench.storage.conversations.get(ANNE, conversation))?.configuration).toMatchObject({
      budgets: [{ of: 'run', dollars: 8 }],
    });

    const other = await runaway([{ of: 'day', tokens: 2 }], { stored: {} });
    await say(other, { decision: 'raise', limit: 4, scope: 'always' });
    expect(await other.bench.storage.settings.get(ANNE, 'defaults')).toEqual({ budgets: [{ of: 'day', tokens: 4 }] });
  });

  describe('raising a budget beyond the run', () => {
    const RAISE = { decision: 'raise', limit: 9, scope: 'conversation' } as const;
    const kept = async ({ storage }: RunBench, conversation: string): Promise<unknown> =>
      (await storage.conversations.get(ANNE, conversation))?.configuration;
    const options = {
      tools: { look: { builtIn: true, call: () => answers('seen') } },
      price: PRICE,
      configuration: { budgets: [{ of: 'run', dollars: 2 }] satisfies Budget[] },
    };

    test('is committed together with the answer, or not at all', async () => {
      const folder = temporaryFolder();
      const model = scriptedModel([asksFor('look'), says('Done')]);
      const bench = await openBench(folder, { ...options, model });
      const conversation = await bench.conversation();
      const runId = await bench.ask(conversation, 'Look');
      await bench.rest(runId);
      const [open] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 });
      const before = await kept(bench, conversation);
      const database = new DatabaseSync(join(folder, DATABASE_FILE));
      database.exec(`CREATE TRIGGER full BEFORE UPDATE OF configuration ON conversations
        BEGIN SELECT RAISE(ABORT, 'no room'); END`);
      await expect(bench.runs.answer(ANNE, open?.id ?? '', RAISE)).rejects.toThrow();
      expect(bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 })).toEqual([open]);
      expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'parked' });
      expect(await kept(bench, conversation)).toEqual(before);

      database.exec('DROP TRIGGER full');
      database.close();
      await bench.runs.answer(ANNE, open?.id ?? '', RAISE);
      await endedRunEvents(bench, runId);
      expect(bench.events(runId).at(-1)).toMatchObject({ status: 'done', cost: 6 });
      expect(await kept(bench, conversation)).toEqual({ budgets: [{ of: 'run', dollars: 9 }] });
    });

    test('survives a crash right after the commit; the next process uses it', async () => {
      const folder = temporaryFolder();
      const first = await openBench(folder, { ...options, model: scriptedModel([asksFor('look')]) });
      const conversation = await first.conversation();
      const runId = await first.ask(conversation, 'Look');
      await first.rest(runId);
      const [open] = first.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 });
      const { runs } = first.storage;
      const store = runs.answerInterrupt.bind(runs);
      runs.answerInterrupt = (...of) => {
        store(...of);
        throw new Error('killed');
      };
      await expect(first.runs.answer(ANNE, open?.id ?? '', RAISE)).rejects.toThrow('killed');
      first.die();
      await first.runs.close();
      const bench = await openBench(folder, { ...options, model: scriptedModel([says('Done')]) });
      await bench.runs.start();
      await endedRunEvents(bench, runId);
      expect(bench.events(runId).at(-1)).toMatchObject({ status: 'done', cost: 6 });
      expect(await kept(bench, conversation)).toEqual({ budgets: [{ of: 'run', dollars: 9 }] });
    });

    test('by two answers at once applies the first; the other changes nothing', async () => {
      const scene = await runaway([{ of: 'run', dollars: 2 }], { script: [asksFor('look'), says('Done')] });
      const { bench, runId, conversation } = scene;
      const id = asked(scene)[0]?.id ?? '';
      const limits = [9, 12];
      const outcomes = await Promise.allSettled(
        limits.map((limit) => bench.runs.answer(ANNE, id, { ...RAISE, limit })),
      );
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const counted = limits[outcomes.findIndex(({ status }) => status === 'fulfilled')];
      await endedRunEvents(bench, runId);
      expect(await kept(bench, conversation)).toEqual({ budgets: [{ of: 'run', dollars: counted }] });
    });
  });

  test('is rejected if it is set elsewhere', async () => {
    const scene = await runaway([{ of: 'run', dollars: 2 }]);
    const [open] = asked(scene);
    const raise = { decision: 'raise', limit: 4, scope: 'always' } as const;
    await expect(scene.bench.runs.answer(ANNE, open?.id ?? '', raise)).rejects.toThrow(/was set by the message/);
    expect(asked(scene)).toEqual([open]);
  });
});

describe('stored usage of a run', () => {
  const report = async (bench: RunBench, by: 'model' | 'tool' | 'conversation') =>
    bench.storage.usage.report(ANNE, { by, from: '1970-01-01', to: '9999-12-31' });

  test('is the sum of its requests', async () => {
    const { bench, conversation } = await runaway([], { script: [asksFor('look', 'look'), says('Well', 'done')] });
    expect((await report(bench, 'model')).rows).toMatchObject([
      {
        key: 'scripted/scripted-1',
        modelCalls: 2,
        cost: 3 + 5,
        usage: { inputTokens: 2, outputTokens: 3 },
        unpriced: 0,
      },
    ]);
    expect((await report(bench, 'tool')).rows).toMatchObject([{ key: 'desk/look', toolCalls: 2, failures: 0 }]);
    expect((await report(bench, 'conversation')).rows).toMatchObject([
      { key: conversation, label: 'Look', modelCalls: 2, toolCalls: 2, cost: 8 },
    ]);
  });

  test('counts an answer that a crash cut off with unknown cost, and the repeated one', async () => {
    const folder = temporaryFolder();
    const failpoints = createFailpoints();
    const { answer } = hangsAfter('Half');
    const first = await openBench(folder, { model: scriptedModel([answer]), price: PRICE, failpoint: failpoints });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Go');
    await eventually(() => first.events(runId).some(({ type }) => type === 'text_delta'), {
      what: 'the first words',
    });
    first.die();
    await first.runs.close();
    const bench = await openBench(folder, { model: scriptedModel([says('Whole')]), price: PRICE });
    await bench.runs.start();
    await endedRunEvents(bench, runId);
    expect((await report(bench, 'model')).rows).toMatchObject([
      { modelCalls: 2, cost: 3, unpriced: 1, uncounted: 1, usage: { inputTokens: 1, outputTokens: 1 } },
    ]);
  });
});
