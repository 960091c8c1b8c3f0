import { defined, type JsonObject, type Usage } from '@toolyard/protocol';
import { readCount, readObject, sumOfCounts } from '../wire/json-values.ts';

/**
 * Converts the `usage` of an answer. The API counts tokens read from and written to its cache separately from the
 * others.
 */
export function readUsage(usage: JsonObject): Usage {
  const cachedInputTokens = readCount(usage['cache_read_input_tokens']);
  const cacheWriteTokens = readCount(usage['cache_creation_input_tokens']);
  return defined({
    inputTokens: sumOfCounts(readCount(usage['input_tokens']), cachedInputTokens, cacheWriteTokens),
    outputTokens: readCount(usage['output_tokens']),
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens: readCount(readObject(usage['output_tokens_details'])['thinking_tokens']),
  });
}
