import type { AssistantPart } from '@toolyard/protocol';
import type { RunToolChoice } from '@toolyard/agent-runtime';
import { ASSUMED_WINDOW, buildContext, isNearlyFull, planCompaction } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import type { RequestInputs } from './assemble-request.ts';

/** Computed on first use: ICU takes about 20 ms for it, which every CLI command would otherwise pay. */
let cachedTimeZone: string | undefined;
const timeZoneHere = (): string => (cachedTimeZone ??= Intl.DateTimeFormat().resolvedOptions().timeZone);

/** The inputs of the next request of a run. */
export function requestInputs(
  { modelId, conversation, contextSources, tools, toolMode, parameters, clock, timeZone = timeZoneHere() }: RunHost,
  how: { toolChoice: RunToolChoice; continues?: readonly AssistantPart[] },
): RequestInputs {
  return {
    model: modelId,
    conversation: conversation.messages(),
    sources: contextSources(),
    tools: tools.tools(),
    toolMode,
    parameters,
    at: clock.now(),
    timeZone,
    ...how,
  };
}

/** True if the next request would nearly fill the window and a compaction would free enough. */
export function wantsCompression({
  conversation,
  contextSources,
  tools,
}: Pick<RunHost, 'conversation' | 'contextSources' | 'tools'>): boolean {
  const messages = conversation.messages();
  const sources = contextSources();
  const { window } = sources;
  const isFull = isNearlyFull({
    conversation: messages,
    sent: () => buildContext(messages, sources),
    tools: () => tools.tools(),
    window,
  });
  return isFull && planCompaction(messages, window ?? ASSUMED_WINDOW, 'full') !== null;
}
