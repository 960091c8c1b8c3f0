import type { ContextSources } from '@toolyard/agent-runtime';
import type { ModelInput, ResolvedAgentConfiguration } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

/** What a model accepts; absent: not known. */
export type ModelAbilities = { contextWindow?: number | undefined; inputs?: ModelInput[] | undefined };

/** What a request is made of besides the messages; the same object until the instructions of a server change. */
export function sourcesOf(
  {
    historyMessages,
    inputTemplate,
    examples,
  }: Pick<ResolvedAgentConfiguration, 'historyMessages' | 'inputTemplate' | 'examples'>,
  tools: { contextSources: () => ContextSources },
  { contextWindow, inputs }: ModelAbilities,
): () => ContextSources {
  let made: { of: ContextSources; sources: ContextSources } | null = null;
  return () => {
    const of = tools.contextSources();
    if (made?.of === of) return made.sources;
    const sources: ContextSources = {
      ...of,
      ...defined({ window: contextWindow, inputs, historyMessages, inputTemplate, examples }),
    };
    made = { of, sources };
    return sources;
  };
}
