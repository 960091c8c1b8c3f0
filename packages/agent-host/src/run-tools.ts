import type { ContextSources, ToolPolicyFacts } from '@toolyard/agent-runtime';
import type { McpHost, ToolHost } from '@toolyard/mcp-host';
import type { JudgedCall, ToolReference } from '@toolyard/protocol';
import type { FunctionTools, RunToolHost } from './functions/function-tools.ts';
import { toolPolicyFacts, toolsUpToDate } from './tool-policy-facts.ts';

/** The tools that one run may use at the moment. */
export type RunTools = RunToolHost & {
  contextSources(): ContextSources;
  /** Undefined for a tool that does not exist. */
  policyFacts(tool: ToolReference): ToolPolicyFacts | undefined;
  /** Resolves when everything is known that checking these calls needs, such as announced definitions of their tools. */
  refresh(calls: readonly JudgedCall[]): Promise<void> | undefined;
};

type HostToolsOptions = {
  host: McpHost;
  /** Tools of the host; default: all that a model may call. */
  view?: ToolHost;
  /** The servers of `view`; default: all. */
  isSelected?: (serverId: string) => boolean;
  /** Executed in this process. */
  functions?: FunctionTools;
};

/**
 * The tools of an MCP host, and functions, for a run.
 *
 * @example
 * const tools = hostTools({ host });
 * const result = await tools.callTool({ serverId: 'date', name: 'get-date' }, {});
 */
export function hostTools({
  host,
  view = host.select('all'),
  isSelected = () => true,
  functions,
}: HostToolsOptions): RunTools {
  return {
    tools: () => view.tools(),
    resolve: (name) => view.resolve(name),
    callTool: functions
      ? (tool, args, options = {}) =>
          functions.call(view.tools(), tool, args, options) ?? view.callTool(tool, args, options)
      : view.callTool.bind(view),
    resumeTask: view.resumeTask.bind(view),
    contextSources: instructionsOf(host, isSelected),
    policyFacts: (tool) => toolPolicyFacts(host, view.tools(), tool),
    refresh: (calls) => toolsUpToDate(host, calls),
  };
}

/** The instructions of ready servers, compared only when a server changes. */
function instructionsOf(host: McpHost, isSelected: (serverId: string) => boolean): () => ContextSources {
  let sources: ContextSources = { serverInstructions: [] };
  let changes = -1;
  return () => {
    if (changes === host.changes) return sources;
    ({ changes } = host);
    const serverInstructions = host
      .health()
      .flatMap(({ id, state, instructions }) =>
        isSelected(id) && state === 'ready' && instructions ? [{ serverId: id, text: instructions }] : [],
      );
    // The same object means the same content, so that cached values derived from it stay valid.
    if (JSON.stringify(serverInstructions) !== JSON.stringify(sources.serverInstructions)) {
      sources = { serverInstructions };
    }
    return sources;
  };
}
