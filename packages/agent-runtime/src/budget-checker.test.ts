import { DEFAULT_LIMITS, ZERO_SPENT } from '@toolyard/protocol';
import { describe, expect, it } from 'vitest';
import { BudgetChecker, withModelCall } from './budget-checker.ts';
import { initialState } from './state.ts';

const initial = initialState({ runId: 'r', conversationId: 'c', startedAt: 0, limits: DEFAULT_LIMITS });

describe('withModelCall', () => {
  it('has an unknown cost after a call with unknown cost, and keeps the known amounts for budgets', () => {
    const one = withModelCall(initial, { inputTokens: 3, outputTokens: 2 }, 0.5);
    expect(one).toMatchObject({ usage: { inputTokens: 3, outputTokens: 2 }, cost: 0.5 });
    const two = withModelCall(one, { inputTokens: 5 }, undefined);
    expect(two).toMatchObject({ usage: { inputTokens: 8 }, cost: null });
    const three = withModelCall(withModelCall(two, undefined, undefined), { outputTokens: 1 }, 0.25);
    expect(three.cost).toBeNull();
    expect(three.spent.run).toEqual({ dollars: 0.75, tokens: 11, calls: 4, unpriced: 2 });
  });
});

describe('BudgetChecker', () => {
  const spent = { dollars: 2, tokens: 10, calls: 1, unpriced: 0 };
  const state = { ...initial, spent: { run: spent, turn: ZERO_SPENT } };

  it('passes just below a limit and stops at the limit', () => {
    const over = (dollars: number): unknown =>
      new BudgetChecker({ budgets: [{ of: 'run', dollars }], model: 'p/m', spent: () => ZERO_SPENT }).check(
        state,
        'model',
      );
    expect(over(2.01)).toBeNull();
    expect(over(2)).toMatchObject({ measure: 'dollars', spent });
  });

  it('applies a limit that was raised for this run', () => {
    const checker = new BudgetChecker({
      budgets: [{ of: 'run', dollars: 1, tokens: 50 }],
      model: 'p/m',
      spent: () => ZERO_SPENT,
    });
    expect(checker.check(state, 'model')).not.toBeNull();
    expect(checker.check({ ...state, raised: [{ of: 'run', dollars: 3, tokens: 50 }] }, 'model')).toBeNull();
  });
});
