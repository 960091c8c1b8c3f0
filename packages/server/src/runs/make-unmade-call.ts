import type { AgentState, RunPoint } from '@toolyard/agent-runtime';
import type { AssistantMessage, Message, UnmadeCall, UserMessage } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { StoredConversation } from '@toolyard/storage';
import type { StartRequest } from './start-run.ts';

/** A call in the text of an answer that the user makes a call after all. */
export type CallOfAnswer = { answer: AssistantMessage; call: UnmadeCall };

/**
 * How to start the run that makes a call of the last answer. The call is the stored one, and asks whatever is allowed.
 *
 * @throws ToolyardError `not_found` if the answer has no such call
 */
export function makeUnmadeCall(of: {
  runId: string;
  conversation: StoredConversation;
  branch: readonly Message[];
  messageId: string;
  index: number;
}): StartRequest {
  const { runId, conversation, branch, messageId, index } = of;
  const answer = branch.find(({ id }) => id === messageId);
  const userMessage = branch.findLast((message): message is UserMessage => message.role === 'user');
  const call = answer?.role === 'assistant' ? answer.unmadeCalls?.[index] : undefined;
  if (answer?.role !== 'assistant' || call === undefined || userMessage === undefined) {
    throw new ToolyardError({
      code: 'not_found',
      message: `The message ${messageId} has no call in its text with the number ${index}.`,
    });
  }
  const leafId = answer.parentId ?? userMessage.id;
  return { runId, conversation, userMessage, begins: { with: 'answer', leafId }, makes: { answer, call } };
}

/** The answer as another version that ends with the call, and the run that begins by asking about it. */
export function beginningWithCall(
  { answer, call }: CallOfAnswer,
  { state, at, model }: { state: AgentState; at: number; model: string },
): { message: AssistantMessage; point: RunPoint } {
  const id = `${state.runId}.called`;
  const made = { callId: `${id}.0`, ...call };
  const { unmadeCalls: _made, usage: _usage, cost: _cost, ...kept } = answer;
  return {
    message: {
      ...kept,
      id,
      createdAt: at,
      runId: state.runId,
      model,
      parts: [...answer.parts, { type: 'tool_call', ...made, isText: true }],
      finishReason: 'tool_calls',
    },
    point: {
      state: { ...state, pending: [{ ...made, decision: 'undecided', textCall: { byUser: true } }] },
      context: { phase: 'human_response' },
    },
  };
}
