import { expect, test } from 'vitest';
import * as root from './index.ts';
import * as node from './node/index.ts';

test('exports these names and no others', () => {
  expect(Object.keys(root).sort()).toEqual([
    'ASK_USER_TOOLS',
    'FunctionTools',
    'GROUP_TOOLS',
    'HAND_BACK',
    'RunFailed',
    'RunToolService',
    'SUB_AGENT_TOOLS',
    'TOOL_SEARCH',
    'addWords',
    'continuationOf',
    'createAgent',
    'createComputeTools',
    'createScriptThreads',
    'createUuidSource',
    'createWordIndex',
    'hostTools',
    'matchesGlob',
    'messageIdOf',
    'nearestNames',
    'partialAnswer',
    'rebuildRequest',
    'tool',
    'toolPolicyFacts',
    'toolsUpToDate',
  ]);
});

test('exports these names and no others for Node', () => {
  expect(Object.keys(node).sort()).toEqual([
    'COMPUTE_TOOLS',
    'cloudCredentials',
    'createAgent',
    'createFileStore',
    'nodePlatform',
    'resolvePath',
  ]);
});
