import type { ToolPolicyFacts } from '@toolyard/agent-runtime';
import type { IndexedTool } from '@toolyard/mcp-host';
import type { ToolReference } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import { HAND_BACK } from '../built-in/group-tools.ts';
import type { RunToolSet } from '../run-tool-set.ts';
import type { FunctionTools } from './function-tools.ts';
import type { RunSkills } from './tool.ts';

/** The built-in server that keeps what a model remembers. */
const MEMORY_SERVER = 'memory';

/** What a run has that some tools need. */
type RunProperties = {
  workspace: string | undefined;
  disabledTools: readonly string[] | undefined;
  skills: RunSkills | undefined;
  subAgents: unknown;
  isChild: boolean;
  group: GroupRole | undefined;
};

/**
 * True for the tools of a run: not for those that need a folder, skills, or sub-agents, if the run has none. The run of a
 * sub-agent writes no memory: what it learns reaches the user's conversation as a result, where it is seen.
 */
export function offeredIn(
  { workspace, disabledTools, skills, subAgents, isChild, group }: RunProperties,
  functions: FunctionTools | undefined,
): (tool: IndexedTool) => boolean {
  const disabled = new Set(disabledTools);
  return (tool) => {
    // A host does not list disabled tools of servers. Those of tabs are listed, because hiding one must rename no other.
    if (tool.tool.origin === 'tab' && disabled.has(formatToolReference(tool.tool))) return false;
    if (functions === undefined) return true;
    return (
      !(workspace === undefined && functions.has('needsWorkspace', tool)) &&
      !(skills === undefined && functions.has('needsSkills', tool)) &&
      !(subAgents === undefined && functions.has('needsSubAgents', tool)) &&
      !(isChild && writesMemory(tool)) &&
      (!functions.has('needsGroup', tool) || isOfferedTo(group, tool))
    );
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

type FactSources = { tools: RunToolSet; functions: FunctionTools | undefined; workspace: string | undefined };

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
  if (workspace === undefined || known === undefined || !functions.has('needsWorkspace', known)) return facts;
  return { ...facts, callContext: () => ({ inputSchema: known.inputSchema, workingFolder: workspace }) };
}
