import type { RunAccess } from '@toolyard/agent-host';
import type { Budget, Clock, Owner, Spent } from '@toolyard/protocol';
import { budgetKey, ZERO_SPENT } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';

/**
 * The budgets of a run, with the stored usage of all runs of all processes. Calls in progress elsewhere count once they
 * end.
 */
export function createRunBudgets(
  usage: SharedStorage['usage'],
  principal: Owner,
  of: { conversationId: string; agentId: string | null; budgets: readonly Budget[]; clock: Clock },
): NonNullable<RunAccess['budgets']> {
  const { conversationId, agentId, budgets, clock } = of;
  const known = new Map<string, Spent>();
  return {
    budgets,
    spent: (budget) => known.get(budgetKey(budget)) ?? ZERO_SPENT,
    async refresh() {
      const at = clock.now();
      for (const budget of budgets) {
        // The run tracks its own usage and that of its turn.
        if (budget.of === 'run' || budget.of === 'turn') continue;
        known.set(budgetKey(budget), await usage.spent(principal, budget, { conversationId, agentId, at }));
      }
    },
  };
}
