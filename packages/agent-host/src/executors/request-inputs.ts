import type { AssistantPart, ToolDefinition } from '@toolyard/protocol';
import type { RunToolChoice } from '@toolyard/agent-runtime';
import { ASSUMED_WINDOW, buildContext, isNearlyFull, planCompaction } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import type { RequestInputs } from './assemble-request.ts';

/** Computed on first use: ICU takes about 20 ms for it, which every CLI command would otherwise pay. */
let cachedTimeZone: string | undefined;
const timeZoneHere = (): string => (cachedTimeZone ??= Intl.DateTimeFormat().resolvedOptions().timeZone);

/** The inputs of the next request of a run. */
export function requestInputs(
  host: RunHost,
  how: { toolChoice: RunToolChoice; continues?: readonly AssistantPart[] },
): RequestInputs {
  const { modelId, conversation, contextSources, toolMode, parameters, clock, timeZone = timeZoneHere() } = host;
  return {
    model: modelId,
    conversation: conversation.messages(),
    sources: contextSources(),
    tools: offeredTo(host),
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
  ...host
}: Pick<RunHost, 'conversation' | 'contextSources' | 'tools' | 'offeredTools'>): boolean {
  const messages = conversation.messages();
  const sources = contextSources();
  const { window } = sources;
  const isFull = isNearlyFull({
    conversation: messages,
    sent: () => buildContext(messages, sources),
    tools: () => offeredTo(host),
    window,
  });
  return isFull && planCompaction(messages, window ?? ASSUMED_WINDOW, 'full') !== null;
}

function offeredTo({ tools, offeredTools }: Pick<RunHost, 'tools' | 'offeredTools'>): readonly ToolDefinition[] {
  return offeredTools ? offeredTools() : tools.tools();
}
