import type { AgentState, RunPoint } from '@toolyard/agent-runtime';
import type { AssistantMessage, UnmadeCall } from '@toolyard/protocol';

/** A call in the text of an answer that the user makes a call after all. */
export type CallOfAnswer = { answer: AssistantMessage; call: UnmadeCall };

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
