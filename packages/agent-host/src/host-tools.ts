import type { ContextSources } from '@toolyard/agent-runtime';
import type { McpHost, ToolHost } from '@toolyard/mcp-host';
import type { ToolSource } from './run-tool-set.ts';
import { toolPolicyFacts, toolsUpToDate } from './tool-policy-facts.ts';

type HostToolsOptions = {
  host: McpHost;
  /** Tools of the host; default: all that a model may call. */
  view?: ToolHost;
  /** The servers of `view`; default: all. */
  isSelected?: (serverId: string) => boolean;
  /** Called at each turn of a run. */
  onTurn?: () => void;
};

/**
 * The tools of an MCP host, as the source of all tools of a run that no other source has.
 *
 * @example
 * const tools = hostTools({ host });
 */
export function hostTools({
  host,
  view = host.select('all'),
  isSelected = () => true,
  onTurn,
}: HostToolsOptions): ToolHost & ToolSource {
  const instructions = createInstructionSource(host, isSelected);
  return {
    tools: () => view.tools(),
    resolve: (name) => view.resolve(name),
    callTool: view.callTool.bind(view),
    resumeTask: view.resumeTask.bind(view),
    contextSources() {
      onTurn?.();
      return instructions();
    },
    policyFacts: (tool) => toolPolicyFacts(host, view.tools(), tool),
    refresh: (calls) => toolsUpToDate(host, calls),
  };
}

/** The instructions of ready servers, compared only when a server changes. */
function createInstructionSource(host: McpHost, isSelected: (serverId: string) => boolean): () => ContextSources {
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
