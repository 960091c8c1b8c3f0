import type { Budget, BudgetInterrupt, BudgetMeasure, ErrorInfo, Spent, Usage } from '@toolyard/protocol';
import { addUsage, budgetExceeded, formatToolReference, mergeBudgets, exhaustedMeasure } from '@toolyard/protocol';
import type { AgentState, PendingCall, RunnableCall } from './state.ts';

/** A budget that is used up. */
export type BudgetExcess = { budget: Budget; measure: BudgetMeasure; spent: Spent };

/** What is about to use more: a request of the run's model, or these calls. */
export type BudgetNeed = 'model' | readonly PendingCall[];

/** Tells which budget does not let what is about to be done through; null where all do. */
export type BudgetGate = (state: AgentState, need: BudgetNeed) => BudgetExcess | null;

export type BudgetCheckerOptions = {
  budgets: readonly Budget[];
  /** The run's own, as `provider/model`. */
  model: string;
  /** What was used of anything but the run and its turn, as far as it is known now. */
  spent: (budget: Budget) => Spent;
};

/** Compares what was used with what may be used. Asks nobody: the state and what it is told decide. */
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

  /** Those that hold the run's model by dollars alone: they cannot stop it where its price is not known. */
  dollarsOnly(state: AgentState): Budget[] {
    return mergeBudgets(this.#options.budgets, state.raised).filter(
      (budget) =>
        this.#isOfModel(budget) &&
        budget.dollars !== undefined &&
        budget.tokens === undefined &&
        budget.calls === undefined,
    );
  }

  /** True for what bounds requests of the run's model. */
  #isOfModel(budget: Budget): boolean {
    return budget.of !== 'tool' && (budget.of !== 'model' || budget.model === this.#options.model);
  }

  /** Null where the budget has no say. `withNeed` holds all but the last call of those that are about to be made. */
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

/** The question whether to go on past a budget. Each step asks one of its own. */
export function budgetQuestion(state: AgentState, excess: BudgetExcess): BudgetInterrupt {
  return { id: `${state.runId}.${state.step}.budget`, kind: 'budget', ...excess };
}

/** Why a run ends at a budget. */
export function budgetError({ budget, measure, spent }: BudgetExcess): ErrorInfo {
  return budgetExceeded(budget, measure, spent);
}

/**
 * The state after one more answer of a model, for the run itself or for a server that asked; `usage` and `cost` where
 * they are known.
 */
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
