import { exportedTypes } from '@toolyard/testing';
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

test('exports these types and no others', () => {
  const types = `
    Agent AgentOptions AgentRun AgentStore ArgumentsOf ArgumentsSchema AskApproval AskUser FromScriptThread FunctionTool
    FunctionToolGroup GroupOfCall InterruptHandlers JudgedToolCall KeepPrelude MemberAnswer ModelChoice
    ModelRequestOfTool Platform RunAccess RunBudget RunCallOptions RunGroup RunGroupMember RunOptions RunResult
    RunSkills RunToolHost ScriptThread ServerInterrupt StartSubAgents SubAgentResult SubAgents
    ToolContext ToolModelRequests ToolOptions ToolOutput ToolSource UserAnswer UserInputRequest
  `;
  expect(exportedTypes(new URL('index.ts', import.meta.url))).toEqual(types.trim().split(/\s+/));
});
