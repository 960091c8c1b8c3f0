import type { Budget, Clock, Owner, StoredInterrupt } from '@toolyard/protocol';
import { budgetExceeded, budgetKey, costOf, messageOf, ToolyardError, exhaustedMeasure, say } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { createConflictError } from '../errors.ts';
import { getLayers } from '../config/configuration-layers.ts';
import { allInterrupts } from '../runs/read/all-interrupts.ts';
import type { Configurations, Models } from '../services.ts';
import type { CallPolicy } from './call-limit.ts';

export type UsagePolicyOptions = {
  storage: Pick<SharedStorage, 'runs' | 'conversations' | 'usage'>;
  configurations: Pick<Configurations, 'resolve'>;
  models: Pick<Models, 'price'>;
  clock: Clock;
  /** The policy to ask next. */
  next: CallPolicy;
  log: (line: string) => void;
};

/** Whose budgets a call counts against: those of a run in a tab, or only the owner's. */
type Account = {
  budgets: readonly Budget[];
  run: { runId: string; conversationId: string; agentId: string | null; place: 'browser' } | undefined;
};

/**
 * Checks calls outside of runs against the owner's budgets, and counts them, whatever the client reports. There is no
 * user to ask during a request: a call beyond a budget is rejected. Budgets of runs, turns and tools are enforced by
 * the loop in the tab.
 */
export function createUsagePolicy(options: UsagePolicyOptions): CallPolicy {
  const { storage, configurations, models, clock, next, log } = options;
  const { runs, conversations, usage } = storage;

  async function getAccount(principal: Owner, runId: string | undefined): Promise<Account> {
    if (runId === undefined) {
      const { budgets } = await configurations.resolve(principal, { agentId: null });
      return { budgets: budgets.filter((budget) => budget.of === 'day' || budget.of === 'model'), run: undefined };
    }
    const run = await runs.getRun(principal, runId);
    if (run?.place !== 'browser' || run.endedAt !== null) {
      throw createConflictError(say`This run has ended, or does not execute in a tab.`);
    }
    const { conversationId, agentId } = run;
    const conversation = await conversations.get(principal, conversationId);
    const layers = conversation ? getLayers(conversation, { agentId }) : { agentId };
    const { budgets } = await configurations.resolve(principal, layers);
    const held = budgets.filter(({ of }) => of !== 'run' && of !== 'turn' && of !== 'tool');
    return {
      budgets: held.length > 0 ? await raisedFor(principal, runId, held) : held,
      run: { runId, conversationId, agentId, place: 'browser' },
    };
  }

  /** Budgets as raised by the user for this run, unless they are higher by now. */
  async function raisedFor(principal: Owner, runId: string, budgets: readonly Budget[]): Promise<Budget[]> {
    const answered: StoredInterrupt[] = [];
    for await (const each of allInterrupts(runs, principal, { runId, status: 'answered' })) answered.push(each);
    return budgets.map((budget) => {
      const raised = { ...budget };
      for (const { interrupt, answer } of answered) {
        if (interrupt.kind !== 'budget' || answer?.decision !== 'raise') continue;
        const { measure } = interrupt;
        const now = raised[measure];
        if (now === undefined || budgetKey(interrupt.budget) !== budgetKey(budget)) continue;
        raised[measure] = Math.max(now, answer.limit);
      }
      return raised;
    });
  }

  async function refuseBeyond({ budgets, run }: Account, principal: Owner, model: string): Promise<void> {
    for (const budget of budgets) {
      if (budget.of === 'model' && budget.model !== model) continue;
      const { conversationId = null, agentId = null } = run ?? {};
      const spent = await usage.spent(principal, budget, { conversationId, agentId, at: clock.now() });
      const measure = exhaustedMeasure(budget, spent);
      if (measure) throw new ToolyardError(budgetExceeded(budget, measure, spent));
    }
  }

  return {
    async admit(principal, call) {
      const { providerId, modelId } = call;
      const account = await getAccount(principal, call.runId);
      await refuseBeyond(account, principal, `${providerId}/${modelId}`);
      const price = await models.price(principal, { providerId, modelId });
      const over = await next.admit(principal, call);
      const began = clock.monotonic();
      return (usageOfCall, hasFailed = false) => {
        over(usageOfCall, hasFailed);
        const cost = (usageOfCall && price && costOf(usageOfCall, price)) ?? null;
        const durationMs = Math.round(clock.monotonic() - began);
        const entry = { kind: 'model', at: clock.now(), durationMs, providerId, modelId, cost } as const;
        // A response is not withheld because counting it failed.
        usage
          .add(principal, { ...entry, usage: usageOfCall ?? null, ...(hasFailed ? { failed: true } : {}) }, account.run)
          .catch((thrown: unknown) => {
            log(`usage: could not be stored: ${messageOf(thrown)}`);
          });
      };
    },
  };
}
