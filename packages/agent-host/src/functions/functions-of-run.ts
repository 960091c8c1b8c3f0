import type { ToolPolicyFacts } from '@toolyard/agent-runtime';
import type { IndexedTool } from '@toolyard/mcp-host';
import type { ToolReference } from '@toolyard/protocol';
import { HAND_BACK } from '../built-in/group-tools.ts';
import type { RunTools } from '../run-tools.ts';
import type { FunctionTools } from './function-tools.ts';
import type { RunSkills } from './tool.ts';

/** The built-in server that keeps what a model remembers. */
const MEMORY_SERVER = 'memory';

/**
 * The tools of a run, without those that need a folder, skills, or sub-agents, if the run has none. The run of a sub-agent
 * writes no memory: what it learns reaches the user's conversation as a result, where it is seen.
 */
export function toolsIn(
  has: {
    workspace: string | undefined;
    skills: RunSkills | undefined;
    subAgents: unknown;
    isChild: boolean;
    group: GroupRole | undefined;
  },
  tools: RunTools,
  functions: FunctionTools | undefined,
): RunTools {
  const lacksFolder = has.workspace === undefined;
  const lacksSkills = has.skills === undefined;
  const lacksSubAgents = has.subAgents === undefined;
  if (functions === undefined) return tools;
  const isOffered = (tool: IndexedTool): boolean =>
    !(lacksFolder && functions.needsWorkspace(tool)) &&
    !(lacksSkills && functions.needsSkills(tool)) &&
    !(lacksSubAgents && functions.needsSubAgents(tool)) &&
    !(has.isChild && writesMemory(tool)) &&
    (!functions.needsGroup(tool) || isOfferedTo(has.group, tool));
  let last: { of: readonly IndexedTool[]; offered: readonly IndexedTool[] } | null = null;
  return {
    tools() {
      const of = tools.tools();
      if (last?.of === of) return last.offered;
      const offered = of.every(isOffered) ? of : of.filter(isOffered);
      last = { of, offered };
      return offered;
    },
    resolve(name) {
      const found = tools.resolve(name);
      return found && isOffered(found) ? found : undefined;
    },
    callTool: (tool, args, options) => tools.callTool(tool, args, options),
    resumeTask: (handle, options) => tools.resumeTask(handle, options),
    contextSources: () => tools.contextSources(),
    policyFacts: (tool) => tools.policyFacts(tool),
    refresh: (called) => tools.refresh(called),
  };
}

/** The run of a group makes its decisions; a member that the conversation was handed to can only hand it back. */
export type GroupRole = 'decides' | 'has_conversation';

function isOfferedTo(role: GroupRole | undefined, { tool }: IndexedTool): boolean {
  return role === (tool.name === HAND_BACK ? 'has_conversation' : 'decides');
}

function writesMemory({ builtIn, tool, annotations }: IndexedTool): boolean {
  return builtIn && tool.serverId === MEMORY_SERVER && annotations?.readOnly !== true;
}

type FactSources = { tools: RunTools; functions: FunctionTools | undefined; workspace: string | undefined };

/** What is known of a tool when a call is checked, including what only its registration knows. */
export function functionFacts(
  tool: ToolReference,
  { tools, functions, workspace }: FactSources,
): ToolPolicyFacts | undefined {
  const facts = tools.policyFacts(tool);
  if (facts === undefined || functions === undefined) return facts;
  const listed = tools.tools();
  if (functions.isIsolated(listed, tool)) return { ...facts, isolated: true };
  const known = listed.find((each) => each.tool.serverId === tool.serverId && each.tool.name === tool.name);
  if (workspace === undefined || known === undefined || !functions.needsWorkspace(known)) return facts;
  return { ...facts, callContext: () => ({ inputSchema: known.inputSchema, workingFolder: workspace }) };
}
