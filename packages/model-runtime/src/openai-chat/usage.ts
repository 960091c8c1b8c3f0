import { defined, isJsonObject, type JsonObject, type Usage } from '@toolyard/protocol';
import { readCount, readObject } from '../wire/json-values.ts';

/** Converts the `usage` of an answer; values the server does not report stay unknown. */
export function readUsage(usage: JsonObject): Usage {
  const input = usage['prompt_tokens_details'];
  return defined({
    inputTokens: readCount(usage['prompt_tokens']),
    outputTokens: readCount(usage['completion_tokens']),
    cachedInputTokens: readCount(isJsonObject(input) ? input['cached_tokens'] : usage['prompt_cache_hit_tokens']),
    cacheWriteTokens: readCount(readObject(input)['cache_write_tokens']),
    reasoningTokens: readCount(readObject(usage['completion_tokens_details'])['reasoning_tokens']),
  });
}
