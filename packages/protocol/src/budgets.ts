import type { BudgetLimits, BudgetMeasure } from './budget-faults.ts';
import { budgetKey, isAmount, MEASURES } from './budget-faults.ts';
import type { ErrorInfo } from './schemas/common.ts';
import type { Budget } from './schemas/configuration.ts';
import type { Spent } from './schemas/usage.ts';

export const ZERO_SPENT: Spent = { dollars: 0, tokens: 0, calls: 0, unpriced: 0 };

/** What of a budget is used up; undefined while nothing is. */
export function exhaustedMeasure(budget: BudgetLimits, spent: Spent): BudgetMeasure | undefined {
  return MEASURES.find((measure) => {
    const limit = budget[measure];
    return limit !== undefined && spent[measure] >= limit;
  });
}

/** The budgets of both lists; of the same thing that of `later`. */
export function mergeBudgets(earlier: readonly Budget[], later: readonly Budget[]): Budget[] {
  const merged = new Map(earlier.map((budget) => [budgetKey(budget), budget]));
  for (const budget of later) merged.set(budgetKey(budget), budget);
  return [...merged.values()];
}

/** Names a budget in the middle of a sentence: `the budget of this run`. */
export function budgetPhrase(budget: Budget): string {
  switch (budget.of) {
    case 'turn':
      return 'the budget of a turn';
    case 'run':
      return 'the budget of this run';
    case 'conversation':
      return 'the budget of this conversation';
    case 'agent':
      return "the agent's budget of the day";
    case 'day':
      return 'the budget of the day';
    case 'model':
      return `the day's budget of the model ${budget.model}`;
    case 'tool':
      return `the day's budget of the tool ${budget.tool}`;
  }
}

/** An amount as a person reads it: `$0.42`, `1500 tokens`, `3 calls`. */
export function formatAmount(measure: BudgetMeasure, amount: number): string {
  if (measure === 'dollars') return `$${amount >= 1 ? amount.toFixed(2) : Number(amount.toPrecision(3)).toString()}`;
  return `${amount} ${amount === 1 ? measure.slice(0, -1) : measure}`;
}

/** What is wrong with a new limit for a budget that is used up; null where the run can go on with it. */
export function checkRaisedLimit(
  { budget, measure, spent }: { budget: Budget; measure: BudgetMeasure; spent: Spent },
  limit: number,
): string | null {
  // What is no number at all is above nothing.
  if (!(limit > spent[measure])) {
    return `The new limit must be above what is spent already, ${formatAmount(measure, spent[measure])}.`;
  }
  // A batch of calls is asked about while something is left.
  const before = budget[measure] ?? 0;
  if (limit <= before) return `The new limit must be above the one there is, ${formatAmount(measure, before)}.`;
  if (isAmount(measure, limit)) return null;
  return measure === 'dollars'
    ? 'A limit of dollars is an amount.'
    : `A limit of ${measure} is a whole number, and at most ${Number.MAX_SAFE_INTEGER}.`;
}

/** Why something is not done. */
export function budgetExceeded(budget: Budget, measure: BudgetMeasure, spent: Spent): ErrorInfo {
  const name = budgetPhrase(budget);
  const limit = budget[measure] ?? 0;
  return {
    code: 'budget_exceeded',
    message: `${name.charAt(0).toUpperCase()}${name.slice(1)} is used up: ${formatAmount(measure, spent[measure])} of ${formatAmount(measure, limit)}.`,
    hint: 'Raise the budget to go on.',
  };
}
