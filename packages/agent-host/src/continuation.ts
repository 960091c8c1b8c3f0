import type { AssistantMessage, AssistantPart, Message, UserMessage } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';

/** How a conversation that was cut off continues. `message` is the message to answer. */
export type Continuation = {
  message: UserMessage;
  how:
    | { kind: 'same'; cut: AssistantMessage; parts: AssistantPart[] }
    /** A new message after the last one continues the answer. */
    | { kind: 'new' }
    /** There is no text of an answer yet, or the last message is a tool result. */
    | { kind: 'answer' };
};

/**
 * Where a branch continues. An answer with text continues in place if the model `canContinue` one.
 *
 * @throws ToolyardError `bad_request` if the last answer is complete, or the branch is empty
 * @example
 * const { message, how } = continuationOf(agent.messages, false);
 * if (how.kind === 'new') console.log(`a new message continues the answer to ${message.id}`);
 */
export function continuationOf(branch: readonly Message[], canContinue: boolean): Continuation {
  const message = branch.findLast((each) => each.role === 'user');
  const last = branch.findLast((each) => each.role !== 'system');
  if (!message || !last) {
    throw new ToolyardError({
      code: 'bad_request',
      message: say`The conversation is empty: there is nothing to continue.`,
    });
  }
  if (last.role !== 'assistant') return { message, how: { kind: 'answer' } };
  if (!isCut(last)) {
    throw new ToolyardError({
      code: 'bad_request',
      message: say`The last answer is complete: there is nothing to continue.`,
      hint: say`Send a new message instead.`,
    });
  }
  const parts = partialAnswer(last);
  if (parts === null) return { message, how: { kind: 'answer' } };
  return { message, how: canContinue ? { kind: 'same', cut: last, parts } : { kind: 'new' } };
}

/**
 * The content of an answer that was cut off, as the model continues it; null if the answer is complete or empty.
 *
 * @example
 * const parts = partialAnswer(answer);
 * if (parts) console.log(`continues after ${parts.length} parts`);
 */
export function partialAnswer(answer: AssistantMessage): AssistantPart[] | null {
  const hasText = answer.parts.some((part) => part.type === 'text' && part.text.trim() !== '');
  return hasText && isCut(answer) ? trimmed(answer.parts) : null;
}

/** True for an answer that was cut off. */
function isCut({ finishReason }: AssistantMessage): boolean {
  return finishReason !== 'stop' && finishReason !== 'tool_calls' && finishReason !== 'content_filter';
}

/**
 * Removes trailing white space, with which providers reject a partial answer, and reasoning, which cannot be continued.
 */
function trimmed(parts: readonly AssistantPart[]): AssistantPart[] {
  const texts = parts.filter((part) => part.type === 'text');
  const last = texts.at(-1);
  return last ? [...texts.slice(0, -1), { ...last, text: last.text.trimEnd() }] : [];
}
