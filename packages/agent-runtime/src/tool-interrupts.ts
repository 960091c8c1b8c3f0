import type { FormInterrupt, InterruptAnswer, PromptInterrupt, SelectionInterrupt } from '@toolyard/protocol';
import type { PendingFunctionInterrupt, PendingCall } from './state.ts';

/** The open interrupt of a function tool; null if the call has none, or has the answer. */
export function openFunctionInterrupt({
  callId,
  tool,
  name,
  functionInterrupt: asks,
  answeredInterrupts: asked = [],
}: PendingCall): PromptInterrupt | SelectionInterrupt | FormInterrupt | null {
  if (!asks?.isOpen || asks.answer) return null;
  const id = asked.length === 0 ? `${callId}.${asks.kind}` : `${callId}.${asks.kind}.${asked.length}`;
  const about = { id, callId, tool, name };
  switch (asks.kind) {
    case 'prompt':
      return { ...about, kind: 'prompt', question: asks.question };
    case 'selection': {
      const { kind, question, choices, multiple } = asks;
      return { ...about, kind, question, choices, multiple };
    }
    case 'elicitation': {
      const { kind, mode, message, requestedSchema } = asks;
      return { ...about, id: asks.id ?? id, kind, mode, message, requestedSchema };
    }
    // Answered by child runs, not by the user.
    case 'delegation':
      return null;
  }
}

/** The interrupt with its answer; undefined if the answer has the wrong kind. */
export function withFunctionAnswer(
  asks: PendingFunctionInterrupt | undefined,
  answer: InterruptAnswer,
): Exclude<PendingFunctionInterrupt, { kind: 'delegation' }> | undefined {
  switch (asks?.kind) {
    case 'prompt':
      return answer.decision === 'say' || answer.decision === 'decline' ? { ...asks, answer } : undefined;
    case 'selection':
      return answer.decision === 'choose' || answer.decision === 'decline' ? { ...asks, answer } : undefined;
    case 'elicitation':
      return answer.decision === 'accept' || answer.decision === 'decline' || answer.decision === 'cancel'
        ? { ...asks, answer }
        : undefined;
    case 'delegation':
    case undefined:
      return undefined;
  }
}
