import type { AgentConfiguration, Budget, BudgetMeasure, JsonObject, Principal } from '@toolyard/protocol';
import { budgetKey, mergeBudgets, nameBudget, ToolyardError } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { readStoredConfiguration } from './agent-configuration.ts';

/** The settings key under which the page keeps the undermost layer. */
export const DEFAULTS_KEY = 'defaults';

export type RaiseBudgetOptions = {
  storage: Pick<SharedStorage, 'settings' | 'agents' | 'conversations'>;
  fileDefaults: AgentConfiguration;
  now: () => number;
};

export type Raised = { budget: Budget; measure: BudgetMeasure; limit: number };

/** Where a raised budget is to be kept. Tells what was changed. */
export type KeepRaised = () => Promise<{ what: 'conversations' | 'agents' | 'settings'; id: string }>;

/**
 * Finds the place where a raised budget is to be kept: the conversation, or (`always`) the uppermost layer that sets it.
 *
 * @throws ToolyardError where it is set where nothing can be changed from here
 */
export async function whereToRaise(
  { storage, fileDefaults, now }: RaiseBudgetOptions,
  principal: Principal,
  conversationId: string,
  scope: 'conversation' | 'always',
  { budget, measure, limit }: Raised,
): Promise<KeepRaised> {
  const key = budgetKey(budget);
  const setIn = (stored: unknown): Budget | undefined =>
    readStoredConfiguration(stored).budgets?.find((each) => budgetKey(each) === key);
  const raisedIn = (stored: unknown, from: Budget): JsonObject => {
    const configuration = readStoredConfiguration(stored);
    const budgets = mergeBudgets(configuration.budgets ?? [], [{ ...from, [measure]: limit }]);
    return { ...configuration, budgets };
  };

  const conversation = await storage.conversations.get(principal, conversationId);
  if (!conversation)
    throw new ToolyardError({ code: 'not_found', message: `There is no conversation ${conversationId}.` });
  const ofConversation = setIn(conversation.configuration);
  if (scope === 'conversation' || ofConversation) {
    return async () => {
      const configuration = raisedIn(conversation.configuration, ofConversation ?? budget);
      await storage.conversations.update(principal, conversationId, { configuration });
      return { what: 'conversations', id: conversationId };
    };
  }

  const { agentId } = conversation;
  const agent = agentId === null ? null : await storage.agents.get(principal, agentId);
  const ofAgent = agent && setIn(agent.configuration);
  if (agent && ofAgent) {
    return async () => {
      const configuration = raisedIn(agent.configuration, ofAgent);
      await storage.agents.update(principal, agent.id, { configuration, version: agent.version, at: now() });
      return { what: 'agents', id: agent.id };
    };
  }

  if (fileDefaults.budgets?.some((each) => budgetKey(each) === key)) {
    throw elsewhere(budget, 'stands in config.json', 'Change it there, or raise it for this run or conversation.');
  }
  const defaults = await storage.settings.get(principal, DEFAULTS_KEY);
  const ofDefaults = setIn(defaults);
  if (!ofDefaults) throw elsewhere(budget, 'was given with the message', 'Raise it for this run or conversation.');
  return async () => {
    await storage.settings.set(principal, DEFAULTS_KEY, raisedIn(defaults, ofDefaults), now());
    return { what: 'settings', id: DEFAULTS_KEY };
  };
}

function elsewhere(budget: Budget, where: string, hint: string): ToolyardError {
  const name = nameBudget(budget);
  const message = `${name.charAt(0).toUpperCase()}${name.slice(1)} ${where} and cannot be changed from here.`;
  return new ToolyardError({ code: 'bad_request', message, hint });
}
