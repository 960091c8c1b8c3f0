import type { ContextSources } from '@toolyard/agent-runtime';
import type { ModelInput, ResolvedAgentConfiguration } from '@toolyard/protocol';

/** What a request is made of beside the messages; the same object until the notes of a server change. */
export function sourcesOf(
  {
    historyMessages,
    inputTemplate,
    examples,
  }: Pick<ResolvedAgentConfiguration, 'historyMessages' | 'inputTemplate' | 'examples'>,
  tools: { contextSources: () => ContextSources },
  { contextWindow, inputs }: { contextWindow?: number; inputs?: ModelInput[] },
): () => ContextSources {
  let made: { of: ContextSources; sources: ContextSources } | null = null;
  return () => {
    const of = tools.contextSources();
    if (made?.of === of) return made.sources;
    const sources: ContextSources = {
      ...of,
      ...(contextWindow === undefined ? {} : { window: contextWindow }),
      ...(inputs ? { inputs } : {}),
      ...(historyMessages === undefined ? {} : { historyMessages }),
      ...(inputTemplate === undefined ? {} : { inputTemplate }),
      ...(examples ? { examples } : {}),
    };
    made = { of, sources };
    return sources;
  };
}
