import type { ErrorInfo, ToolReference, Usage } from '@toolyard/protocol';
import { costOf } from '@toolyard/protocol';
import type { AgentState } from '@toolyard/agent-runtime';
import { budgetError, withModelCall } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { noticeUnpriced } from './notice-unpriced.ts';

/** Usage and cost that the model reported for a sampling request; undefined if it reported none. */
type ReportedUsage = { usage: Usage; cost?: number } | undefined;

/** Usage of the sampling requests during the calls of a step. */
export class SamplingUsage {
  readonly #host: RunHost;
  readonly #before: AgentState;
  readonly #asked: { usage: Usage | undefined; cost: number | undefined }[] = [];

  constructor(host: RunHost, before: AgentState) {
    this.#host = host;
    this.#before = before;
  }

  /** Why no further model request is allowed; undefined if one is. */
  async refusal(): Promise<ErrorInfo | undefined> {
    const { budgets } = this.#host;
    if (!budgets) return undefined;
    await budgets.refresh();
    const beyond = budgets.ofParents();
    if (beyond) return beyond;
    const excess = budgets.check(this.addTo(this.#before), 'model');
    return excess ? budgetError(excess) : undefined;
  }

  add(reported: ReportedUsage, call: { tool: ToolReference; durationMs: number }): void {
    const { price } = this.#before.limits;
    const cost = reported && ((price && costOf(reported.usage, price)) ?? reported.cost);
    if (reported) noticeUnpriced(this.#host, this.addTo(this.#before), cost);
    this.#asked.push({ usage: reported?.usage, cost });
    const { model, modelId, clock, used } = this.#host;
    used?.({
      kind: 'model',
      at: clock.now(),
      ...call,
      providerId: model.provider,
      modelId,
      usage: reported?.usage ?? null,
      cost: cost ?? null,
    });
  }

  addTo(state: AgentState): AgentState {
    return this.#asked.reduce<AgentState>((sum, { usage, cost }) => withModelCall(sum, usage, cost), state);
  }
}
