import { budgetPhrase, say, withTemplates } from '@toolyard/protocol';
import type { AgentState } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';

/**
 * Adds one notice per run if budgets with a limit in dollars only have no effect because the model's price is unknown.
 */
export function noticeUnpriced(host: RunHost, before: AgentState, cost: number | undefined): void {
  if (cost !== undefined || before.spent.run.unpriced > 0) return;
  const budgets = host.budgets?.dollarsOnly(before) ?? [];
  if (budgets.length === 0) return;
  const names = budgets.map(budgetPhrase).join(', ');
  const text = say`The price of ${host.modelId} is unknown, so a limit in dollars has no effect (${names}). Add a limit in tokens or calls, or configure the price of the model.`;
  host.journal.append(withTemplates({ type: 'notice', level: 'warning', code: 'budget_unpriced', text }));
}
