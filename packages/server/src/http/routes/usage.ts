import type { BudgetView, Principal, ResolvedAgentConfiguration, UsageReport } from '@toolyard/protocol';
import { readStoredConfiguration } from '../../config/agent-configuration.ts';
import { fileAnswer } from '../responses.ts';
import { findConversation } from '../views/conversation-view.ts';
import { refusal } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';
import { usageCsv } from '../views/usage-csv.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Default period, including today. */
const STANDARD_DAYS = 30;

/** Usage of models and tools, and budgets. */
export function addUsageRoutes({ route }: Router, deps: HttpAppOptions): void {
  const { storage, configurations, clock } = deps;
  const today = (): number => Math.floor(clock.now() / DAY_MS) * DAY_MS;

  route('GET /api/usage', async ({ c, principal, query }) => {
    const to = query.to ?? toDay(today());
    const from = query.from ?? toDay(Date.parse(`${to}T00:00:00Z`) - (STANDARD_DAYS - 1) * DAY_MS);
    if (from > to) {
      throw refusal({ code: 'bad_request', message: `The end of the period (${to}) is before its start (${from}).` });
    }
    const found = await storage.usage.report(principal, { by: query.by, from, to });
    const report: UsageReport = { from, to, by: query.by, ...found };
    if (query.format === 'json') return report;
    return fileAnswer(c, usageCsv(report), {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="usage-by-${query.by}-${from}-${to}.csv"`,
    });
  });

  route('GET /api/usage/budgets', async ({ principal, query }) => ({
    items: await readBudgets(principal, query.conversation),
  }));

  async function readBudgets(principal: Principal, id: string | undefined): Promise<BudgetView[]> {
    const conversation = id === undefined ? null : await findConversation(deps, principal, id);
    const agentId = conversation?.agentId ?? null;
    const resolved = await configurations.resolve(principal, {
      agentId,
      ...(conversation ? { conversation: readStoredConfiguration(conversation.configuration) } : {}),
    });
    const runId = conversation?.activeRun?.id ?? null;
    const of = { conversationId: conversation?.id ?? null, runId, agentId, at: clock.now() };
    const views: BudgetView[] = [];
    for (const budget of resolved.budgets) {
      if (conversation && !concerns(budget, resolved)) continue;
      views.push({ budget, spent: await storage.usage.spent(principal, budget, of) });
    }
    return views;
  }
}

/** Budgets of other models do not apply to this conversation. */
function concerns(budget: BudgetView['budget'], { model }: ResolvedAgentConfiguration): boolean {
  return budget.of !== 'model' || (model !== null && budget.model === `${model.providerId}/${model.modelId}`);
}

function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
