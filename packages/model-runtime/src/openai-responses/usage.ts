import { defined, type JsonObject, type Usage } from '@toolyard/protocol';
import { readCount, readObject } from '../wire/json-values.ts';

/** Converts the `usage` of an answer; values the server does not report stay unknown. */
export function readUsage(usage: JsonObject): Usage {
  return defined({
    inputTokens: readCount(usage['input_tokens']),
    outputTokens: readCount(usage['output_tokens']),
    cachedInputTokens: readCount(readObject(usage['input_tokens_details'])['cached_tokens']),
    reasoningTokens: readCount(readObject(usage['output_tokens_details'])['reasoning_tokens']),
  });
}
