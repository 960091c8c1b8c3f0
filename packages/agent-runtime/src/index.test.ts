import { expect, test } from 'vitest';
import * as root from './index.ts';

test('the package offers this and nothing else', () => {
  expect(Object.keys(root).sort()).toEqual([
    'AgentRuntime',
    'BudgetChecker',
    'GeneralChatAgent',
    'InterventionChecker',
    'MAX_TOOL_RESULT_TOKENS',
    'STATE_SCHEMA_VERSION',
    'answerInterrupts',
    'approvalOf',
    'askOf',
    'budgetError',
    'budgetQuestion',
    'buildContext',
    'faultsOfRules',
    'initialState',
    'isHarmless',
    'openInterrupts',
    'readInterventionRules',
    'refusalOf',
    'restingStatus',
    'settledBy',
    'withApproval',
    'withAskAnswer',
    'withBudgetAnswer',
    'withModelCall',
    'withPendingCalls',
  ]);
});
