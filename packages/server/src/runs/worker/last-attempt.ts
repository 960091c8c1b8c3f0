import type { AssistantMessage, AssistantPart, FactEvent, Owner, RunEvent, RunStore } from '@toolyard/protocol';
import { defined, ignoreEvent } from '@toolyard/protocol';

/** What the events of a crashed process tell about its last step. */
export type LastAttempt = {
  /** Attempt of the step; 0 if the step was not started. */
  attempt: number;
  /** The previous recovery has already closed it. */
  closed: boolean;
  /** Partial answer: text and reasoning, without tool calls, which are requested again. */
  partial: Omit<AssistantMessage, 'finishReason'> | null;
  /** The answer was complete: its usage is counted. */
  isComplete: boolean;
};

const PAGE = 500;

/** Reads the last events of a run, back to the start of `step`. */
export async function readLastAttempt(
  store: Pick<RunStore, 'readEvents'>,
  principal: Owner,
  run: { id: string; lastSeq: number },
  step: number,
): Promise<LastAttempt> {
  let events: readonly RunEvent[] = [];
  for (let until = run.lastSeq; until > 0; until -= PAGE) {
    const after = Math.max(0, until - PAGE);
    const page = (await store.readEvents(principal, run.id, after, until - after)) ?? [];
    events = [...page.filter((event) => event.step === step), ...events];
    if (page.some((event) => event.step < step)) break;
  }
  return getLastAttempt(events, run.id);
}

function getLastAttempt(events: readonly RunEvent[], runId: string): LastAttempt {
  const attempt = events.findLast(({ type }) => type === 'step_started')?.attempt ?? 0;
  const own = events.filter((event) => event.attempt === attempt);
  const closed = own.some(({ type }) => type === 'attempt_abandoned');
  const isComplete = own.some(({ type }) => type === 'message_finished');
  return { attempt, closed, partial: partialAnswer(own, runId), isComplete };
}

function partialAnswer(events: readonly RunEvent[], runId: string): LastAttempt['partial'] {
  let partial: LastAttempt['partial'] = null;
  for (const event of events) {
    switch (event.type) {
      case 'message_started': {
        const { messageId: id, parentId, model, agent, at } = event;
        partial = { id, parentId, createdAt: at, role: 'assistant', parts: [], runId, model, ...defined({ agent }) };
        break;
      }
      case 'text_delta':
        if (partial) addText(partial.parts, 'text', event.text);
        break;
      case 'reasoning_delta':
        if (partial) addText(partial.parts, 'reasoning', event.text);
        break;
      // Its step was not stored with it: its tool calls were never made.
      case 'message_finished':
        partial = {
          ...event.message,
          parts: event.message.parts.filter((part) => part.type !== 'error' && !isCall(part)),
        };
        break;
      default:
        ignoreEvent<FactEvent>(event);
    }
  }
  return partial;
}

function addText(parts: AssistantPart[], type: 'text' | 'reasoning', text: string): void {
  const last = parts.at(-1);
  if (last?.type === type) last.text += text;
  else parts.push({ type, text });
}

function isCall(part: AssistantPart): boolean {
  return part.type === 'tool_call' || part.type === 'malformed_tool_call';
}
