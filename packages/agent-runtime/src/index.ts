export { matchesGlob } from './intervention/globs.ts';
export { AgentRuntime } from './agent-runtime.ts';
export type { AgentRuntimeOptions, Executor, Executors, RunPoint } from './agent-runtime.ts';
export { openChildrenOf } from './delegation.ts';
export { openFunctionInterrupt, withFunctionAnswer } from './tool-interrupts.ts';
export { GeneralChatAgent } from './general-chat-agent.ts';
export type { Brain, GeneralChatAgentOptions } from './general-chat-agent.ts';
export { BudgetChecker, budgetError, budgetInterrupt, withModelCall } from './budget-checker.ts';
export type { BudgetCheckerOptions, BudgetExcess, BudgetGate, BudgetNeed } from './budget-checker.ts';
export { dangerOf, InterventionChecker, isHarmless, refusalOf } from './intervention/intervention-checker.ts';
export type { Gate, InterventionOptions, ToolPolicyFacts, PolicyVerdict } from './intervention/intervention-checker.ts';
export type { CallContext } from './intervention/call-facts.ts';
export { readInterventionRules } from './intervention/read-rules.ts';
export type {
  AgentContext,
  ContinuedAnswer,
  Ending,
  Instruction,
  InstructionOf,
  RunToolChoice,
} from './instructions.ts';
export * from './interrupts.ts';
export { GROUP_SERVER, GroupOrchestrationRuntime } from './group/group-orchestration.ts';
export type { GroupHistory, GroupOutcome, GroupSettings } from './group/group-orchestration.ts';
export { GroupAgent, noMembers } from './group/group-agent.ts';
export { initialGroupState } from './group/group-state.ts';
export type { GroupState } from './group/group-state.ts';
export { memberInstructions, memberPrompt, supervisorInstructions } from './group/group-prompts.ts';
export type { GroupDescription } from './group/group-prompts.ts';
export { groupHistory, groupResultOf, memberView } from './group/member-view.ts';
export { initialState, STATE_SCHEMA_VERSION, withPendingCalls } from './state.ts';
export type {
  AgentState,
  CallToolFacts,
  DelegableTask,
  DelegatedTask,
  MemberTask,
  PendingFunctionInterrupt,
  PendingCall,
  PendingInterrupt,
  RunnableCall,
} from './state.ts';
export { buildContext, placeholdersAt, usesPlaceholders } from './context-pipeline.ts';
export { messageTooLong } from './context/message-length.ts';
export { unreadableTypes } from './context/user-messages.ts';
export { ASSUMED_WINDOW, isNearlyFull, measureContext } from './context/measure.ts';
export { planCompaction, planSummary } from './context/compaction.ts';
export type { CompactionPlan, Summary } from './context/compaction.ts';
export { plainSummary, SUMMARY_INSTRUCTIONS, summaryRequest, summaryTokens } from './context/summary-request.ts';
export { tokensOfText, tokensOfTools } from './context/estimate-tokens.ts';
export type { ContextSources } from './context-pipeline.ts';
export type { PresetPrompt } from './preset-tasks/preset-prompt.ts';
export { MAX_REASONING_TOKENS } from './preset-tasks/preset-prompt.ts';
export { cutAtWord, hasWholeLine } from './preset-tasks/read-line.ts';
export { presetPrompt } from './preset-tasks/preset-prompts.ts';
export { fenced } from './context/fenced.ts';
