import type { Usage } from '@toolyard/protocol';
import { addUsage, costOf } from '@toolyard/protocol';
import type { AgentState } from '@toolyard/agent-runtime';

/** What models were asked on behalf of servers while the calls of a step were made. */
export class Bill {
  #usages: (Usage | undefined)[] = [];

  /** Undefined where the model does not say what it took. */
  add(usage: Usage | undefined): void {
    this.#usages.push(usage);
  }

  addTo(state: AgentState): AgentState {
    const { price } = state.limits;
    return this.#usages.reduce<AgentState>((sum, usage) => {
      if (!usage) return { ...sum, cost: null };
      const cost = price && costOf(usage, price);
      const total = sum.cost === null || cost === undefined ? null : sum.cost + cost;
      return { ...sum, usage: addUsage(sum.usage, usage), cost: total };
    }, state);
  }
}
