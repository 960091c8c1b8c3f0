import type { RunAccess } from '@toolyard/agent-host';
import type { Budget, Clock, ErrorInfo, Owner, Spent } from '@toolyard/protocol';
import {
  budgetExceeded,
  budgetKey,
  exhaustedMeasure,
  ZERO_SPENT,
  createErrorInfo,
  defined,
  say,
} from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import type { StarterCheck } from '../start/key-limits.ts';
import type { SubAgentOrigin } from './stored-run.ts';

/**
 * The budgets of a run, with the stored usage of all runs of all processes. Calls in progress elsewhere count once they
 * end.
 */
export function createRunBudgets(
  usage: SharedStorage['usage'],
  principal: Owner,
  of: {
    conversationId: string;
    agentId: string | null;
    budgets: readonly Budget[];
    /** Budgets of the trees that the run is part of. */
    ofParents?: SubAgentOrigin['budgets'];
    /** Whether what started the run still allows it. */
    checkStarter?: (at: number) => Promise<StarterCheck>;
    clock: Clock;
  },
): NonNullable<RunAccess['budgets']> {
  const { conversationId, agentId, budgets, ofParents = [], checkStarter, clock } = of;
  const known = new Map<string, Spent>();
  let beyond: ErrorInfo | null = null;
  let stopped: ErrorInfo | null = null;

  /** The first budget of a tree that is exhausted. */
  async function exhausted(at: number): Promise<ErrorInfo | null> {
    for (const { budget, ...tree } of ofParents) {
      const spent = await usage.spent(principal, budget, { ...tree, agentId: null, at });
      const measure = exhaustedMeasure(budget, spent);
      if (measure) return withoutHint(budgetExceeded(budget, measure, spent), budget);
    }
    return null;
  }

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
      const starter = await checkStarter?.(at);
      stopped = starter?.revoked ?? null;
      beyond = starter?.exhausted ?? (await exhausted(at));
    },
    ...(ofParents.length > 0 || checkStarter ? { ofParents: () => beyond } : {}),
    ...(checkStarter ? { stopped: () => stopped } : {}),
  };
}

/** The user is asked by the run with the budget, not by a sub-agent. */
function withoutHint({ code, message, templates }: ErrorInfo, { of }: Budget): ErrorInfo {
  const hint =
    of === 'run'
      ? say`The budget belongs to the run that started this sub-agent, which asks whether to raise it.`
      : say`The budget belongs to the conversation that started this sub-agent, which asks whether to raise it.`;
  return createErrorInfo({ code, message, hint, ...defined({ templates }) });
}
