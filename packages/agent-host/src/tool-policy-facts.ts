import type { ToolPolicyFacts } from '@toolyard/agent-runtime';
import type { IndexedTool, McpHost } from '@toolyard/mcp-host';
import type { JudgedCall, ToolReference } from '@toolyard/protocol';
import { defined, readsOnlyInside } from '@toolyard/protocol';

const MAX_DESCRIPTION_LENGTH = 4_000;
/** Limit of the schema stored with each approval; with a longer one arguments are validated when the call is made. */
const MAX_SCHEMA_LENGTH = 16_000;

/**
 * What policy and user need to know of a tool. Undefined if the tool does not exist.
 *
 * @example
 * const facts = toolPolicyFacts(host, host.tools(), { serverId: 'files', name: 'delete' });
 * if (facts?.changed) console.log('It has changed since it was approved.');
 */
export function toolPolicyFacts(
  host: Pick<McpHost, 'trust' | 'findDefinition' | 'isTrusted'> & Partial<Pick<McpHost, 'findWorkingFolder'>>,
  tools: readonly IndexedTool[],
  { serverId, name }: ToolReference,
): ToolPolicyFacts | undefined {
  const known = tools.find(({ tool }) => tool.serverId === serverId && tool.name === name);
  if (known === undefined) return undefined;
  const { description, inputSchema, annotations, builtIn, tool } = known;
  const destructive = annotations?.destructive;
  // Built-in tools change only with Toolyard and need no approval again.
  if (builtIn) return { builtIn, readOnly: readsOnlyInside(annotations), ...defined({ destructive }) };
  const readOnly = annotations?.readOnly === true;
  const change = host.trust.findChange(tool);
  const changed = change && { hasMoved: change.hasMoved, differences: change.differences };
  return {
    builtIn,
    readOnly,
    trusted: host.isTrusted(serverId),
    ...defined({ destructive, changed }),
    callContext: () => ({ inputSchema, workingFolder: host.findWorkingFolder?.(serverId) }),
    about: () => {
      const definition = host.findDefinition(tool);
      return {
        ...(description === undefined ? {} : { description: description.slice(0, MAX_DESCRIPTION_LENGTH) }),
        ...defined({ definition }),
        ...(JSON.stringify(inputSchema).length > MAX_SCHEMA_LENGTH ? {} : { inputSchema }),
        ...defined({ changed }),
      };
    },
  };
}

/**
 * Resolves when announced changes of these tools are known, so that calls are checked by the current definitions. A
 * call of an approved tool would wait equally long, and only then fail because the definition has changed.
 *
 * @example
 * await toolsUpToDate(host, [{ tool: { serverId: 'files', name: 'delete' } }]);
 */
export function toolsUpToDate(
  host: Pick<McpHost, 'trust' | 'toolsUpToDate'>,
  calls: readonly Pick<JudgedCall, 'tool'>[],
): Promise<void> | undefined {
  const waits: Promise<void>[] = [];
  for (const { tool } of calls) {
    const known = host.trust.verdict(tool) === 'approved' ? host.toolsUpToDate(tool.serverId) : undefined;
    if (known) waits.push(known);
  }
  return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
}
