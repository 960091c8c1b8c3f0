import type { ContextSources } from '@toolyard/agent-runtime';
import type { ModelInput, ResolvedAgentConfiguration } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

/** What a model supports; absent: unknown. */
export type ModelAbilities = { contextWindow?: number | undefined; inputs?: ModelInput[] | undefined };

/** The data for a request besides the messages; the same object until the instructions of a server change. */
export function createSources(
  {
    historyMessages,
    inputTemplate,
    examples,
  }: Pick<ResolvedAgentConfiguration, 'historyMessages' | 'inputTemplate' | 'examples'>,
  tools: { contextSources: () => ContextSources },
  { contextWindow, inputs }: ModelAbilities,
  skills?: string,
): () => ContextSources {
  let cached: { of: ContextSources; sources: ContextSources } | null = null;
  return () => {
    const of = tools.contextSources();
    if (cached?.of === of) return cached.sources;
    const sources: ContextSources = {
      ...of,
      ...defined({ skills, window: contextWindow, inputs, historyMessages, inputTemplate, examples }),
    };
    cached = { of, sources };
    return sources;
  };
}
