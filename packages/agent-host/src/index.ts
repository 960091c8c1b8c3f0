export { partialAnswer, continuationOf } from './continuation.ts';
export { matchesGlob } from '@toolyard/agent-runtime';
export { createAgent } from './create-agent.ts';
export type { RunAccess } from './create-run-host.ts';
export type { Agent, AgentOptions, Platform, RunOptions } from './agent.ts';
export type { AgentStore } from './agent-store.ts';
export type { InterruptHandlers } from './interrupt-handlers.ts';
export type { ModelChoice } from './model-choice.ts';
export { RunFailed } from './agent-run.ts';
export type { AgentRun, RunResult } from './agent-run.ts';
export { createComputeTools } from './built-in/compute-tools.ts';
export { createScriptThreads } from './built-in/script-threads.ts';
export type { FromScriptThread } from './built-in/script.ts';
export type { ScriptThread } from './built-in/script-threads.ts';
export { addWords, createWordIndex } from './built-in/word-index.ts';
export { TOOL_SEARCH } from './built-in/search-tools.ts';
export { GROUP_TOOLS, HAND_BACK } from './built-in/group-tools.ts';
export type { GroupOfCall, RunGroup, RunGroupMember } from './run-group.ts';
export { SUB_AGENT_TOOLS } from './built-in/delegate-task.ts';
export type { MemberAnswer, StartSubAgents, SubAgentResult, SubAgents } from './sub-agents.ts';
export { ASK_USER_TOOLS } from './functions/ask-user.ts';
export type { RunCallOptions, RunToolHost } from './functions/function-tools.ts';
export { FunctionTools } from './functions/function-tools.ts';
export type {
  ArgumentsOf,
  ArgumentsSchema,
  FunctionTool,
  FunctionToolGroup,
  ModelRequestOfTool,
  RunBudget,
  RunSkills,
  ToolContext,
  ToolModelRequests,
  ToolOptions,
  ToolOutput,
  UserAnswer,
  UserInputRequest,
} from './functions/tool.ts';
export { tool } from './functions/tool.ts';
export { messageIdOf } from './executors/call-llm.ts';
export { rebuildRequest } from './executors/assemble-request.ts';
export type { KeepPrelude } from './executors/prelude-keeper.ts';
export { toolPolicyFacts, toolsUpToDate } from './tool-policy-facts.ts';
export type { AskApproval, AskUser, ServerInterrupt } from './run-host.ts';
export { nearestNames } from './nearest-names.ts';
export { hostTools } from './host-tools.ts';
export { RunToolService } from './run-tool-service.ts';
export type { JudgedToolCall } from './run-tool-service.ts';
export type { ToolSource } from './run-tool-set.ts';
export { createUuidSource } from './uuid.ts';
