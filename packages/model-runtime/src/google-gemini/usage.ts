import type { JsonObject, JsonValue, Usage } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

/** Converts the usage of an answer. The API counts thinking separately from the text. */
export function readUsage(usage: JsonObject): Usage {
  const prompt = count(usage['promptTokenCount']);
  const tools = count(usage['toolUsePromptTokenCount']);
  const cached = count(usage['cachedContentTokenCount']);
  const said = count(usage['candidatesTokenCount']);
  const thought = count(usage['thoughtsTokenCount']);
  return {
    ...(prompt === undefined ? {} : { inputTokens: prompt + (tools ?? 0) }),
    ...(said === undefined && thought === undefined ? {} : { outputTokens: (said ?? 0) + (thought ?? 0) }),
    ...defined({ cachedInputTokens: cached, reasoningTokens: thought }),
  };
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
