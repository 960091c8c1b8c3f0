import type { Clock, Principal, RunRecord } from '@toolyard/protocol';
import { budgetExceeded, budgetKey, costOf, ToolyardError, usedUp } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { readStoredConfiguration } from '../config/agent-configuration.ts';
import type { Configurations, Models } from '../services.ts';
import type { CallPolicy } from './call-limit.ts';

export type TabUsagePolicyOptions = {
  storage: Pick<SharedStorage, 'runs' | 'conversations' | 'usage'>;
  configurations: Pick<Configurations, 'resolve'>;
  models: Pick<Models, 'price'>;
  clock: Clock;
  /** What else decides on a call. */
  next: CallPolicy;
  log: (line: string) => void;
};

/**
 * What the model calls of a loop in a tab use: held against the budgets of its conversation and counted as the run's,
 * whatever the tab says of it.
 */
export function createTabUsagePolicy(runId: string, options: TabUsagePolicyOptions): CallPolicy {
  const { storage, configurations, models, clock, next, log } = options;

  async function runOf(principal: Principal): Promise<RunRecord> {
    const run = await storage.runs.getRun(principal, runId);
    if (run?.place === 'browser' && run.endedAt === null) return run;
    throw new ToolyardError({ code: 'conflict', message: 'This run is over, or it is none of a tab.' });
  }

  /** Which budgets a person let this run go past; its loop asks, and holds itself to what it was given instead. */
  async function raised(principal: Principal): Promise<ReadonlySet<string>> {
    const answered = await storage.runs.listInterrupts(principal, { runId, status: 'answered', limit: 1_000 });
    return new Set(
      answered.flatMap(({ interrupt, answer }) =>
        interrupt.kind === 'budget' && answer?.decision === 'raise' ? [budgetKey(interrupt.budget)] : [],
      ),
    );
  }

  async function refuseBeyondBudgets(
    principal: Principal,
    { conversationId, agentId }: RunRecord,
    model: string,
  ): Promise<void> {
    const conversation = await storage.conversations.get(principal, conversationId);
    const { budgets } = await configurations.resolve(principal, {
      agentId,
      ...(conversation ? { conversation: readStoredConfiguration(conversation.configuration) } : {}),
    });
    if (budgets.length === 0) return;
    const past = await raised(principal);
    for (const budget of budgets) {
      if (budget.of === 'run' || budget.of === 'turn' || budget.of === 'tool' || past.has(budgetKey(budget))) continue;
      if (budget.of === 'model' && budget.model !== model) continue;
      const spent = await storage.usage.spent(principal, budget, { conversationId, agentId, at: clock.now() });
      const measure = usedUp(budget, spent);
      if (measure) throw new ToolyardError(budgetExceeded(budget, measure, spent));
    }
  }

  return {
    async admit(principal, call) {
      const { providerId, modelId } = call;
      const run = await runOf(principal);
      await refuseBeyondBudgets(principal, run, `${providerId}/${modelId}`);
      const price = await models.price(principal, { providerId, modelId });
      const over = await next.admit(principal, call);
      const began = clock.monotonic();
      return (told) => {
        over(told);
        const cost = (told && price && costOf(told, price)) ?? null;
        const durationMs = Math.round(clock.monotonic() - began);
        const entry = { kind: 'model', at: clock.now(), durationMs, providerId, modelId, cost } as const;
        const { conversationId, agentId } = run;
        const of = { runId, conversationId, agentId, place: 'browser' } as const;
        storage.usage.add(principal, { ...entry, usage: told ?? null }, of).catch((thrown: unknown) => {
          log(`usage could not be stored: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
        });
      };
    },
  };
}
