import type { ErrorInfo } from '@toolyard/protocol';
import { createErrorInfo, say } from '@toolyard/protocol';
import type { Brain } from '../general-chat-agent.ts';
import type { AgentContext, Instruction } from '../instructions.ts';
import type { AgentState } from '../state.ts';
import type { GroupHistory, GroupSettings } from './group-orchestration.ts';
import { GroupOrchestrationRuntime } from './group-orchestration.ts';
import { initialGroupState } from './group-state.ts';

export type GroupAgentOptions = {
  /** Judges calls, budgets and answers of the supervisor. */
  chat: Brain;
  /** The group as it is now. */
  settings: () => GroupSettings & { title: string };
  history: () => GroupHistory;
};

/**
 * The brain of the run of a group: that of a chat, except that before each model request the group decides who is
 * next. Without a supervisor the model is never asked.
 */
export class GroupAgent implements Brain {
  readonly #options: GroupAgentOptions;

  constructor(options: GroupAgentOptions) {
    this.#options = options;
  }

  decide(state: AgentState, context: AgentContext): Instruction {
    const { chat } = this.#options;
    if (context.phase === 'llm_result' && context.toolChoice === 'none' && state.pending.length > 0 && !context.error) {
      // The supervisor wants to decide more than the round limit allows.
      return { type: 'resolve_aborted_tools', calls: state.pending, ending: { status: 'done' } };
    }
    const next = chat.decide(state, context);
    // The other instructions concern calls, budgets, the end of the run, or an answer of the supervisor.
    if (next.type !== 'call_llm' && next.type !== 'compress_context') return next;
    if (next.type === 'compress_context' && next.because === 'refused') return next;
    return this.#nextTurn(state, next);
  }

  #nextTurn(state: AgentState, request: Instruction): Instruction {
    const { settings, history } = this.#options;
    const group = settings();
    const decision = new GroupOrchestrationRuntime(group).decide(state.group ?? initialGroupState(), history());
    switch (decision.do) {
      case 'finish': {
        if (group.members.length > 0) return { type: 'finish', ending: { status: 'done' } };
        return { type: 'finish', ending: { status: 'failed', error: noMembers(group.title) } };
      }
      case 'pause':
        return { type: 'pause_group' };
      case 'ask_member':
        return { type: 'call_member', agentId: decision.agentId, kind: decision.kind };
      case 'ask_supervisor':
        return decision.last && request.type === 'call_llm' ? { ...request, toolChoice: 'none' } : request;
    }
  }
}

export function noMembers(title: string): ErrorInfo {
  return createErrorInfo({
    code: 'bad_request',
    message: say`The group ${JSON.stringify(title)} has no members.`,
    hint: say`Add an agent to the group, then send the message again.`,
  });
}
