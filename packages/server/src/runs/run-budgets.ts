import type { AgentState, BudgetGate } from '@toolyard/agent-runtime';
import { BudgetChecker } from '@toolyard/agent-runtime';
import type { Budget, Clock, Owner, Spent } from '@toolyard/protocol';
import { budgetKey, NOTHING_SPENT } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import type { RunConfiguration } from './stored-run.ts';

/**
 * The budgets of a run, held against what all runs of all processes have stored. Calls that are under way elsewhere are
 * counted once they are over.
 */
export class RunBudgets {
  readonly #usage: SharedStorage['usage'];
  readonly #principal: Owner;
  readonly #of: { conversationId: string; agentId: string | null };
  readonly #clock: Clock;
  readonly #shared: readonly Budget[];
  readonly #checker: BudgetChecker;
  readonly #spent = new Map<string, Spent>();

  constructor(
    usage: SharedStorage['usage'],
    principal: Owner,
    of: { conversationId: string; agentId: string | null; configuration: RunConfiguration; clock: Clock },
  ) {
    const { budgets, model } = of.configuration;
    this.#usage = usage;
    this.#principal = principal;
    this.#of = of;
    this.#clock = of.clock;
    this.#shared = budgets.filter((budget) => budget.of !== 'run' && budget.of !== 'turn');
    this.#checker = new BudgetChecker({
      budgets,
      model: `${model.providerId}/${model.modelId}`,
      spent: (budget) => this.#spent.get(budgetKey(budget)) ?? NOTHING_SPENT,
    });
  }

  readonly check: BudgetGate = (state, need) => this.#checker.check(state, need);

  readonly dollarsOnly = (state: AgentState): Budget[] => this.#checker.dollarsOnly(state);

  /** Looks up what was used by now. */
  readonly refresh = async (): Promise<void> => {
    const { conversationId, agentId } = this.#of;
    const at = this.#clock.now();
    for (const budget of this.#shared) {
      const spent = await this.#usage.spent(this.#principal, budget, { conversationId, agentId, at });
      this.#spent.set(budgetKey(budget), spent);
    }
  };
}
