import { say, type TranslatableText } from './say.ts';
import type { BudgetLimits, BudgetMeasure } from './budget-faults.ts';
import { budgetKey, isAmount, MEASURES } from './budget-faults.ts';
import type { ErrorInfo } from './schemas/common.ts';
import { createErrorInfo } from './errors.ts';
import type { Budget } from './schemas/configuration.ts';
import type { Spent } from './schemas/usage.ts';

export const ZERO_SPENT: Spent = { dollars: 0, tokens: 0, calls: 0, unpriced: 0 };

export function addSpent(one: Spent, other: Spent): Spent {
  return {
    dollars: one.dollars + other.dollars,
    tokens: one.tokens + other.tokens,
    calls: one.calls + other.calls,
    unpriced: one.unpriced + other.unpriced,
  };
}

/** The measure of a budget that is exhausted; undefined if none is. */
export function exhaustedMeasure(budget: BudgetLimits, spent: Spent): BudgetMeasure | undefined {
  return MEASURES.find((measure) => {
    const limit = budget[measure];
    return limit !== undefined && spent[measure] >= limit;
  });
}

/** Merges two lists of budgets; of two with the same key the one in `later` wins. */
export function mergeBudgets(earlier: readonly Budget[], later: readonly Budget[]): Budget[] {
  const merged = new Map(earlier.map((budget) => [budgetKey(budget), budget]));
  for (const budget of later) merged.set(budgetKey(budget), budget);
  return [...merged.values()];
}

/** A budget inside a sentence: `the budget of this run`. */
export function budgetPhrase(budget: Budget): string {
  const { text } = budgetSubject(budget);
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** An amount with its unit: `$0.42`, `1500 tokens`, `3 calls`. */
export function formatAmount(measure: BudgetMeasure, amount: number): string {
  if (measure === 'dollars') return `$${amount >= 1 ? amount.toFixed(2) : Number(amount.toPrecision(3)).toString()}`;
  return `${amount} ${amount === 1 ? measure.slice(0, -1) : measure}`;
}

/** Why a new limit for an exhausted budget is invalid; null if the run can continue with it. */
export function checkRaisedLimit(
  { budget, measure, spent }: { budget: Budget; measure: BudgetMeasure; spent: Spent },
  limit: number,
): string | null {
  // Also rejects NaN.
  if (!(limit > spent[measure])) {
    return `The new limit must be above the amount already used, ${formatAmount(measure, spent[measure])}.`;
  }
  // A batch of calls can be asked about before the budget is exhausted.
  const before = budget[measure] ?? 0;
  if (limit <= before) return `The new limit must be above the current limit, ${formatAmount(measure, before)}.`;
  if (isAmount(measure, limit)) return null;
  return measure === 'dollars'
    ? 'A limit in dollars must be a finite amount.'
    : `A limit in ${measure} must be a whole number of at most ${Number.MAX_SAFE_INTEGER}.`;
}

/** The error of a call or request that an exhausted budget prevents. */
export function budgetExceeded(budget: Budget, measure: BudgetMeasure, spent: Spent): ErrorInfo {
  const used = formatAmount(measure, spent[measure]);
  const limit = formatAmount(measure, budget[measure] ?? 0);
  return createErrorInfo({
    code: 'budget_exceeded',
    message: say`${budgetSubject(budget)} is used up: ${used} of ${limit}.`,
    hint: say`Raise the budget to continue.`,
  });
}

/** A budget at the beginning of a sentence. */
function budgetSubject(budget: Budget): TranslatableText {
  switch (budget.of) {
    case 'turn':
      return say`The budget of a turn`;
    case 'run':
      return say`The budget of this run`;
    case 'conversation':
      return say`The budget of this conversation`;
    case 'agent':
      return say`The agent's daily budget`;
    case 'day':
      return say`The daily budget`;
    case 'model':
      return say`The daily budget of the model ${budget.model}`;
    case 'tool':
      return say`The daily budget of the tool ${budget.tool}`;
  }
}
