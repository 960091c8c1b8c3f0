import { expect, test } from 'vitest';
import * as root from './index.ts';

test('the package offers this and nothing else', () => {
  expect(Object.keys(root).sort()).toEqual([
    'DEFAULT_LIMITS',
    'HANDED_ON',
    'RUN_EVENT_VERSION',
    'ToolyardError',
    'VERSION',
    'WIRES',
    'addUsage',
    'asksForSecret',
    'canonicalJson',
    'checkForm',
    'costOf',
    'countCall',
    'decisionsFor',
    'formFaultText',
    'formatToolReference',
    'isAbortError',
    'isJsonObject',
    'parseJson',
    'readForm',
    'readTaskHandle',
    'showHidden',
    'systemClock',
    'textOf',
    'toErrorInfo',
  ]);
});
