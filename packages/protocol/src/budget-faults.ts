/** What a budget limits: US dollars, input and output tokens, or calls (of models, or of the tool). */
export type BudgetMeasure = 'dollars' | 'tokens' | 'calls';

/** At least one measure; each is above zero. */
export type BudgetLimits = { [Measure in BudgetMeasure]?: number };

/** A budget as its schema parses it. */
type ReadBudget = BudgetLimits &
  (
    | { of: 'turn' | 'run' | 'conversation' | 'agent' | 'day' }
    | { of: 'model'; model: string }
    | { of: 'tool'; tool: string }
  );

export const MEASURES = ['dollars', 'tokens', 'calls'] as const;

/** The identity of a budget. Of two with the same key the later layer of a configuration wins. */
export function budgetKey(budget: ReadBudget): string {
  if (budget.of === 'model') return `model ${budget.model}`;
  return budget.of === 'tool' ? `tool ${budget.tool}` : budget.of;
}

const NO_AMOUNT = 'a budget must be above zero; tokens and calls must be whole numbers';

export type BudgetFault = { at: number; problem: string };

/** Lists the errors of budgets that match the schema; empty if they are valid. */
export function faultsOfBudgets(budgets: readonly ReadBudget[]): BudgetFault[] {
  const seen = new Set<string>();
  return budgets.flatMap((budget, at): BudgetFault[] => {
    const key = budgetKey(budget);
    const isDuplicate = seen.has(key);
    seen.add(key);
    if (isDuplicate) return [{ at, problem: `two budgets have the same scope (${key})` }];
    const set = MEASURES.filter((measure) => budget[measure] !== undefined);
    if (set.some((measure) => !isAmount(measure, budget[measure]))) return [{ at, problem: NO_AMOUNT }];
    if (set.length > 0) return [];
    return [{ at, problem: 'a budget needs "dollars", "tokens" or "calls"' }];
  });
}

export function isAmount(measure: BudgetMeasure, amount = 0): boolean {
  return measure === 'dollars' ? amount > 0 && Number.isFinite(amount) : amount > 0 && Number.isSafeInteger(amount);
}
