import type { ErrorInfo, ToolReference, Usage } from '@toolyard/protocol';
import { costOf, ToolyardError } from '@toolyard/protocol';
import type { AgentState } from '@toolyard/agent-runtime';
import { budgetError, withModelCall } from '@toolyard/agent-runtime';
import type { ModelRequestOfTool, ToolModelRequests } from '../functions/tool.ts';
import type { RunHost } from '../run-host.ts';
import { noticeUnpriced } from './notice-unpriced.ts';

/** Usage and cost that the model reported for a sampling request; undefined if it reported none. */
type ReportedUsage = { usage: Usage; cost?: number } | undefined;

/** Usage of the model requests during the calls of a step: of servers (sampling), and of function tools. */
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
    const { budgets, usageStored } = this.#host;
    await usageStored?.();
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
    const { model, modelId } = this.#host;
    this.#count(call.tool, { ...call, providerId: model.provider, modelId, usage: reported?.usage, cost });
  }

  /** Accounts for the requests that a function tool makes itself. */
  of(tool: ToolReference): ToolModelRequests {
    return {
      check: async () => {
        const refusal = await this.refusal();
        if (refusal) throw new ToolyardError(refusal);
      },
      add: (request) => this.#count(tool, request),
    };
  }

  #count(tool: ToolReference, { providerId, modelId, usage, cost, durationMs }: ModelRequestOfTool): void {
    if (usage) noticeUnpriced(this.#host, this.addTo(this.#before), cost);
    this.#asked.push({ usage, cost });
    const { clock, used } = this.#host;
    const entry = { kind: 'model', at: clock.now(), durationMs, tool, providerId, modelId } as const;
    used?.({ ...entry, usage: usage ?? null, cost: cost ?? null });
  }

  addTo(state: AgentState): AgentState {
    return this.#asked.reduce<AgentState>((sum, { usage, cost }) => withModelCall(sum, usage, cost), state);
  }
}
