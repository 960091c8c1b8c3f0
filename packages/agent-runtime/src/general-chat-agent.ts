import type { ErrorInfo, ToolReference } from '@toolyard/protocol';
import { createErrorInfo, say } from '@toolyard/protocol';
import type { BudgetGate } from './budget-checker.ts';
import type { AgentContext, ContinuedAnswer, Ending, Instruction, RequestMode } from './instructions.ts';
import type { Gate } from './intervention/intervention-checker.ts';
import { callFingerprint } from './fingerprint.ts';
import type { AgentState, PendingFunctionInterrupt, PendingCall } from './state.ts';

/** Decides the next instruction. Pure: the same state and context give the same instruction. */
export interface Brain {
  decide(state: AgentState, context: AgentContext): Instruction;
}

export type GeneralChatAgentOptions = {
  gate: Gate;
  /** Returns the exhausted budget that prevents the next step, if any. */
  budgets?: BudgetGate | undefined;
  /**
   * The error of a child run that must not continue because a budget of a run above it is exhausted. Only the run with
   * the budget asks the user about it.
   */
  budgetsOfParents?: (() => ErrorInfo | null) | undefined;
  /** The error of a run that must not continue, whatever it is about to do. */
  stopped?: (() => ErrorInfo | null) | undefined;
  /** True for a tool that asks the user and has no other effect: its calls need no approval. */
  onlyAsks?: (tool: ToolReference) => boolean;
  /** The error of a user message that exceeds the model's context window by itself: no compaction would help. */
  tooLong?: (() => ErrorInfo | null) | undefined;
  /** True if the next request would nearly fill the model's context window. */
  isNearlyFull?: () => boolean;
};

/**
 * The brain of every chat: call the model, make the calls that it requests, call it again, until it answers.
 *
 * | event                                | condition                             | next                          |
 * |--------------------------------------|---------------------------------------|-------------------------------|
 * | the user wrote, or steers            | turns are left                        | call_llm                      |
 * |                                      | the message exceeds the window        | finish: failed                |
 * |                                      | the window is nearly full             | compress_context              |
 * |                                      | a budget is exhausted                 | request_human_budget          |
 * |                                      | a budget of the parent is exhausted   | finish: budget_exceeded       |
 * | any that a request or call follows   | the run must not continue             | finish: failed                |
 * | the conversation was compacted       | turns are left                        | call_llm                      |
 * | the model failed                     | its window was full, first time       | compress_context              |
 * |                                      | otherwise                             | finish: failed                |
 * | the model requests tools             | the request did not allow tools       | finish: max_turns_exceeded    |
 * |                                      | the same call too often               | finish: repeated_call         |
 * |                                      | an approval is needed                 | request_human_approve         |
 * |                                      | the budget of a tool is exhausted     | request_human_budget          |
 * |                                      | one call                              | call_tool                     |
 * |                                      | several                               | call_tools_batch              |
 * | the model wrote text                 |                                       | finish: done                  |
 * | the model wrote nothing              |                                       | finish: empty_response        |
 * | a tool delegates                     | one task                              | exec_sub_agent                |
 * |                                      | several tasks                         | exec_sub_agents               |
 * | a tool asks the user                 | for text or a form                    | request_human_prompt          |
 * |                                      | for a choice                          | request_human_select          |
 * | the user answered                    | another interrupt is open             | request_human_...             |
 * |                                      | otherwise                             | call_tool, call_tools_batch   |
 * |                                      | no call is open                       | call_llm                      |
 * | the run is parked                    |                                       | (not called)                  |
 * | the tools answered                   | turns are left                        | call_llm                      |
 * |                                      | and the window is nearly full         | compress_context              |
 * |                                      | the turns are used up                 | finish: failed                |
 * |                                      | a budget is exhausted                 | request_human_budget          |
 * | a user or a limit stopped the run    |                                       | finish: cancelled or failed   |
 *
 * A run that ends with open calls settles them first (resolve_aborted_tools), so that the next request of the
 * conversation is well formed.
 */
export class GeneralChatAgent implements Brain {
  readonly #options: GeneralChatAgentOptions;

  constructor(options: GeneralChatAgentOptions) {
    this.#options = options;
  }

  decide(state: AgentState, context: AgentContext): Instruction {
    switch (context.phase) {
      case 'user_input':
        return this.#nextTurn(state, context.continues);

      case 'tool_result':
      case 'tools_batch_result':
        return this.#nextTurn(state);

      case 'compressed':
        return this.#nextRequest(state, { afterCompression: true, ...continuing(context.continues) });

      case 'llm_result': {
        if (context.error?.code === 'context_exceeded' && !context.afterCompression) {
          return { type: 'compress_context', because: 'refused' };
        }
        if (context.error) return end(state, { status: 'failed', error: context.error });
        if (state.pending.length > 0) {
          if (context.toolChoice === 'none') return end(state, failed(maxTurns(state)));
          const repeated = anyRepeated(state) ? state.pending.find((call) => isRepeated(state, call)) : undefined;
          if (repeated) return end(state, failed(tooOften(state, repeated)));
          return this.#makeCalls(state);
        }
        if (context.hasText) return end(state, { status: 'done' });
        return end(state, failed(context.filtered ? FILTERED : EMPTY_RESPONSE));
      }

      case 'waiting':
        throw new TypeError('a parked run has no next instruction');

      case 'human_response':
        if (state.pending.length > 0) return this.#makeCalls(state);
        if (context.request?.afterCompression) return this.#nextRequest(state, context.request);
        return this.#nextTurn(state, context.request?.continues);

      case 'ending':
        return end(state, context.ending);
    }
  }

  #nextTurn(state: AgentState, continues?: ContinuedAnswer): Instruction {
    const next = this.#nextRequest(state, continuing(continues));
    if (next.type !== 'call_llm') return next;
    const tooLong = this.#options.tooLong?.();
    if (tooLong) return end(state, failed(tooLong));
    if (!this.#options.isNearlyFull?.()) return next;
    return { type: 'compress_context', because: 'full', ...continuing(continues) };
  }

  /** Checked again each time: a permission may change between the model's request and the user's approval. */
  #makeCalls(state: AgentState): Instruction {
    const stopped = this.#options.stopped?.();
    if (stopped) return end(state, failed(stopped));
    const calls = state.pending.map((call) => this.#judge(call));
    if (calls.some((call) => call.decision === 'ask')) return { type: 'request_human_approve', calls };
    const tasks = calls.flatMap(newInterrupt).flatMap((asks) => (asks.kind === 'delegation' ? asks.tasks : []));
    if (tasks.length > 0) {
      const excess = tasks.some(({ context }) => context === 'summary') && this.#options.budgets?.(state, 'model');
      if (excess) return { type: 'request_human_budget', excess, calls };
      return { type: tasks.length === 1 ? 'exec_sub_agent' : 'exec_sub_agents', calls };
    }
    const asks = calls.flatMap(newInterrupt);
    if (asks.some(({ kind }) => kind !== 'selection')) return { type: 'request_human_prompt', calls };
    if (asks.length > 0) return { type: 'request_human_select', calls };
    const excess = this.#options.budgets?.(state, calls);
    if (excess) return { type: 'request_human_budget', excess, calls };
    const [only] = calls;
    return calls.length === 1 && only ? { type: 'call_tool', call: only } : { type: 'call_tools_batch', calls };
  }

  #nextRequest(state: AgentState, how: RequestMode = {}): Instruction {
    const { limits } = state;
    if (state.turns >= limits.maxTurns) return end(state, failed(maxTurns(state)));
    const beyond = this.#options.stopped?.() ?? this.#options.budgetsOfParents?.();
    if (beyond) return end(state, failed(beyond));
    const excess = this.#options.budgets?.(state, 'model');
    if (excess) {
      const request = how.continues || how.afterCompression ? { request: how } : {};
      return { type: 'request_human_budget', excess, calls: [], ...request };
    }
    const last = state.turns === limits.maxTurns - 1;
    return { type: 'call_llm', toolChoice: last && limits.onMaxTurns === 'answer' ? 'none' : 'auto', ...how };
  }

  #judge(call: PendingCall): PendingCall {
    if (call.decision === 'refused') return call;
    // A call that cannot be made is answered with its problem and needs no approval.
    if (call.problem) return { ...call, decision: 'run' };
    const verdict = this.#options.gate(call.tool, call.arguments, call.textCall);
    if (verdict.decision === 'ask' && this.#options.onlyAsks?.(call.tool)) return { ...call, decision: 'run' };
    if (call.approved && verdict.decision === 'ask') {
      const { danger } = verdict.about ?? {};
      const wasWarned = danger === undefined || danger === call.edited?.danger;
      if (call.edited === undefined || wasWarned) return { ...call, decision: 'run' };
      // The edited arguments are flagged as dangerous, and the user has not seen that warning.
      const { approved: _ofOthers, ...asked } = call;
      return { ...asked, ...verdict, askedAgain: (call.askedAgain ?? 0) + 1 };
    }
    return { ...call, ...verdict };
  }
}

/** The interrupt of the tool, if the user has not been asked yet. */
function newInterrupt({ functionInterrupt: asks, decision }: PendingCall): PendingFunctionInterrupt[] {
  return decision === 'run' && asks !== undefined && asks.answer === undefined ? [asks] : [];
}

function continuing(continues: ContinuedAnswer | undefined): { continues?: ContinuedAnswer } {
  return continues ? { continues } : {};
}

function end(state: AgentState, ending: Ending): Instruction {
  if (state.pending.length > 0) return { type: 'resolve_aborted_tools', calls: state.pending, ending };
  return { type: 'finish', ending };
}

function anyRepeated({ sameCalls, limits }: AgentState): boolean {
  for (const fingerprint in sameCalls) if ((sameCalls[fingerprint] ?? 0) > limits.maxSameCall) return true;
  return false;
}

function isRepeated(state: AgentState, call: PendingCall): boolean {
  return (state.sameCalls[callFingerprint(call.name, call.arguments)] ?? 0) > state.limits.maxSameCall;
}

function failed(error: ErrorInfo): Ending {
  return { status: 'failed', error };
}

const EMPTY_RESPONSE: ErrorInfo = createErrorInfo({
  code: 'empty_response',
  message: say`The model answered with neither text nor a tool call.`,
  hint: say`Ask again, or choose another model.`,
  retryable: true,
});

const FILTERED: ErrorInfo = createErrorInfo({
  code: 'refused',
  message: say`The provider's content filter blocked the answer.`,
  hint: say`Rephrase the question.`,
});

function maxTurns(state: AgentState): ErrorInfo {
  const { maxTurns: limit } = state.limits;
  return createErrorInfo({
    code: 'max_turns_exceeded',
    message:
      limit === 1
        ? say`The model still requested tools after ${limit} turn, the limit of this run.`
        : say`The model still requested tools after ${limit} turns, the limit of this run.`,
    hint: say`Ask for less at once, or raise the limit of turns (maxTurns).`,
  });
}

function tooOften(state: AgentState, call: PendingCall): ErrorInfo {
  return createErrorInfo({
    code: 'repeated_call',
    message: say`The model called "${call.name}" with the same arguments more than ${state.limits.maxSameCall} times.`,
    hint: say`The model repeats itself: rephrase the question, or raise the limit of identical calls (maxSameCall).`,
  });
}
