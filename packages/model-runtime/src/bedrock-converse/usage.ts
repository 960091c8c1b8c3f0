import { defined, type JsonObject, type Usage } from '@toolyard/protocol';
import { readCount, sumOfCounts } from '../wire/json-values.ts';

/** Converts the `usage` of an answer. `inputTokens` of the API contains no tokens read from or written to the cache. */
export function readUsage(usage: JsonObject): Usage {
  const cachedInputTokens = readCount(usage['cacheReadInputTokens']);
  const cacheWriteTokens = readCount(usage['cacheWriteInputTokens']);
  return defined({
    inputTokens: sumOfCounts(readCount(usage['inputTokens']), cachedInputTokens, cacheWriteTokens),
    outputTokens: readCount(usage['outputTokens']),
    cachedInputTokens,
    cacheWriteTokens,
  });
}
