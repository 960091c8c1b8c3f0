import type { Executor, Executors } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { createCallLlm } from './call-llm.ts';
import { createCallMember, createPauseGroup } from './call-member.ts';
import { createCallTool, createCallToolsBatch, createResolveAbortedTools } from './call-tools.ts';
import { createCompressContext } from './compress-context.ts';
import { createExecSubAgents } from './exec-sub-agents.ts';
import { createRequestHumanPrompt, createRequestHumanSelect } from './request-human-answer.ts';
import { createRequestHumanApprove } from './request-human-approve.ts';
import { createRequestHumanBudget } from './request-human-budget.ts';

/** Connects the loop to model, tools and user: one executor per instruction. */
export function createAgentExecutors(host: RunHost): Executors {
  return {
    call_llm: createCallLlm(host),
    call_tool: createCallTool(host),
    call_tools_batch: createCallToolsBatch(host),
    compress_context: createCompressContext(host),
    exec_sub_agent: createExecSubAgents(host),
    exec_sub_agents: createExecSubAgents(host),
    call_member: createCallMember(host),
    pause_group: createPauseGroup(host),
    request_human_approve: createRequestHumanApprove(host),
    request_human_prompt: createRequestHumanPrompt(host),
    request_human_select: createRequestHumanSelect(host),
    request_human_budget: createRequestHumanBudget(host),
    resolve_aborted_tools: createResolveAbortedTools(host),
    finish: createFinish(host),
  };
}

function createFinish(host: RunHost): Executor<'finish'> {
  return ({ ending }, state) => {
    host.journal.append({
      type: 'run_finished',
      status: ending.status,
      usage: state.usage,
      ...(state.cost === null ? {} : { cost: state.cost }),
      ...(ending.status === 'failed' ? { error: ending.error } : {}),
    });
    return { state: { ...state, status: ending.status }, context: { phase: 'ending', ending } };
  };
}
