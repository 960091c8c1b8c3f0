import type { Budget, BudgetInterrupt, BudgetMeasure, ErrorInfo, Spent, Usage } from '@toolyard/protocol';
import { addUsage, budgetExceeded, formatToolReference, mergeBudgets, exhaustedMeasure } from '@toolyard/protocol';
import type { AgentState, PendingCall, RunnableCall } from './state.ts';

/** An exhausted budget. */
export type BudgetExcess = { budget: Budget; measure: BudgetMeasure; spent: Spent };

/** The next consumer: a request of the run's model, or these calls. */
export type BudgetNeed = 'model' | readonly PendingCall[];

/** Returns the budget that prevents the next request or calls; null if none does. */
export type BudgetGate = (state: AgentState, need: BudgetNeed) => BudgetExcess | null;

export type BudgetCheckerOptions = {
  budgets: readonly Budget[];
  /** The run's model, as `provider/model`. */
  model: string;
  /** Current usage of budgets that are not limited to the run or its turn. */
  spent: (budget: Budget) => Spent;
};

/** Compares usage with budgets. A pure function of the state and its options. */
export class BudgetChecker {
  readonly #options: BudgetCheckerOptions;

  constructor(options: BudgetCheckerOptions) {
    this.#options = options;
  }

  check(state: AgentState, need: BudgetNeed): BudgetExcess | null {
    if (this.#options.budgets.length === 0 && state.raised.length === 0) return null;
    for (const budget of mergeBudgets(this.#options.budgets, state.raised)) {
      const spent = this.#spentBefore(budget, state, need);
      if (spent === null) continue;
      const measure = exhaustedMeasure(budget, spent.withNeed);
      if (measure) return { budget, measure, spent: spent.now };
    }
    return null;
  }

  /** Budgets of the run's model with a limit in dollars only: they have no effect if its price is unknown. */
  dollarsOnly(state: AgentState): Budget[] {
    return mergeBudgets(this.#options.budgets, state.raised).filter(
      (budget) =>
        this.#isOfModel(budget) &&
        budget.dollars !== undefined &&
        budget.tokens === undefined &&
        budget.calls === undefined,
    );
  }

  /** True if the budget limits requests of the run's model. */
  #isOfModel(budget: Budget): boolean {
    return budget.of !== 'tool' && (budget.of !== 'model' || budget.model === this.#options.model);
  }

  /** Null if the budget does not apply. `withNeed` includes all but the last of the calls that are about to be made. */
  #spentBefore(budget: Budget, state: AgentState, need: BudgetNeed): { now: Spent; withNeed: Spent } | null {
    if (need !== 'model') {
      if (budget.of !== 'tool') return null;
      const calls = need.filter((call) => isMade(call) && formatToolReference(call.tool) === budget.tool).length;
      if (calls === 0) return null;
      const now = this.#options.spent(budget);
      return { now, withNeed: { ...now, calls: now.calls + calls - 1 } };
    }
    if (!this.#isOfModel(budget)) return null;
    const now = budget.of === 'run' || budget.of === 'turn' ? state.spent[budget.of] : this.#options.spent(budget);
    return { now, withNeed: now };
  }
}

/** The interrupt that asks whether to continue despite a budget. Each step has its own. */
export function budgetInterrupt(state: AgentState, excess: BudgetExcess): BudgetInterrupt {
  return { id: `${state.runId}.${state.step}.budget`, kind: 'budget', ...excess };
}

/** The error of a run that ends at a budget. */
export function budgetError({ budget, measure, spent }: BudgetExcess): ErrorInfo {
  return budgetExceeded(budget, measure, spent);
}

/** The state after another model answer, for the run itself or for sampling; `usage` and `cost` if known. */
export function withModelCall(state: AgentState, usage: Usage | undefined, cost: number | undefined): AgentState {
  const add = (spent: Spent): Spent => ({
    dollars: spent.dollars + (cost ?? 0),
    tokens: spent.tokens + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
    calls: spent.calls + 1,
    unpriced: spent.unpriced + (cost === undefined ? 1 : 0),
  });
  const { run, turn } = state.spent;
  return {
    ...state,
    usage: usage ? addUsage(state.usage, usage) : state.usage,
    cost: state.cost === null || cost === undefined ? null : state.cost + cost,
    spent: { run: add(run), turn: add(turn) },
  };
}

function isMade(call: PendingCall): call is RunnableCall {
  return call.decision === 'run' && !call.problem && !call.answered;
}
