import type { ErrorInfo, ToolReference, Usage } from '@toolyard/protocol';
import { costOf } from '@toolyard/protocol';
import type { AgentState } from '@toolyard/agent-runtime';
import { budgetError, withModelCall } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';

/** What models were asked on behalf of servers while the calls of a step were made. */
export class Bill {
  readonly #host: RunHost;
  readonly #before: AgentState;
  #usages: (Usage | undefined)[] = [];

  constructor(host: RunHost, before: AgentState) {
    this.#host = host;
    this.#before = before;
  }

  /** Why no model may be asked any more. */
  async refusal(): Promise<ErrorInfo | undefined> {
    const { budgets } = this.#host;
    if (!budgets) return undefined;
    await budgets.refresh();
    const excess = budgets.check(this.addTo(this.#before), 'model');
    return excess ? budgetError(excess) : undefined;
  }

  /** `usage` is undefined where the model does not say what it took. */
  add(usage: Usage | undefined, call: { tool: ToolReference; durationMs: number }): void {
    this.#usages.push(usage);
    const { price } = this.#before.limits;
    const { model, modelId, clock, used } = this.#host;
    used?.({
      kind: 'model',
      at: clock.now(),
      ...call,
      providerId: model.provider,
      modelId,
      usage: usage ?? null,
      cost: (usage && price && costOf(usage, price)) ?? null,
    });
  }

  addTo(state: AgentState): AgentState {
    return this.#usages.reduce<AgentState>(withModelCall, state);
  }
}
