import type { AssistantPart } from '@toolyard/protocol';
import type { RunToolChoice } from '@toolyard/agent-runtime';
import { ASSUMED_WINDOW, buildContext, isNearlyFull, planCompaction } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import type { RequestInputs } from './assemble-request.ts';

/** Asked for when first needed: the engine takes some 20 ms to have an answer, and each command would wait for it. */
let here: string | undefined;
const timeZoneHere = (): string => (here ??= Intl.DateTimeFormat().resolvedOptions().timeZone);

/** What the next request of a run would be made of. */
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

/** True where the next request would nearly fill the window, and summing up would win something. */
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
