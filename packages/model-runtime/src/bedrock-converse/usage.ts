import { defined, type JsonObject, type JsonValue, type Usage } from '@toolyard/protocol';

/** Converts the `usage` of an answer. `inputTokens` of the API contains no tokens read from or written to the cache. */
export function readUsage(usage: JsonObject): Usage {
  const uncached = count(usage['inputTokens']);
  const cached = count(usage['cacheReadInputTokens']);
  const written = count(usage['cacheWriteInputTokens']);
  return {
    ...(uncached === undefined ? {} : { inputTokens: uncached + (cached ?? 0) + (written ?? 0) }),
    ...defined({
      outputTokens: count(usage['outputTokens']),
      cachedInputTokens: cached,
      cacheWriteTokens: written,
    }),
  };
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
