import type { Budget, Clock, Owner, StoredInterrupt } from '@toolyard/protocol';
import { budgetExceeded, budgetKey, costOf, messageOf, ToolyardError, exhaustedMeasure } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { readStoredConfiguration } from '../config/agent-configuration.ts';
import { allInterrupts } from '../runs/all-interrupts.ts';
import type { Configurations, Models } from '../services.ts';
import type { CallPolicy } from './call-limit.ts';

export type UsagePolicyOptions = {
  storage: Pick<SharedStorage, 'runs' | 'conversations' | 'usage'>;
  configurations: Pick<Configurations, 'resolve'>;
  models: Pick<Models, 'price'>;
  clock: Clock;
  /** What else decides on a call. */
  next: CallPolicy;
  log: (line: string) => void;
};

/** On whose account a call goes: that of a run whose loop is in a tab, or of nobody but the owner. */
type Account = {
  budgets: readonly Budget[];
  run: { runId: string; conversationId: string; agentId: string | null; place: 'browser' } | undefined;
};

/**
 * Holds calls from outside against the owner's budgets, and counts them, whatever who makes them says. Nobody can be
 * asked in the middle of a request: what is past a budget is refused. What a run and its turns may use, and tools, is
 * the affair of the loop that knows them.
 */
export function createUsagePolicy(options: UsagePolicyOptions): CallPolicy {
  const { storage, configurations, models, clock, next, log } = options;
  const { runs, conversations, usage } = storage;

  async function accountOf(principal: Owner, runId: string | undefined): Promise<Account> {
    if (runId === undefined) {
      const { budgets } = await configurations.resolve(principal, { agentId: null });
      return { budgets: budgets.filter((budget) => budget.of === 'day' || budget.of === 'model'), run: undefined };
    }
    const run = await runs.getRun(principal, runId);
    if (run?.place !== 'browser' || run.endedAt !== null) {
      throw new ToolyardError({ code: 'conflict', message: 'This run is over, or it is none of a tab.' });
    }
    const { conversationId, agentId } = run;
    const conversation = await conversations.get(principal, conversationId);
    const { budgets } = await configurations.resolve(principal, {
      agentId,
      ...(conversation ? { conversation: readStoredConfiguration(conversation.configuration) } : {}),
    });
    const held = budgets.filter(({ of }) => of !== 'run' && of !== 'turn' && of !== 'tool');
    return {
      budgets: held.length > 0 ? await raisedFor(principal, runId, held) : held,
      run: { runId, conversationId, agentId, place: 'browser' },
    };
  }

  /** Budgets as a person raised them for this run. One that stands higher by now stays as it is. */
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
      const account = await accountOf(principal, call.runId);
      await refuseBeyond(account, principal, `${providerId}/${modelId}`);
      const price = await models.price(principal, { providerId, modelId });
      const over = await next.admit(principal, call);
      const began = clock.monotonic();
      return (told) => {
        over(told);
        const cost = (told && price && costOf(told, price)) ?? null;
        const durationMs = Math.round(clock.monotonic() - began);
        const entry = { kind: 'model', at: clock.now(), durationMs, providerId, modelId, cost } as const;
        // Counted is what can be: an answer that was given is not taken back for it.
        usage.add(principal, { ...entry, usage: told ?? null }, account.run).catch((thrown: unknown) => {
          log(`usage could not be stored: ${messageOf(thrown)}`);
        });
      };
    },
  };
}
