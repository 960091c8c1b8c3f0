import { expect, test } from 'vitest';
import * as root from './index.ts';

test('the package offers this and nothing else', () => {
  expect(Object.keys(root).sort()).toEqual([
    'DEFAULT_LIMITS',
    'HANDED_ON',
    'NOTHING_SPENT',
    'RUN_EVENT_VERSION',
    'ToolyardError',
    'VERSION',
    'WEBHOOK_EVENTS',
    'WIRES',
    'addUsage',
    'amountOf',
    'asksForSecret',
    'budgetExceeded',
    'budgetKey',
    'canonicalJson',
    'checkForm',
    'costOf',
    'decisionsFor',
    'faultsOfBudgets',
    'formFaultText',
    'formatToolReference',
    'isAbortError',
    'isJsonObject',
    'mergeBudgets',
    'nameBudget',
    'parseJson',
    'readForm',
    'readTaskHandle',
    'showHidden',
    'systemClock',
    'textOf',
    'toErrorInfo',
    'usedUp',
  ]);
});
