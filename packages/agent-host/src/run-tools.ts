import type { ContextSources, JudgedTool } from '@toolyard/agent-runtime';
import type { McpHost, ToolHost } from '@toolyard/mcp-host';
import type { ToolReference } from '@toolyard/protocol';
import { judgedBy, whenJudgeable } from './judged-tool.ts';

/** The tools one run may use, as they are now. */
export type RunTools = ToolHost & {
  contextSources(): ContextSources;
  /** Undefined for a tool that is not there. */
  judged(tool: ToolReference): JudgedTool | undefined;
  /** Resolves when the latest announced definitions of these tools are known, so that calls are judged by them. */
  refresh(tools: readonly ToolReference[]): Promise<void> | undefined;
};

/** The tools of a host, or of those of its servers that `view` selects and `isSelected` names. */
export function hostTools(host: McpHost, view: ToolHost, isSelected: (serverId: string) => boolean): RunTools {
  let sources: ContextSources = { serverInstructions: [] };
  let content = '[]';
  return {
    tools: () => view.tools(),
    resolve: (name) => view.resolve(name),
    callTool: (...call) => view.callTool(...call),
    resumeTask: (...task) => view.resumeTask(...task),
    contextSources() {
      const serverInstructions = host
        .health()
        .flatMap(({ id, state, instructions }) =>
          isSelected(id) && state === 'ready' && instructions ? [{ serverId: id, text: instructions }] : [],
        );
      const now = JSON.stringify(serverInstructions);
      // The same object stands for the same content, so that what was built from it is kept.
      if (now !== content) sources = { serverInstructions };
      content = now;
      return sources;
    },
    judged: (tool) => judgedBy(host, view.tools(), tool),
    refresh: (tools) => whenJudgeable(host, tools),
  };
}
