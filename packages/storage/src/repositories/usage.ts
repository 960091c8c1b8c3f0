import type { Budget, Owner, Spent, UsageEntry } from '@toolyard/protocol';
import { ZERO_SPENT } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import { statements } from '../engine/work.ts';
import { scrubText } from '../text.ts';
import { toDay } from '../usage/day.ts';
import type { ReadUsage } from '../usage/usage-report.ts';
import type { UsageOf } from '../usage/usage-writer.ts';
import { createUsageWriter } from '../usage/usage-writer.ts';

/** Owner of a budget; fields that are null do not apply. */
type BudgetOf = { conversationId: string | null; runId?: string | null; agentId: string | null; at: number };

/** Usage of calls. That of a run is stored with its steps: see `RunCommit.usage`. */
export type UsageRepository = {
  /** Adds a call outside any run. */
  add(principal: Owner, entry: UsageEntry, of?: Partial<Omit<UsageOf, 'ownerId'>>): Promise<void>;
  /**
   * Used part of a budget, as stored, with that of sub-agents. Zero for a turn, which the run counts itself.
   */
  spent(principal: Owner, budget: Budget, of: BudgetOf): Promise<Spent>;
  /** Usage of a day by all runs that this API key or incoming webhook started. */
  spentBy(principal: Owner, startedBy: string, at: number): Promise<Spent>;
  report: ReadUsage;
};

const spentIn = (table: 'usage_sums' | 'usage_days'): string => `
  SELECT coalesce(sum(cost), 0) AS dollars,
    CAST(coalesce(sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)), 0) AS BIGINT) AS tokens,
    CAST(coalesce(sum(calls), 0) AS BIGINT) AS calls, CAST(coalesce(sum(unpriced), 0) AS BIGINT) AS unpriced
  FROM ${table} WHERE owner_id = ?1`;

export function createUsageRepository(engine: StorageEngine, report: ReadUsage): UsageRepository {
  const writer = createUsageWriter(engine);
  const ofModels = `${spentIn('usage_sums')} AND kind = 'model'`;
  const ofModelsPerDay = `${spentIn('usage_days')} AND kind = 'model' AND day = ?2`;
  // With those of sub-agents: a conversation and a run are the roots of trees. The first condition is that of the index.
  const ofConversation = engine.prepare<Spent>(`${ofModels} AND conversation_id <> '' AND (conversation_id = ?2
    OR conversation_id IN (
      WITH RECURSIVE tree (id) AS (
        SELECT id FROM conversations WHERE parent_id = ?2
        UNION SELECT c.id FROM conversations AS c JOIN tree ON c.parent_id = tree.id
      ) SELECT id FROM tree))`);
  const ofRun = engine.prepare<Spent>(`${ofModels} AND conversation_id <> '' AND ((conversation_id = ?2 AND run_id = ?3)
    OR (conversation_id, run_id) IN (
      WITH RECURSIVE tree (conversation_id, id) AS (
        SELECT conversation_id, id FROM runs WHERE parent_run_id = ?3
        UNION SELECT r.conversation_id, r.id FROM runs AS r JOIN tree ON r.parent_run_id = tree.id
      ) SELECT conversation_id, id FROM tree))`);
  const ofDay = engine.prepare<Spent>(ofModelsPerDay);
  const ofAgent = engine.prepare<Spent>(`${ofModelsPerDay} AND agent_id = ?3`);
  const ofModel = engine.prepare<Spent>(`${ofModelsPerDay} AND source || '/' || name = ?3`);
  const ofStarter = engine.prepare<Spent>(`${ofModels} AND day = ?2 AND (conversation_id, run_id) IN (
    SELECT conversation_id, id FROM runs WHERE started_by = ?3 AND updated_at >= ?4)`);
  const samplingOfTool = engine.prepare<Spent>(`${ofModelsPerDay} AND for_tool = ?3`);
  const callsOfTool = engine.prepare<Spent>(
    `${spentIn('usage_days')} AND kind = 'tool' AND day = ?2 AND source || '/' || name = ?3`,
  );

  return {
    add: ({ ownerId }, entry, { runId = null, conversationId = null, agentId = null, place = 'api' } = {}) =>
      engine.perform(statements(() => writer.add(entry, { ownerId, runId, conversationId, agentId, place }))),

    async spent({ ownerId }, budget, { conversationId, runId = null, agentId, at }) {
      const day = toDay(at);
      const spent = await engine.perform(
        statements(function* () {
          switch (budget.of) {
            case 'turn':
              return undefined;
            case 'run':
              if (conversationId === null || runId === null) return undefined;
              return yield* ofRun.get(ownerId, conversationId, runId);
            case 'conversation':
              return conversationId === null ? undefined : yield* ofConversation.get(ownerId, conversationId);
            case 'day':
              return yield* ofDay.get(ownerId, day);
            case 'agent':
              return agentId === null ? undefined : yield* ofAgent.get(ownerId, day, agentId);
            case 'model':
              return yield* ofModel.get(ownerId, day, scrubText(budget.model));
            case 'tool': {
              const sampling = yield* samplingOfTool.get(ownerId, day, scrubText(budget.tool));
              const called = yield* callsOfTool.get(ownerId, day, scrubText(budget.tool));
              return { ...ZERO_SPENT, ...sampling, calls: called?.calls ?? 0 };
            }
          }
        }),
      );
      return spent ? { ...spent } : ZERO_SPENT;
    },

    async spentBy({ ownerId }, startedBy, at) {
      const day = toDay(at);
      const read = () => ofStarter.get(ownerId, day, startedBy, Date.parse(`${day}T00:00:00Z`));
      return { ...ZERO_SPENT, ...(await engine.perform(statements(read))) };
    },

    report,
  };
}
