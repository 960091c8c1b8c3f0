import type { AssistantMessage, AssistantPart, FactEvent, Owner, RunEvent, RunStore } from '@toolyard/protocol';
import { ignoreEvent } from '@toolyard/protocol';

/** What the events tell of the step a dead process was at. */
export type LastAttempt = {
  /** Which try of the step it was; 0 where the step was not begun. */
  attempt: number;
  /** The one who took the run up before has closed it already. */
  closed: boolean;
  /** What was written of an answer: text and reasoning. A call that was asked for is asked for anew. */
  partial: Omit<AssistantMessage, 'finishReason'> | null;
  /** The answer was whole: what it took is counted. */
  told: boolean;
};

const PAGE = 500;

/** Reads the end of a run's events, back to where `step` began. */
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
  return lastAttemptOf(events, run.id);
}

function lastAttemptOf(events: readonly RunEvent[], runId: string): LastAttempt {
  const attempt = events.findLast(({ type }) => type === 'step_started')?.attempt ?? 0;
  const own = events.filter((event) => event.attempt === attempt);
  const closed = own.some(({ type }) => type === 'attempt_abandoned');
  const told = own.some(({ type }) => type === 'message_finished');
  return { attempt, closed, partial: partialAnswer(own, runId), told };
}

function partialAnswer(events: readonly RunEvent[], runId: string): LastAttempt['partial'] {
  let partial: LastAttempt['partial'] = null;
  for (const event of events) {
    switch (event.type) {
      case 'message_started': {
        const { messageId: id, parentId, model, at } = event;
        partial = { id, parentId, createdAt: at, role: 'assistant', parts: [], runId, model };
        break;
      }
      case 'text_delta':
        if (partial) addText(partial.parts, 'text', event.text);
        break;
      case 'reasoning_delta':
        if (partial) addText(partial.parts, 'reasoning', event.text);
        break;
      // Its step was not stored with it: the calls it asks for were never made.
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
