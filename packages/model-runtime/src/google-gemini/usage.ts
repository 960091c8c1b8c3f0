import { defined, type JsonObject, type Usage } from '@toolyard/protocol';
import { readCount, sumOfCounts } from '../wire/json-values.ts';

/** Converts the usage of an answer. The API counts thinking separately from the text. */
export function readUsage(usage: JsonObject): Usage {
  const answerTokens = readCount(usage['candidatesTokenCount']);
  const reasoningTokens = readCount(usage['thoughtsTokenCount']);
  return defined({
    inputTokens: sumOfCounts(readCount(usage['promptTokenCount']), readCount(usage['toolUsePromptTokenCount'])),
    outputTokens: sumOfCounts(answerTokens, reasoningTokens) ?? reasoningTokens,
    cachedInputTokens: readCount(usage['cachedContentTokenCount']),
    reasoningTokens,
  });
}
