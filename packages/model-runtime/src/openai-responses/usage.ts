import { defined, isJsonObject, type JsonObject, type JsonValue, type Usage } from '@toolyard/protocol';

/** The `usage` of an answer in our words; what the server does not say stays unknown. */
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
