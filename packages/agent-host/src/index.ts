export { begunIn, continuationOf } from './continuation.ts';
export { sourcesOf } from './context-sources.ts';
export { createAgent } from './create-agent.ts';
export type { Agent, AgentOptions, Platform, RunOptions } from './agent.ts';
export type { AgentQuestions } from './agent-questions.ts';
export type { ModelChoice } from './model-choice.ts';
export { RunFailed, timeLimitExceeded } from './agent-run.ts';
export type { AgentRun, RunResult } from './agent-run.ts';
export { ASK_USER_TOOLS } from './functions/ask-user.ts';
export type { FunctionToolGroup, RunCallOptions, RunToolHost } from './functions/function-tools.ts';
export { FunctionTools } from './functions/function-tools.ts';
export type {
  ArgumentsOf,
  ArgumentsSchema,
  FunctionTool,
  RunBudget,
  ToolContext,
  ToolOptions,
  ToolOutput,
  UserAnswer,
  UserQuestion,
} from './functions/tool.ts';
export { tool } from './functions/tool.ts';
export { driveRun } from './drive-run.ts';
export type { DriveOptions } from './drive-run.ts';
export { messageIdOf } from './executors/call-llm.ts';
export { rebuildRequest } from './executors/assemble-request.ts';
export { wantsCompression } from './executors/request-makings.ts';
export type { KeepPrelude } from './executors/keep-prelude.ts';
export { createAgentExecutors } from './executors/create-agent-executors.ts';
export { judgedBy, whenJudgeable } from './judged-tool.ts';
export type { AskApproval, Asking, AskQuestion, AskUser, Questioning, RunHost, ServerQuestion } from './run-host.ts';
export { createUuidSource } from './uuid.ts';
