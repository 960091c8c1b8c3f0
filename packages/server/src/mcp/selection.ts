import { judgedBy, whenJudgeable } from '@toolyard/agent-host';
import type { ContextSources, JudgedTool } from '@toolyard/agent-runtime';
import type { IndexedTool, McpHost, ToolHost } from '@toolyard/mcp-host';
import type { ToolReference } from '@toolyard/protocol';
import type { ToolSelection } from '../services.ts';

export type SelectionOptions = {
  host: McpHost;
  serverIds: readonly string[];
  /** Tools that are switched off. */
  isHidden: (tool: ToolReference) => boolean;
  /** Grows whenever anything has changed in the host. */
  changes: () => number;
  /** Told at every turn, and before and after each call. */
  onUse: (serverId: string, calls: -1 | 0 | 1) => void;
};

/** The tools of some servers, as they are now. Asking costs next to nothing until something has changed. */
export class Selection implements ToolSelection {
  readonly #options: SelectionOptions;
  readonly #view: ToolHost;
  /** Of the view itself: a call passes through nothing else. */
  readonly callTool: ToolHost['callTool'];
  readonly resumeTask: ToolHost['resumeTask'];
  #sources: ContextSources = { serverInstructions: [] };
  #sourcesOf = -1;

  constructor(options: SelectionOptions) {
    this.#options = options;
    const { host, serverIds, isHidden, onUse } = options;
    this.#view = host.select(new Set(serverIds), isHidden, (serverId) => {
      onUse(serverId, 1);
      return () => onUse(serverId, -1);
    });
    this.callTool = this.#view.callTool.bind(this.#view);
    this.resumeTask = this.#view.resumeTask.bind(this.#view);
  }

  tools(): readonly IndexedTool[] {
    return this.#view.tools();
  }

  resolve(name: string): IndexedTool | undefined {
    return this.#view.resolve(name);
  }

  contextSources(): ContextSources {
    const { host, serverIds, changes, onUse } = this.#options;
    for (const id of serverIds) onUse(id, 0);
    const now = changes();
    if (now === this.#sourcesOf) return this.#sources;
    this.#sourcesOf = now;
    const serverInstructions = host
      .health()
      .flatMap(({ id, state, instructions }) =>
        serverIds.includes(id) && state === 'ready' && instructions ? [{ serverId: id, text: instructions }] : [],
      );
    // The same list stands for the same content: what was made of it can be kept.
    if (JSON.stringify(serverInstructions) !== JSON.stringify(this.#sources.serverInstructions)) {
      this.#sources = { serverInstructions };
    }
    return this.#sources;
  }

  judged(tool: ToolReference): JudgedTool | undefined {
    return judgedBy(this.#options.host, this.tools(), tool);
  }

  refresh(tools: readonly ToolReference[]): Promise<void> | undefined {
    return whenJudgeable(this.#options.host, tools);
  }
}
