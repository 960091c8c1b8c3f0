import type { Clock, Principal } from '@toolyard/protocol';
import { budgetExceeded, costOf, ToolyardError, usedUp } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import type { Configurations, Models } from '../services.ts';
import type { CallPolicy } from './call-limit.ts';

export type UsagePolicyOptions = {
  usage: SharedStorage['usage'];
  configurations: Pick<Configurations, 'resolve'>;
  models: Pick<Models, 'price'>;
  clock: Clock;
  /** What else decides on a call. */
  next: CallPolicy;
  log: (line: string) => void;
};

/**
 * Holds single calls against the owner's budgets of the day and of the model, and counts them. Nobody can be asked in
 * the middle of a request: what is past a budget is refused.
 */
export function createUsagePolicy(options: UsagePolicyOptions): CallPolicy {
  const { usage, configurations, models, clock, next, log } = options;

  async function refuseBeyondBudgets(principal: Principal, model: string): Promise<void> {
    const { budgets } = await configurations.resolve(principal, { agentId: null });
    for (const budget of budgets) {
      if (budget.of !== 'day' && (budget.of !== 'model' || budget.model !== model)) continue;
      const spent = await usage.spent(principal, budget, { conversationId: null, agentId: null, at: clock.now() });
      const measure = usedUp(budget, spent);
      if (measure) throw new ToolyardError(budgetExceeded(budget, measure, spent));
    }
  }

  return {
    async admit(principal, call) {
      const { providerId, modelId } = call;
      await refuseBeyondBudgets(principal, `${providerId}/${modelId}`);
      const price = await models.price(principal, { providerId, modelId });
      const over = await next.admit(principal, call);
      const began = clock.monotonic();
      return (told) => {
        over(told);
        const cost = (told && price && costOf(told, price)) ?? null;
        const durationMs = Math.round(clock.monotonic() - began);
        const entry = { kind: 'model', at: clock.now(), durationMs, providerId, modelId, cost } as const;
        usage.add(principal, { ...entry, usage: told ?? null }).catch((thrown: unknown) => {
          log(`usage could not be stored: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
        });
      };
    },
  };
}
