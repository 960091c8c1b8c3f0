import { defined, isJsonObject, type JsonObject, type JsonValue, type Usage } from '@toolyard/protocol';

/** Converts the `usage` of an answer; values the server does not report stay unknown. */
export function readUsage(usage: JsonObject): Usage {
  const inputTokens = count(usage['input_tokens']);
  const outputTokens = count(usage['output_tokens']);
  const cachedInputTokens = count(inside(usage['input_tokens_details'], 'cached_tokens'));
  const reasoningTokens = count(inside(usage['output_tokens_details'], 'reasoning_tokens'));
  return {
    ...defined({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens }),
  };
}

function inside(details: JsonValue | undefined, field: string): JsonValue | undefined {
  return isJsonObject(details) ? details[field] : undefined;
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
