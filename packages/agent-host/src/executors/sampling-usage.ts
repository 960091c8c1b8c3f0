import type { ErrorInfo, ToolReference, Usage } from '@toolyard/protocol';
import { costOf } from '@toolyard/protocol';
import type { AgentState } from '@toolyard/agent-runtime';
import { budgetError, withModelCall } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { noticeUnpriced } from './notice-unpriced.ts';

/** What a model that was asked on behalf of a server said of its answer; undefined where it said nothing. */
type Told = { usage: Usage; cost?: number } | undefined;

/** What models were asked on behalf of servers while the calls of a step were made. */
export class SamplingUsage {
  readonly #host: RunHost;
  readonly #before: AgentState;
  readonly #asked: { usage: Usage | undefined; cost: number | undefined }[] = [];

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

  add(told: Told, call: { tool: ToolReference; durationMs: number }): void {
    const { price } = this.#before.limits;
    const cost = told && ((price && costOf(told.usage, price)) ?? told.cost);
    if (told) noticeUnpriced(this.#host, this.addTo(this.#before), cost);
    this.#asked.push({ usage: told?.usage, cost });
    const { model, modelId, clock, used } = this.#host;
    used?.({
      kind: 'model',
      at: clock.now(),
      ...call,
      providerId: model.provider,
      modelId,
      usage: told?.usage ?? null,
      cost: cost ?? null,
    });
  }

  addTo(state: AgentState): AgentState {
    return this.#asked.reduce<AgentState>((sum, { usage, cost }) => withModelCall(sum, usage, cost), state);
  }
}
