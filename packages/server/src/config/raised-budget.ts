import type {
  AgentConfiguration,
  AnswerSideEffect,
  Budget,
  BudgetMeasure,
  JsonObject,
  JsonValue,
  Owner,
  ToolyardError,
} from '@toolyard/protocol';
import { budgetKey, mergeBudgets, budgetPhrase, say } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { createInvalidError, createNotFoundError } from '../errors.ts';
import { readStoredConfiguration } from './agent-configuration.ts';

/** The settings key of the lowest layer, which the page edits. */
export const DEFAULTS_KEY = 'defaults';

export type RaiseBudgetOptions = {
  storage: Pick<SharedStorage, 'settings' | 'agents' | 'conversations'>;
  fileDefaults: AgentConfiguration;
};

export type RaisedBudget = { budget: Budget; measure: BudgetMeasure; limit: number };

/**
 * Finds where to store a raised budget, to be committed together with the answer: the conversation, or (`always`) the
 * topmost layer that sets it.
 *
 * @throws ToolyardError if it is set where the API cannot change it
 */
export async function findBudgetLayer(
  { storage, fileDefaults }: RaiseBudgetOptions,
  principal: Owner,
  conversationId: string,
  scope: 'conversation' | 'always',
  { budget, measure, limit }: RaisedBudget,
): Promise<AnswerSideEffect> {
  const key = budgetKey(budget);
  const setIn = (stored: unknown): Budget | undefined =>
    readStoredConfiguration(stored).budgets?.find((each) => budgetKey(each) === key);
  const change = (stored: JsonValue): JsonObject => {
    const configuration = readStoredConfiguration(stored);
    const from = setIn(stored) ?? budget;
    // Does not lower a budget that was raised further in the meantime.
    const raised = { ...from, [measure]: Math.max(limit, from[measure] ?? 0) };
    return { ...configuration, budgets: mergeBudgets(configuration.budgets ?? [], [raised]) };
  };

  const conversation = await storage.conversations.get(principal, conversationId);
  if (!conversation) throw createNotFoundError(say`There is no conversation ${conversationId}.`);
  const ofConversation = setIn(conversation.configuration);
  if (scope === 'conversation' || ofConversation) {
    return { what: 'conversations', id: conversationId, change };
  }

  const { agentId } = conversation;
  const agent = agentId === null ? null : await storage.agents.get(principal, agentId);
  if (agent && setIn(agent.configuration)) return { what: 'agents', id: agent.id, change };

  if (fileDefaults.budgets?.some((each) => budgetKey(each) === key)) {
    throw createBudgetConflictError(
      budget,
      'is set in config.json',
      'Change it in config.json, or raise it for this run or conversation.',
    );
  }
  const defaults = await storage.settings.get(principal, DEFAULTS_KEY);
  if (!setIn(defaults))
    throw createBudgetConflictError(budget, 'was set by the message', 'Raise it for this run or conversation.');
  return { what: 'settings', id: DEFAULTS_KEY, change };
}

function createBudgetConflictError(budget: Budget, where: string, hint: string): ToolyardError {
  const name = budgetPhrase(budget);
  const message = `${name.charAt(0).toUpperCase()}${name.slice(1)} ${where} and cannot be changed from here.`;
  return createInvalidError(message, hint);
}
