export { createAgent } from './create-agent.ts';
export type { Agent, AgentOptions, Platform, RunOptions } from './create-agent.ts';
export type { ModelChoice } from './model-choice.ts';
export { RunFailed } from './agent-run.ts';
export type { AgentRun, RunResult } from './agent-run.ts';
export { createAgentExecutors } from './executors/create-agent-executors.ts';
export type { AskApproval, RunHost } from './run-host.ts';
export { createUuidSource } from './uuid.ts';
