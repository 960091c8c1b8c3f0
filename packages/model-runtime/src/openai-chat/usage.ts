import { defined, isJsonObject, type JsonObject, type JsonValue, type Usage } from '@toolyard/protocol';

/** Converts the `usage` of an answer; values the server does not report stay unknown. */
export function readUsage(usage: JsonObject): Usage {
  const input = usage['prompt_tokens_details'];
  const output = usage['completion_tokens_details'];
  const inputTokens = count(usage['prompt_tokens']);
  const outputTokens = count(usage['completion_tokens']);
  const cachedInputTokens = count(isJsonObject(input) ? input['cached_tokens'] : usage['prompt_cache_hit_tokens']);
  const cacheWriteTokens = count(isJsonObject(input) ? input['cache_write_tokens'] : undefined);
  const reasoningTokens = count(isJsonObject(output) ? output['reasoning_tokens'] : undefined);
  return {
    ...defined({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens }),
  };
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
