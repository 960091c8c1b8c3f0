import type { Usage } from '@toolyard/protocol';
import type { AgentState } from '@toolyard/agent-runtime';
import { withModelCall } from '@toolyard/agent-runtime';

/** What models were asked on behalf of servers while the calls of a step were made. */
export class Bill {
  #usages: (Usage | undefined)[] = [];

  /** Undefined where the model does not say what it took. */
  add(usage: Usage | undefined): void {
    this.#usages.push(usage);
  }

  addTo(state: AgentState): AgentState {
    return this.#usages.reduce<AgentState>(withModelCall, state);
  }
}
