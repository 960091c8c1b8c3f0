import type { AssistantPart, ErrorInfo, InstructionType } from '@toolyard/protocol';
import type { BudgetExcess } from './budget-checker.ts';
import type { PendingCall } from './state.ts';

/** How a run ends. */
export type Ending = { status: 'done' } | { status: 'cancelled' } | { status: 'failed'; error: ErrorInfo };

export type RunToolChoice = 'auto' | 'none';

/** What has just happened: together with the state, all that the brain decides by. */
export type AgentContext =
  | { phase: 'user_input'; continues?: ContinuedAnswer }
  /** The model answered; its calls are in `state.pending`. */
  | {
      phase: 'llm_result';
      hasText: boolean;
      toolChoice: RunToolChoice;
      filtered: boolean;
      /** The conversation was summed up right before: doing it again would not help. */
      afterCompression?: true;
      error?: ErrorInfo;
    }
  /** The conversation is as short as it can be made. */
  | { phase: 'compressed'; continues?: ContinuedAnswer }
  /** The state is `parked`: nothing is decided until a person has answered. `request` is what the answer lets through. */
  | { phase: 'waiting'; request?: RequestMode }
  | { phase: 'human_response'; request?: RequestMode }
  | { phase: 'tool_result' }
  | { phase: 'tools_batch_result' }
  /** A person, a limit or a defect ended the run before the model did. */
  | { phase: 'ending'; ending: Ending };

/** The beginning of the answer, which was cut: the model goes on right behind it. */
export type ContinuedAnswer = { parts: AssistantPart[] };

/** How the model is to be asked next, besides what the conversation says. */
export type RequestMode = {
  /** The conversation was summed up right before. */
  afterCompression?: true;
  continues?: ContinuedAnswer;
};

/** What the engine is to do next. */
export type Instruction =
  | ({ type: 'call_llm'; toolChoice: RunToolChoice } & RequestMode)
  /** `full`: the model's window soon will be. `refused`: the provider says that it is. */
  | { type: 'compress_context'; because: 'full' | 'refused'; continues?: ContinuedAnswer }
  | { type: 'call_tool'; call: PendingCall }
  | { type: 'call_tools_batch'; calls: PendingCall[] }
  | { type: 'request_human_approve'; calls: PendingCall[] }
  /** Of the calls those whose tools ask for words or a form; the others wait meanwhile. */
  | { type: 'request_human_prompt'; calls: PendingCall[] }
  /** Likewise those that ask for a choice. */
  | { type: 'request_human_select'; calls: PendingCall[] }
  /** `calls` are those that wait meanwhile; where there are none a request does, in the manner of `request`. */
  | { type: 'request_human_budget'; excess: BudgetExcess; calls: PendingCall[]; request?: RequestMode }
  | { type: 'resolve_aborted_tools'; calls: PendingCall[]; ending: Ending }
  | { type: 'finish'; ending: Ending };

export type InstructionOf<T extends InstructionType> = Extract<Instruction, { type: T }>;
