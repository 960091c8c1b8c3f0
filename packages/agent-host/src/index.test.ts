import { expect, test } from 'vitest';
import * as root from './index.ts';
import * as node from './node/index.ts';

test('the package offers this and nothing else', () => {
  expect(Object.keys(root).sort()).toEqual([
    'ASK_USER_TOOLS',
    'FunctionTools',
    'RunFailed',
    'continuationOf',
    'createAgent',
    'createUuidSource',
    'hostTools',
    'messageIdOf',
    'partialAnswer',
    'rebuildRequest',
    'tool',
    'toolPolicyFacts',
    'toolsUpToDate',
  ]);
});

test('the Node side offers this and nothing else', () => {
  expect(Object.keys(node).sort()).toEqual(['createAgent', 'nodePlatform', 'resolvePath']);
});
