import { expect, test } from 'vitest';
import * as root from './index.ts';

test('the package offers this and nothing else', () => {
  expect(Object.keys(root).sort()).toEqual([
    'AgentRuntime',
    'GeneralChatAgent',
    'MAX_TOOL_RESULT_TOKENS',
    'STATE_SCHEMA_VERSION',
    'answerInterrupts',
    'approvalOf',
    'buildContext',
    'createGate',
    'initialState',
    'isHarmless',
    'openInterrupts',
    'refusalOf',
    'withApproval',
    'withPendingCalls',
  ]);
});
