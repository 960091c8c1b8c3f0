import { exportedTypes } from '@toolyard/testing';
import { expect, test } from 'vitest';
import * as root from './index.ts';

test('exports these names and no others', () => {
  expect(Object.keys(root).sort()).toEqual([
    'ASSUMED_WINDOW',
    'AgentRuntime',
    'BudgetChecker',
    'GROUP_SERVER',
    'GeneralChatAgent',
    'GroupAgent',
    'GroupOrchestrationRuntime',
    'InterventionChecker',
    'MAX_REASONING_TOKENS',
    'STATE_SCHEMA_VERSION',
    'STOPPED_ANSWER',
    'SUMMARY_INSTRUCTIONS',
    'answerInterrupts',
    'approvalOf',
    'budgetError',
    'budgetInterrupt',
    'buildContext',
    'checkScope',
    'cutAtWord',
    'dangerOf',
    'fenced',
    'groupHistory',
    'groupResultOf',
    'hasWholeLine',
    'initialGroupState',
    'initialState',
    'isHarmless',
    'isNearlyFull',
    'isStop',
    'matchesGlob',
    'measureContext',
    'memberInstructions',
    'memberPrompt',
    'memberView',
    'messageTooLong',
    'noMembers',
    'openChildrenOf',
    'openFunctionInterrupt',
    'openInterrupts',
    'parkedStatus',
    'placeholdersAt',
    'plainSummary',
    'planCompaction',
    'planSummary',
    'presetPrompt',
    'readInterventionRules',
    'refusalOf',
    'standingAnswer',
    'summaryRequest',
    'summaryTokens',
    'supervisorInstructions',
    'tokensOfText',
    'tokensOfTools',
    'unreadableTypes',
    'usesPlaceholders',
    'withApproval',
    'withBudgetAnswer',
    'withFunctionAnswer',
    'withModelCall',
    'withPendingCalls',
  ]);
});

test('exports these types and no others', () => {
  const types = `
    AgentContext AgentRuntimeOptions AgentState Brain BudgetCheckerOptions BudgetExcess BudgetGate BudgetNeed
    CallContext CallToolFacts CompactionPlan ContextSources ContinuedAnswer DelegableTask DelegatedTask Ending
    Executor Executors Gate GeneralChatAgentOptions GroupDescription GroupHistory GroupOutcome GroupSettings
    GroupState Instruction InstructionOf InterventionOptions MemberTask PendingCall PendingFunctionInterrupt
    PendingInterrupt PolicyVerdict PresetPrompt RunPoint RunToolChoice RunnableCall Summary ToolPolicyFacts
  `;
  expect(exportedTypes(new URL('index.ts', import.meta.url))).toEqual(types.trim().split(/\s+/));
});
