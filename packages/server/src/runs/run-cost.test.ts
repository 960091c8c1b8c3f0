import { afterEach, describe, expect, test } from 'vitest';
import { answers, cleanUp, openBench, temporaryFolder } from './test-fixtures/setup.ts';
import type { ScriptedAnswer } from './test-fixtures/scripted-model.ts';
import { calls, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

const PRICE = { inputPerMillion: 1_000_000, outputPerMillion: 2_000_000 };

/** Like {@link calls}, with one input and one output token. */
function asksWithUsage(name: string): ScriptedAnswer {
  const asked = calls({ name });
  if (typeof asked === 'function') throw new Error('not a list');
  return [[{ type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } }], ...asked];
}

describe('the cost of a run', () => {
  test('is the sum of its turns at the price of its start, and is stored with each answer', async () => {
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([asksWithUsage('look'), says('Done', '.')]),
      tools: { look: { builtIn: true, call: () => answers('seen') } },
      configuration: { intervention: 'headless' },
      price: PRICE,
    });
    const conversation = await bench.conversation();
    const events = await bench.rest(await bench.ask(conversation, 'Look'));
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done', cost: 1 + 2 + 1 + 4 });
    const costs = (await bench.branch(conversation)).flatMap((message) =>
      message.role === 'assistant' ? [message.cost] : [],
    );
    expect(costs).toEqual([3, 5]);
  });

  test('stops the run at its limit, before the next model request', async () => {
    const model = scriptedModel([asksWithUsage('look'), says('Never said')]);
    const bench = await openBench(temporaryFolder(), {
      model,
      tools: { look: { builtIn: true, call: () => answers('seen') } },
      configuration: {
        intervention: 'headless',
        budgets: [{ of: 'run', dollars: 2.5 }],
      },
      price: PRICE,
    });
    const conversation = await bench.conversation();
    const events = await bench.rest(await bench.ask(conversation, 'Look'));
    expect(events.at(-1)).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
    expect(model.requests).toHaveLength(1);
  });

  test('is not reported if the price is unknown', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('Free?')]) });
    const conversation = await bench.conversation();
    const events = await bench.rest(await bench.ask(conversation, 'Hello'));
    expect(events.at(-1)).not.toHaveProperty('cost');
    expect((await bench.branch(conversation)).at(-1)).not.toHaveProperty('cost');
  });
});
