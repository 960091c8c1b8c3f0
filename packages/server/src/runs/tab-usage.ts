import type { Clock, ModelReference, Price, Principal, Usage } from '@toolyard/protocol';
import { budgetExceeded, budgetKey, costOf, ToolyardError, usedUp } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { readStoredConfiguration } from '../config/agent-configuration.ts';
import type { Configurations } from '../services.ts';

export type TabUsageOptions = {
  storage: Pick<SharedStorage, 'runs' | 'conversations' | 'usage'>;
  configurations: Configurations;
  clock: Clock;
};

/** What the model calls of a loop in a tab use: it is counted here, whatever the tab says of it. */
export type TabUsage = {
  /**
   * Called before anything is sent; what it gives is called once, with what the call used.
   *
   * @throws ToolyardError `conflict` for a run that is over or none of a tab's, or what a budget says
   */
  admit(
    principal: Principal,
    runId: string,
    of: ModelReference & { price: Price | undefined },
  ): Promise<(usage: Usage | undefined) => void>;
};

export function createTabUsage({ storage, configurations, clock }: TabUsageOptions): TabUsage {
  /** Which budgets a person let this run go past; its loop asks, and counts what it was given instead. */
  async function raised(principal: Principal, runId: string): Promise<ReadonlySet<string>> {
    const answered = await storage.runs.listInterrupts(principal, { runId, status: 'answered', limit: 1_000 });
    return new Set(
      answered.flatMap(({ interrupt, answer }) =>
        interrupt.kind === 'budget' && answer?.decision !== 'stop' ? [budgetKey(interrupt.budget)] : [],
      ),
    );
  }

  return {
    async admit(principal, runId, { providerId, modelId, price }) {
      const run = await storage.runs.getRun(principal, runId);
      if (run?.place !== 'browser' || run.endedAt !== null) {
        throw new ToolyardError({ code: 'conflict', message: 'This run is over, or it is none of a tab.' });
      }
      const { conversationId, agentId } = run;
      const conversation = await storage.conversations.get(principal, conversationId);
      const { budgets } = await configurations.resolve(principal, {
        agentId,
        ...(conversation ? { conversation: readStoredConfiguration(conversation.configuration) } : {}),
      });
      const past = budgets.length > 0 ? await raised(principal, runId) : new Set();
      for (const budget of budgets) {
        if (budget.of === 'run' || budget.of === 'turn' || budget.of === 'tool' || past.has(budgetKey(budget)))
          continue;
        if (budget.of === 'model' && budget.model !== `${providerId}/${modelId}`) continue;
        const spent = await storage.usage.spent(principal, budget, { conversationId, agentId, at: clock.now() });
        const measure = usedUp(budget, spent);
        if (measure) throw new ToolyardError(budgetExceeded(budget, measure, spent));
      }
      const began = clock.monotonic();
      return (usage) => {
        const cost = usage && price ? costOf(usage, price) : undefined;
        const entry = {
          kind: 'model' as const,
          at: clock.now(),
          durationMs: Math.round(clock.monotonic() - began),
          providerId,
          modelId,
          usage: usage ?? null,
          cost: cost ?? null,
        };
        // Counted is what can be: an answer that was given is not taken back for it.
        storage.usage
          .add(principal, entry, { runId, conversationId, agentId, place: 'browser' })
          .catch(() => undefined);
      };
    },
  };
}
