/** What a budget may bound: US dollars, tokens of input and output, calls of models or of the tool. */
export type BudgetMeasure = 'dollars' | 'tokens' | 'calls';

/** At least one of the three; each is above zero. */
export type BudgetLimits = { [Measure in BudgetMeasure]?: number };

/** A budget as its schema reads it. */
type ReadBudget = BudgetLimits &
  (
    | { of: 'turn' | 'run' | 'conversation' | 'agent' | 'day' }
    | { of: 'model'; model: string }
    | { of: 'tool'; tool: string }
  );

export const MEASURES = ['dollars', 'tokens', 'calls'] as const;

/** Two budgets of the same thing are the same budget: the later layer of a configuration wins. */
export function budgetKey(budget: ReadBudget): string {
  if (budget.of === 'model') return `model ${budget.model}`;
  return budget.of === 'tool' ? `tool ${budget.tool}` : budget.of;
}

const NO_AMOUNT = 'a budget is above zero, and a whole number of tokens or calls';

export type BudgetFault = { at: number; problem: string };

/** What is wrong with a list of budgets that each can be read. */
export function faultsOfBudgets(budgets: readonly ReadBudget[]): BudgetFault[] {
  const seen = new Set<string>();
  return budgets.flatMap((budget, at): BudgetFault[] => {
    const key = budgetKey(budget);
    const isTwice = seen.has(key);
    seen.add(key);
    if (isTwice) return [{ at, problem: `there are two budgets of the same thing (${key})` }];
    const set = MEASURES.filter((measure) => budget[measure] !== undefined);
    if (set.some((measure) => !isAmount(measure, budget[measure]))) return [{ at, problem: NO_AMOUNT }];
    if (set.length > 0) return [];
    return [{ at, problem: 'a budget says how much: "dollars", "tokens" or "calls"' }];
  });
}

export function isAmount(measure: BudgetMeasure, amount = 0): boolean {
  return measure === 'dollars' ? amount > 0 && Number.isFinite(amount) : amount > 0 && Number.isSafeInteger(amount);
}
