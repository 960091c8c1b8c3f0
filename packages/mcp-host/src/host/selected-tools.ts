import type { JsonObject, TaskHandle, ToolOrigin, ToolReference, ToolResult } from '@toolyard/protocol';
import { notSent } from '../calls/call-failure.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import { ToolIndex } from '../catalogue/tool-index.ts';
import type { CallToolOptions, IndexedTool, ServerConfig, ToolHost } from '../types.ts';

/** What a selection sees of a server. */
type ToolSource = { readonly config: ServerConfig; readonly tools: ReadonlyMap<string, ListedTool> };

export type SelectedToolsOptions = {
  /** The servers as they are now, in the configured order. */
  sources(): readonly ToolSource[];
  /** Of all of them. */
  origin: ToolOrigin;
  hidden?: ((tool: ToolReference) => boolean) | undefined;
  /** Where calls go. */
  calls: Pick<ToolHost, 'resumeTask'> & {
    call(tool: ToolReference, args: JsonObject, options: CallToolOptions): Promise<ToolResult>;
  };
  /** Told when something is asked of a server; what it returns is called when that is over. */
  onCall?: ((serverId: string) => () => void) | undefined;
};

/**
 * The tools of some servers. Their names are made over all tools of these servers, hidden ones included, so that
 * hiding one renames no other. Asking costs a comparison for each server until one of them has changed.
 */
export class SelectedTools implements ToolHost {
  readonly #options: SelectedToolsOptions;
  #lists: readonly unknown[] = [];
  #index: ToolIndex | undefined;
  #visible: readonly IndexedTool[] = [];

  constructor(options: SelectedToolsOptions) {
    this.#options = options;
  }

  tools(): readonly IndexedTool[] {
    this.#current();
    return this.#visible;
  }

  resolve(name: string): IndexedTool | undefined {
    const tool = this.#current().resolve(name);
    return tool !== undefined && this.#isHidden(tool.tool) ? undefined : tool;
  }

  async callTool(tool: ToolReference, args: JsonObject, options: CallToolOptions = {}): Promise<ToolResult> {
    const { serverId, name } = tool;
    if (!this.#options.sources().some(({ config }) => config.id === serverId)) {
      return notSent({ code: 'tool_not_found', message: `The server "${serverId}" is not switched on here.` });
    }
    if (this.#isHidden(tool)) {
      return notSent({ code: 'tool_not_found', message: `The tool "${name}" of "${serverId}" is switched off here.` });
    }
    const over = this.#options.onCall?.(serverId);
    return this.#options.calls.call(tool, args, options).finally(over);
  }

  /** Also where the tool is switched off by now: the call has been made. */
  async resumeTask(handle: TaskHandle, options: CallToolOptions = {}): Promise<ToolResult> {
    const over = this.#options.onCall?.(handle.tool.serverId);
    return this.#options.calls.resumeTask(handle, options).finally(over);
  }

  #isHidden(tool: ToolReference): boolean {
    return this.#options.hidden?.(tool) === true;
  }

  #current(): ToolIndex {
    const sources = this.#options.sources();
    const isOld = sources.length !== this.#lists.length || sources.some(({ tools }, at) => tools !== this.#lists[at]);
    if (this.#index !== undefined && !isOld) return this.#index;
    const index = new ToolIndex(
      sources.map(({ config, tools }) => ({
        serverId: config.id,
        origin: this.#options.origin,
        builtIn: config.builtIn === true,
        tools: tools.values(),
      })),
    );
    this.#lists = sources.map(({ tools }) => tools);
    this.#visible = index.tools.filter(({ tool }) => !this.#isHidden(tool));
    this.#index = index;
    return index;
  }
}

/** True for a tool that the configuration of its server switches off. */
export function isSwitchedOff(config: ServerConfig | undefined, tool: string): boolean {
  const { disabled, only } = config?.tools ?? {};
  return disabled?.includes(tool) === true || only?.includes(tool) === false;
}
