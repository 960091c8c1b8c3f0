import { budgetPhrase } from '@toolyard/protocol';
import type { AgentState } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';

/** Says, once a run, that budgets in dollars alone do not stop a model whose answers cost nobody knows what. */
export function noticeUnpriced(host: RunHost, before: AgentState, cost: number | undefined): void {
  if (cost !== undefined || before.spent.run.unpriced > 0) return;
  const budgets = host.budgets?.dollarsOnly(before) ?? [];
  if (budgets.length === 0) return;
  const names = budgets.map(budgetPhrase).join(', ');
  host.journal.append({
    type: 'notice',
    level: 'warning',
    code: 'budget_unpriced',
    text:
      `What ${host.modelId} costs is not known: a limit in dollars alone does not stop it (${names}). ` +
      'Add a limit in tokens or calls, or state the price of the model.',
  });
}
