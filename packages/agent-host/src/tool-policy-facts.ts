import type { ToolPolicyFacts } from '@toolyard/agent-runtime';
import type { IndexedTool, McpHost } from '@toolyard/mcp-host';
import type { ToolReference } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

const LONGEST_DESCRIPTION = 4_000;
/** Stored with each question: of a longer one the arguments are checked when the call is made. */
const LONGEST_SCHEMA = 16_000;

/** What a gate and a person are to know of one of these tools. Undefined for one that is not among them. */
export function toolPolicyFacts(
  host: Pick<McpHost, 'trust' | 'definitionOf' | 'isTrusted'> & Partial<Pick<McpHost, 'workingFolderOf'>>,
  tools: readonly IndexedTool[],
  { serverId, name }: ToolReference,
): ToolPolicyFacts | undefined {
  const known = tools.find(({ tool }) => tool.serverId === serverId && tool.name === name);
  if (known === undefined) return undefined;
  const { description, inputSchema, annotations, builtIn, tool } = known;
  const readOnly = annotations?.readOnly === true;
  // What Toolyard ships changes with Toolyard, which nobody need approve. Reading from elsewhere may send there, too.
  if (builtIn) return { builtIn, readOnly: readOnly && annotations.openWorld !== true };
  const destructive = annotations?.destructive;
  const change = host.trust.changeOf(tool);
  const changed = change && { hasMoved: change.hasMoved, differences: change.differences };
  return {
    builtIn,
    readOnly,
    trusted: host.isTrusted(serverId),
    ...defined({ destructive, changed }),
    callContext: () => ({ inputSchema, workingFolder: host.workingFolderOf?.(serverId) }),
    about: () => {
      const definition = host.definitionOf(tool);
      return {
        ...(description === undefined ? {} : { description: description.slice(0, LONGEST_DESCRIPTION) }),
        ...defined({ definition }),
        ...(JSON.stringify(inputSchema).length > LONGEST_SCHEMA ? {} : { inputSchema }),
        ...defined({ changed }),
      };
    },
  };
}

/**
 * Resolves when what the servers of these tools have announced of them is known, so that it is judged by: a call of an
 * approved tool would wait for the same, as long, and only then find that nobody has seen what the tool is now.
 */
export function toolsUpToDate(
  host: Pick<McpHost, 'trust' | 'toolsUpToDate'>,
  tools: readonly ToolReference[],
): Promise<void> | undefined {
  const waits: Promise<void>[] = [];
  for (const tool of tools) {
    const known = host.trust.verdict(tool) === 'approved' ? host.toolsUpToDate(tool.serverId) : undefined;
    if (known) waits.push(known);
  }
  return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
}
