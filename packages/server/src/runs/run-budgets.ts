import type { Budget, Clock, Owner, Spent } from '@toolyard/protocol';
import { budgetKey, NOTHING_SPENT } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';

/** The budgets of a run, with what all runs of all processes have stored. Calls in progress elsewhere count once they end. */
export class RunBudgets {
  readonly budgets: readonly Budget[];
  readonly #usage: SharedStorage['usage'];
  readonly #principal: Owner;
  readonly #of: { conversationId: string; agentId: string | null };
  readonly #clock: Clock;
  readonly #spent = new Map<string, Spent>();

  constructor(
    usage: SharedStorage['usage'],
    principal: Owner,
    of: { conversationId: string; agentId: string | null; budgets: readonly Budget[]; clock: Clock },
  ) {
    const { conversationId, agentId, budgets, clock } = of;
    this.budgets = budgets;
    this.#usage = usage;
    this.#principal = principal;
    this.#of = { conversationId, agentId };
    this.#clock = clock;
  }

  /** As of the last refresh. */
  readonly spent = (budget: Budget): Spent => this.#spent.get(budgetKey(budget)) ?? NOTHING_SPENT;

  /** Looks up what was used; the run itself knows what it and its turn used. */
  readonly refresh = async (): Promise<void> => {
    const at = this.#clock.now();
    for (const budget of this.budgets) {
      if (budget.of === 'run' || budget.of === 'turn') continue;
      this.#spent.set(budgetKey(budget), await this.#usage.spent(this.#principal, budget, { ...this.#of, at }));
    }
  };
}
