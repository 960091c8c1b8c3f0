import type { AssistantPart, ErrorInfo, InstructionType } from '@toolyard/protocol';
import type { BudgetExcess } from './budget-checker.ts';
import type { PendingCall } from './state.ts';

/** How a run ends. */
export type Ending = { status: 'done' } | { status: 'cancelled' } | { status: 'failed'; error: ErrorInfo };

export type RunToolChoice = 'auto' | 'none';

/** The last event: with the state, everything the brain decides by. */
export type AgentContext =
  | { phase: 'user_input'; continues?: ContinuedAnswer }
  /** The model answered; its calls are in `state.pending`. */
  | {
      phase: 'llm_result';
      hasText: boolean;
      toolChoice: RunToolChoice;
      filtered: boolean;
      /** Set right after a compaction, which would not help again. */
      afterCompression?: true;
      error?: ErrorInfo;
    }
  /** The conversation was compacted as far as possible. */
  | { phase: 'compressed'; continues?: ContinuedAnswer }
  /** The run is parked: nothing is decided until the user answers. `request` has the options of the waiting request. */
  | { phase: 'waiting'; request?: RequestMode }
  | { phase: 'human_response'; request?: RequestMode }
  | { phase: 'tool_result' }
  | { phase: 'tools_batch_result' }
  /** A user, a limit or a bug ended the run before the model did. */
  | { phase: 'ending'; ending: Ending };

/** The beginning of the answer that was cut off: the model continues right after it. */
export type ContinuedAnswer = { parts: AssistantPart[] };

/** Options of the next request that are not in the conversation. */
export type RequestMode = {
  /** The conversation was just compacted. */
  afterCompression?: true;
  continues?: ContinuedAnswer;
};

/** The next action of the engine. */
export type Instruction =
  | ({ type: 'call_llm'; toolChoice: RunToolChoice } & RequestMode)
  /** `full`: the window is nearly full. `refused`: the provider rejected a request as too long. */
  | { type: 'compress_context'; because: 'full' | 'refused'; continues?: ContinuedAnswer }
  | { type: 'call_tool'; call: PendingCall }
  | { type: 'call_tools_batch'; calls: PendingCall[] }
  /** Calls whose tools delegate tasks: one child run, or several at once. The others wait. */
  | { type: 'exec_sub_agent'; calls: PendingCall[] }
  | { type: 'exec_sub_agents'; calls: PendingCall[] }
  /** It is the turn of a member of a group: a call of the group is added as if a supervisor had made it. */
  | { type: 'call_member'; agentId: string; kind: 'speak' | 'delegate' }
  /** The user paused the group: the run waits until the user resumes it. */
  | { type: 'pause_group' }
  | { type: 'request_human_approve'; calls: PendingCall[] }
  /** Calls whose tools ask the user for text or a form; the others wait. */
  | { type: 'request_human_prompt'; calls: PendingCall[] }
  /** The same for calls whose tools ask for a choice. */
  | { type: 'request_human_select'; calls: PendingCall[] }
  /** `calls` wait for the answer; if there are none, a model request with the options `request` waits. */
  | { type: 'request_human_budget'; excess: BudgetExcess; calls: PendingCall[]; request?: RequestMode }
  | { type: 'resolve_aborted_tools'; calls: PendingCall[]; ending: Ending }
  | { type: 'finish'; ending: Ending };

export type InstructionOf<T extends InstructionType> = Extract<Instruction, { type: T }>;
