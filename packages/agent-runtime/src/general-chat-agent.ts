import type { ErrorInfo } from '@toolyard/protocol';
import type { BudgetGate } from './budget-checker.ts';
import type { AgentContext, Ending, Instruction } from './instructions.ts';
import type { Gate } from './intervention/intervention-checker.ts';
import { callFingerprint } from './fingerprint.ts';
import type { AgentState, PendingCall } from './state.ts';

/** Decides the next instruction. Pure: the same state and context give the same instruction. */
export interface Brain {
  decide(state: AgentState, context: AgentContext): Instruction;
}

/**
 * The brain of every chat: ask the model, make the calls it asks for, ask again, until it answers.
 *
 * | what happened                        | and                                   | next                          |
 * |--------------------------------------|---------------------------------------|-------------------------------|
 * | the person wrote                     | turns are left                        | call_llm                      |
 * |                                      | a budget is used up                   | request_human_budget          |
 * | the model failed                     |                                       | finish: failed                |
 * | the model asks for tools             | it was told not to                    | finish: max_turns_exceeded    |
 * |                                      | the same call too often               | finish: repeated_call         |
 * |                                      | a person has to be asked              | request_human_approve         |
 * |                                      | the budget of a tool is used up       | request_human_budget          |
 * |                                      | one call                              | call_tool                     |
 * |                                      | several                               | call_tools_batch              |
 * | the model wrote text                 |                                       | finish: done                  |
 * | the model wrote nothing              |                                       | finish: empty_response        |
 * | the person answered                  | has to be asked about another call    | request_human_approve         |
 * |                                      | the budget of a tool is used up       | request_human_budget          |
 * |                                      | else                                  | call_tool, call_tools_batch   |
 * |                                      | and no call is open                   | call_llm                      |
 * | the run waits for a person           |                                       | (it is not asked)             |
 * | the tools answered                   | turns are left                        | call_llm                      |
 * |                                      | they are used up                      | finish: failed                |
 * |                                      | a budget is used up                   | request_human_budget          |
 * | somebody or something stopped it     |                                       | finish: cancelled or failed   |
 *
 * Whatever ends a run while calls are open settles them first (resolve_aborted_tools), so that the next request of
 * the conversation is well formed.
 */
export class GeneralChatAgent implements Brain {
  readonly #gate: Gate;
  readonly #budgets: BudgetGate;

  constructor(options: { gate: Gate; budgets?: BudgetGate }) {
    this.#gate = options.gate;
    this.#budgets = options.budgets ?? (() => null);
  }

  decide(state: AgentState, context: AgentContext): Instruction {
    switch (context.phase) {
      case 'user_input':
      case 'tool_result':
      case 'tools_batch_result':
        return this.#nextTurn(state);

      case 'llm_result': {
        if (context.error) return end(state, { status: 'failed', error: context.error });
        if (state.pending.length > 0) {
          if (context.toolChoice === 'none') return end(state, failed(maxTurns(state)));
          const repeated = state.pending.find((call) => isRepeated(state, call));
          if (repeated) return end(state, failed(tooOften(state, repeated)));
          return this.#makeCalls(state);
        }
        if (context.hasText) return end(state, { status: 'done' });
        return end(state, failed(context.filtered ? FILTERED : EMPTY_RESPONSE));
      }

      case 'waiting':
        throw new TypeError('a parked run has no next instruction');

      case 'human_response':
        return state.pending.length > 0 ? this.#makeCalls(state) : this.#nextTurn(state);

      case 'ending':
        return end(state, context.ending);
    }
  }

  /** Judged anew each time: what was allowed when the model asked may be forbidden once a person has answered. */
  #makeCalls(state: AgentState): Instruction {
    const calls = state.pending.map((call) => this.#judge(call));
    if (calls.some((call) => call.decision === 'ask')) return { type: 'request_human_approve', calls };
    const excess = this.#budgets(state, calls);
    if (excess) return { type: 'request_human_budget', excess, calls };
    const [only] = calls;
    return calls.length === 1 && only ? { type: 'call_tool', call: only } : { type: 'call_tools_batch', calls };
  }

  #nextTurn(state: AgentState): Instruction {
    const { limits } = state;
    if (state.turns >= limits.maxTurns) return end(state, failed(maxTurns(state)));
    const excess = this.#budgets(state, 'model');
    if (excess) return { type: 'request_human_budget', excess, calls: [] };
    const last = state.turns === limits.maxTurns - 1;
    return { type: 'call_llm', toolChoice: last && limits.onMaxTurns === 'answer' ? 'none' : 'auto' };
  }

  #judge(call: PendingCall): PendingCall {
    if (call.decision === 'refused') return call;
    // A call that cannot be made is answered with its problem; nobody needs to be asked about it.
    if (call.problem || call.tool === null) return { ...call, decision: 'run' };
    const verdict = this.#gate(call.tool, call.arguments);
    if (call.approved && verdict.decision === 'ask') return { ...call, decision: 'run' };
    return { ...call, ...verdict };
  }
}

function end(state: AgentState, ending: Ending): Instruction {
  if (state.pending.length > 0) return { type: 'resolve_aborted_tools', calls: state.pending, ending };
  return { type: 'finish', ending };
}

function isRepeated(state: AgentState, call: PendingCall): boolean {
  return (state.sameCalls[callFingerprint(call.name, call.arguments)] ?? 0) > state.limits.maxSameCall;
}

function failed(error: ErrorInfo): Ending {
  return { status: 'failed', error };
}

const EMPTY_RESPONSE: ErrorInfo = {
  code: 'empty_response',
  message: 'The model answered with neither text nor a tool call.',
  hint: 'Ask again, or choose another model.',
  retryable: true,
};

const FILTERED: ErrorInfo = {
  code: 'refused',
  message: "The provider's content filter held the answer back.",
  hint: 'Put the question differently.',
};

function maxTurns(state: AgentState): ErrorInfo {
  const { maxTurns: limit } = state.limits;
  return {
    code: 'max_turns_exceeded',
    message: `The model still asked for tools after ${limit} ${limit === 1 ? 'turn' : 'turns'}, the most this run may take.`,
    hint: 'Ask for less at once, or raise the limit of turns.',
  };
}

function tooOften(state: AgentState, call: PendingCall): ErrorInfo {
  return {
    code: 'repeated_call',
    message: `The model asked for "${call.name}" with the same arguments more than ${state.limits.maxSameCall} times.`,
    hint: 'It is going in circles: put the question differently, or raise the limit of equal calls.',
  };
}
