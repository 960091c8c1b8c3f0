import type { AssistantMessage, AssistantPart, Message, UserMessage } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

/** How a conversation that broke off goes on. `message` is what is being answered. */
export type Continuation = {
  message: UserMessage;
  how:
    | { kind: 'same'; cut: AssistantMessage; parts: AssistantPart[] }
    /** Behind the last message: a new one goes on with the cut answer. */
    | { kind: 'new' }
    /** Nothing of an answer is there, or a tool was the last to speak. */
    | { kind: 'answer' };
};

/**
 * Where a branch goes on. An answer of which something was said goes on in itself if the model `canContinue` one.
 *
 * @throws ToolyardError `bad_request` where the last answer came to its end, or there is nothing at all
 */
export function continuationOf(branch: readonly Message[], canContinue: boolean): Continuation {
  const message = branch.findLast((each) => each.role === 'user');
  const last = branch.findLast((each) => each.role !== 'system');
  if (!message || !last) {
    throw new ToolyardError({ code: 'bad_request', message: 'Nothing has been said yet that could be gone on with.' });
  }
  if (last.role !== 'assistant') return { message, how: { kind: 'answer' } };
  if (!isCut(last)) {
    throw new ToolyardError({
      code: 'bad_request',
      message: 'The last answer is whole: there is nothing to go on with.',
      hint: 'Say what you would like to know next.',
    });
  }
  const parts = partialAnswer(last);
  if (parts === null) return { message, how: { kind: 'answer' } };
  return { message, how: canContinue ? { kind: 'same', cut: last, parts } : { kind: 'new' } };
}

/** What was said of an answer that was cut, as a model goes on with it; null where it was not, or of it nothing was. */
export function partialAnswer(answer: AssistantMessage): AssistantPart[] | null {
  const hasText = answer.parts.some((part) => part.type === 'text' && part.text.trim() !== '');
  return hasText && isCut(answer) ? trimmed(answer.parts) : null;
}

/** True for an answer that did not come to its end by itself. */
function isCut({ finishReason }: AssistantMessage): boolean {
  return finishReason !== 'stop' && finishReason !== 'tool_calls' && finishReason !== 'content_filter';
}

/** Providers refuse an answer that was begun with white space at its end. Thinking is not gone on with. */
function trimmed(parts: readonly AssistantPart[]): AssistantPart[] {
  const spoken = parts.filter((part) => part.type === 'text');
  const last = spoken.at(-1);
  return last ? [...spoken.slice(0, -1), { ...last, text: last.text.trimEnd() }] : [];
}
