import { expect, test } from 'vitest';
import * as root from './index.ts';

test('the package offers this and nothing else', () => {
  expect(Object.keys(root).sort()).toEqual([
    'ASSUMED_WINDOW',
    'AgentRuntime',
    'GeneralChatAgent',
    'InterventionChecker',
    'STATE_SCHEMA_VERSION',
    'SUMMARY_INSTRUCTIONS',
    'answerInterrupts',
    'approvalOf',
    'askOf',
    'buildContext',
    'faultsOfRules',
    'initialState',
    'isHarmless',
    'isNearlyFull',
    'measureContext',
    'openInterrupts',
    'placeholdersAt',
    'plainSummary',
    'planFold',
    'readInterventionRules',
    'refusalOf',
    'settledBy',
    'summaryRequest',
    'summaryTokens',
    'tokensOfText',
    'usesPlaceholders',
    'withApproval',
    'withAskAnswer',
    'withPendingCalls',
  ]);
});
