import type { JsonObject, JsonValue, Usage } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

/** Converts the usage of an answer. The API counts thinking separately from the text. */
export function readUsage(usage: JsonObject): Usage {
  const prompt = count(usage['promptTokenCount']);
  const tools = count(usage['toolUsePromptTokenCount']);
  const cached = count(usage['cachedContentTokenCount']);
  const answerTokens = count(usage['candidatesTokenCount']);
  const thoughtTokens = count(usage['thoughtsTokenCount']);
  return {
    ...(prompt === undefined ? {} : { inputTokens: prompt + (tools ?? 0) }),
    ...(answerTokens === undefined && thoughtTokens === undefined
      ? {}
      : { outputTokens: (answerTokens ?? 0) + (thoughtTokens ?? 0) }),
    ...defined({ cachedInputTokens: cached, reasoningTokens: thoughtTokens }),
  };
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
