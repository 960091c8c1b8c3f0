import { defined, isJsonObject, type JsonObject, type JsonValue, type Usage } from '@toolyard/protocol';

/**
 * Converts the `usage` of an answer. The API counts tokens read from and written to its cache separately from the
 * others.
 */
export function readUsage(usage: JsonObject): Usage {
  const uncached = count(usage['input_tokens']);
  const cached = count(usage['cache_read_input_tokens']);
  const written = count(usage['cache_creation_input_tokens']);
  const output = count(usage['output_tokens']);
  const details = usage['output_tokens_details'];
  const reasoning = isJsonObject(details) ? count(details['thinking_tokens']) : undefined;
  return {
    ...(uncached === undefined ? {} : { inputTokens: uncached + (cached ?? 0) + (written ?? 0) }),
    ...defined({
      outputTokens: output,
      cachedInputTokens: cached,
      cacheWriteTokens: written,
      reasoningTokens: reasoning,
    }),
  };
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
