import { DEFAULT_LIMITS, ZERO_SPENT } from '@toolyard/protocol';
import { describe, expect, it } from 'vitest';
import { BudgetChecker, withModelCall } from './budget-checker.ts';
import { initialState } from './state.ts';

const begun = initialState({ runId: 'r', conversationId: 'c', startedAt: 0, limits: DEFAULT_LIMITS });

describe('the count of a run', () => {
  it(
    'has an unknown cost from the first call on whose cost is unknown, and keeps what is known for its budgets',
    { tags: ['C12.15'] },
    () => {
      const one = withModelCall(begun, { inputTokens: 3, outputTokens: 2 }, 0.5);
      expect(one).toMatchObject({ usage: { inputTokens: 3, outputTokens: 2 }, cost: 0.5 });
      const two = withModelCall(one, { inputTokens: 5 }, undefined);
      expect(two).toMatchObject({ usage: { inputTokens: 8 }, cost: null });
      const three = withModelCall(withModelCall(two, undefined, undefined), { outputTokens: 1 }, 0.25);
      expect(three.cost).toBeNull();
      expect(three.spent.run).toEqual({ dollars: 0.75, tokens: 11, calls: 4, unpriced: 2 });
    },
  );
});

describe('BudgetChecker', () => {
  const spent = { dollars: 2, tokens: 10, calls: 1, unpriced: 0 };
  const state = { ...begun, spent: { run: spent, turn: ZERO_SPENT } };

  it('lets through what is just below a limit, and stops what has reached it', () => {
    const over = (dollars: number): unknown =>
      new BudgetChecker({ budgets: [{ of: 'run', dollars }], model: 'p/m', spent: () => ZERO_SPENT }).check(
        state,
        'model',
      );
    expect(over(2.01)).toBeNull();
    expect(over(2)).toMatchObject({ measure: 'dollars', spent });
  });

  it('goes by what somebody raised for this run', () => {
    const checker = new BudgetChecker({
      budgets: [{ of: 'run', dollars: 1, tokens: 50 }],
      model: 'p/m',
      spent: () => ZERO_SPENT,
    });
    expect(checker.check(state, 'model')).not.toBeNull();
    expect(checker.check({ ...state, raised: [{ of: 'run', dollars: 3, tokens: 50 }] }, 'model')).toBeNull();
  });
});
