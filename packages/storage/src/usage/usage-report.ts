import type { Owner, Usage, UsageBy, UsageRow, UsageSum } from '@toolyard/protocol';

/** Days in UTC, both included. */
export type UsageQuery = { by: UsageBy; from: string; to: string };

/** `total` also includes usage beyond the maximum number of rows. */
export type UsageFound = { rows: UsageRow[]; total: UsageSum };

/**
 * Reads one row per day, model, tool and agent; by conversation for a part of the days one row per run, in a worker
 * thread on SQLite.
 */
export type ReadUsage = (principal: Owner, query: UsageQuery) => Promise<UsageFound>;

/** Maximum number of rows: those with the highest cost. */
const MAX_ROWS = 1_000;

const COUNTED = ['failures', 'duration_ms', 'unpriced', 'uncounted'];
const KNOWN = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'cache_write_tokens', 'reasoning_tokens'];
const integerSum = (sum: string, name: string): string => `CAST(coalesce(sum(${sum}), 0) AS BIGINT) AS ${name}`;
const SUMS = [
  integerSum("CASE WHEN kind = 'model' THEN calls ELSE 0 END", 'model_calls'),
  integerSum("CASE WHEN kind = 'tool' THEN calls ELSE 0 END", 'tool_calls'),
  ...COUNTED.map((column) => integerSum(column, column)),
  ...KNOWN.map((column) => `CAST(sum(${column}) AS BIGINT) AS ${column}`),
  'coalesce(sum(cost), 0) AS cost',
].join(', ');
/** The same columns of a conversation. */
const TOTALS = ['calls - tool_calls AS model_calls', 'tool_calls', ...COUNTED, ...KNOWN, 'cost'].join(', ');

const DAYS = 'owner_id = ?1 AND day BETWEEN ?2 AND ?3';

const KEYS: Record<UsageBy, { key: string; only?: string }> = {
  day: { key: 'day' },
  model: { key: "source || '/' || name", only: "kind = 'model'" },
  tool: {
    key: "CASE WHEN kind = 'tool' THEN source || '/' || name ELSE for_tool END",
    only: "(kind = 'tool' OR for_tool <> '')",
  },
  agent: { key: 'agent_id' },
  conversation: { key: 'conversation_id' },
};

const LABELS: Record<UsageBy, string> = {
  day: 'g.key',
  model: 'g.key',
  tool: 'g.key',
  agent: "coalesce((SELECT title FROM agents WHERE id = g.key AND owner_id = ?1), '')",
  conversation:
    "coalesce((SELECT title FROM conversations WHERE id = g.key AND owner_id = ?1 AND deleted_at IS NULL), '')",
};

/** Whether the period includes all usage of the owner. */
const IS_ALL = `((SELECT min(day) FROM usage_days WHERE owner_id = ?1) >= ?2
  AND (SELECT max(day) FROM usage_days WHERE owner_id = ?1) <= ?3)`;

/** Daily sums do not contain conversations: their totals are read if the period includes all, else one row per run. */
const CONVERSATIONS = `
  SELECT * FROM (
    SELECT conversation_id AS key, ${TOTALS} FROM usage_conversations WHERE owner_id = ?1 AND ${IS_ALL}
    ORDER BY cost DESC, calls DESC, conversation_id LIMIT ${MAX_ROWS}
  ) AS totals
  UNION ALL
  SELECT conversation_id AS key, ${SUMS} FROM usage_sums WHERE ${DAYS} AND NOT ${IS_ALL} GROUP BY 1`;

/** A statement for the rows and one for the total; parameters: owner, first and last day. */
export function usageSql(by: UsageBy): { rows: string; total: string } {
  const { key, only } = KEYS[by];
  const where = only === undefined ? DAYS : `${DAYS} AND ${only}`;
  const order = by === 'day' ? 'g.key' : 'g.cost DESC, g.model_calls + g.tool_calls DESC, g.key';
  const groups =
    by === 'conversation' ? CONVERSATIONS : `SELECT ${key} AS key, ${SUMS} FROM usage_days WHERE ${where} GROUP BY 1`;
  return {
    rows: `
      SELECT g.*, ${LABELS[by]} AS label FROM (
        ${groups}
      ) AS g ORDER BY ${order} LIMIT ${MAX_ROWS}`,
    total: `SELECT ${SUMS} FROM usage_days WHERE ${where}`,
  };
}

export type SumRow = {
  model_calls: number;
  tool_calls: number;
  failures: number;
  duration_ms: number;
  unpriced: number;
  uncounted: number;
  input_tokens: number | null;
  output_tokens: number | null;
  cached_input_tokens: number | null;
  cache_write_tokens: number | null;
  reasoning_tokens: number | null;
  cost: number;
};

export function toUsageRow(row: SumRow & { key: string; label: string }): UsageRow {
  return { key: row.key, label: row.label, ...toUsageSum(row) };
}

export function toUsageSum(row: SumRow): UsageSum {
  const usage: Usage = {};
  if (row.input_tokens !== null) usage.inputTokens = row.input_tokens;
  if (row.output_tokens !== null) usage.outputTokens = row.output_tokens;
  if (row.cached_input_tokens !== null) usage.cachedInputTokens = row.cached_input_tokens;
  if (row.cache_write_tokens !== null) usage.cacheWriteTokens = row.cache_write_tokens;
  if (row.reasoning_tokens !== null) usage.reasoningTokens = row.reasoning_tokens;
  const isUnknown = row.model_calls > 0 && row.unpriced === row.model_calls;
  return {
    modelCalls: row.model_calls,
    toolCalls: row.tool_calls,
    failures: row.failures,
    durationMs: row.duration_ms,
    usage,
    cost: isUnknown ? null : row.cost,
    unpriced: row.unpriced,
    uncounted: row.uncounted,
  };
}
