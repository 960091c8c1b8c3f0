import { expect, test } from 'vitest';
import * as root from './index.ts';

test('the package offers this and nothing else', () => {
  expect(Object.keys(root).sort()).toEqual([
    'DEFAULT_LIMITS',
    'RUN_EVENT_VERSION',
    'ToolyardError',
    'VERSION',
    'WIRES',
    'addUsage',
    'asksForSecret',
    'canonicalJson',
    'checkForm',
    'costOf',
    'decisionsFor',
    'formFaultText',
    'formatToolReference',
    'isAbortError',
    'isJsonObject',
    'parseJson',
    'readForm',
    'showHidden',
    'systemClock',
    'textOf',
    'toErrorInfo',
  ]);
});
