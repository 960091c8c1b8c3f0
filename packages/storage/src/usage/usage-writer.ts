import type { RunLocation, UsageEntry } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWork } from '../engine/work.ts';
import { scrubText } from '../text.ts';
import { toDay } from './day.ts';

/** Owner and context of a call; `api`: a single call over the API, outside any run. */
export type UsageOf = {
  ownerId: string;
  runId: string | null;
  conversationId: string | null;
  agentId: string | null;
  place: RunLocation | 'api';
};

export type UsageWriter = { add(entry: UsageEntry, of: UsageOf): StoreWork<void> };

const KEYS = ['owner_id', 'day', 'run_id', 'kind', 'source', 'name', 'for_tool', 'place'];
const COUNTS = ['calls', 'failures', 'duration_ms', 'cost', 'unpriced', 'uncounted'];
/** Null if unknown: sums contain the known values. */
const TOKENS = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'cache_write_tokens', 'reasoning_tokens'];

/** Sums calls, one row per model or tool, run and day; use it within a transaction. */
export function createUsageWriter(engine: StorageEngine): UsageWriter {
  const columns = [...KEYS, 'conversation_id', 'agent_id', ...COUNTS, ...TOKENS];
  const sums = [
    ...COUNTS.map((column) => `${column} = usage_sums.${column} + excluded.${column}`),
    ...TOKENS.map(
      (column) =>
        `${column} = CASE WHEN excluded.${column} IS NULL THEN usage_sums.${column}
          ELSE coalesce(usage_sums.${column}, 0) + excluded.${column} END`,
    ),
  ];
  const upsert = engine.prepare(`
    INSERT INTO usage_sums (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT (${KEYS.join(', ')}) DO UPDATE SET ${sums.join(', ')}`);
  return {
    *add(entry, { ownerId, runId, conversationId, agentId, place }) {
      const { source, name, forTool, counts, tokens } = toValues(entry);
      const key = [ownerId, toDay(entry.at), runId ?? '', entry.kind, scrubText(source), scrubText(name)];
      yield* upsert.run(...key, scrubText(forTool), place, conversationId ?? '', agentId ?? '', ...counts, ...tokens);
    },
  };
}

type Values = {
  source: string;
  name: string;
  forTool: string;
  /** In the order of {@link COUNTS}. */
  counts: number[];
  /** In the order of {@link TOKENS}. */
  tokens: (number | null)[];
};

function toValues(entry: UsageEntry): Values {
  const ms = Math.max(0, Math.round(entry.durationMs));
  if (entry.kind === 'tool') {
    const { serverId: source, name } = entry.tool;
    const none = TOKENS.map(() => null);
    return { source, name, forTool: '', counts: [1, entry.failed ? 1 : 0, ms, 0, 0, 0], tokens: none };
  }
  const { providerId: source, modelId: name, usage, cost, tool, failed } = entry;
  const isCounted = usage?.inputTokens !== undefined || usage?.outputTokens !== undefined;
  return {
    source,
    name,
    forTool: tool ? formatToolReference(tool) : '',
    counts: [1, failed ? 1 : 0, ms, cost ?? 0, cost === null ? 1 : 0, isCounted ? 0 : 1],
    tokens: [
      tokenCount(usage?.inputTokens),
      tokenCount(usage?.outputTokens),
      tokenCount(usage?.cachedInputTokens),
      tokenCount(usage?.cacheWriteTokens),
      tokenCount(usage?.reasoningTokens),
    ],
  };
}

/** Servers may send any value: everything but a count is unknown. */
function tokenCount(tokens: number | undefined): number | null {
  return tokens === undefined || !Number.isSafeInteger(tokens) || tokens < 0 ? null : tokens;
}
