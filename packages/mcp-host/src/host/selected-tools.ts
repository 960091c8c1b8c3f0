import type { ErrorInfo, ToolOrigin, ToolReference } from '@toolyard/protocol';
import { createErrorInfo, say } from '@toolyard/protocol';
import type { ListedTool } from '../catalogue/read-tool.ts';
import { isForModel } from '../apps/app-extension.ts';
import { ToolIndex } from '../catalogue/tool-index.ts';
import type { IndexedTool, ServerConfig } from '../types.ts';

/** A server as seen by a selection. */
type ToolSource = { readonly config: ServerConfig; readonly tools: ReadonlyMap<string, ListedTool> };

export type SelectedToolsOptions = {
  /** Returns the servers in the configured order. */
  sources(): readonly ToolSource[];
  /** The origin of all tools. */
  origin: ToolOrigin;
  hidden(tool: ToolReference): boolean;
  /** `model`: without tools that only apps may call. */
  audience: 'model' | 'user';
};

/**
 * The tools of some servers. Names are derived from all tools of these servers, including hidden ones, so that hiding
 * one renames no other. Reading them costs one comparison per server until one changes.
 */
export class SelectedTools {
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
    return tool !== undefined && this.#isVisible(tool) ? tool : undefined;
  }

  /** Why a tool cannot be called here; undefined if it can. */
  refusal(tool: ToolReference): ErrorInfo | undefined {
    const { serverId, name } = tool;
    if (!this.#options.sources().some(({ config }) => config.id === serverId)) {
      return createErrorInfo({ code: 'tool_not_found', message: say`The server "${serverId}" is not enabled here.` });
    }
    const listed = this.#options
      .sources()
      .find(({ config }) => config.id === serverId)
      ?.tools.get(name);
    if (this.#options.audience === 'model' && listed !== undefined && !isForModel(listed)) {
      return createErrorInfo({
        code: 'tool_not_found',
        message: say`Only apps of "${serverId}" may call its tool "${name}".`,
      });
    }
    if (!this.#options.hidden(tool)) return undefined;
    return createErrorInfo({
      code: 'tool_not_found',
      message: say`The tool "${name}" of "${serverId}" is disabled here.`,
    });
  }

  #isVisible(tool: IndexedTool): boolean {
    return !this.#options.hidden(tool.tool) && (this.#options.audience === 'user' || isForModel(tool));
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
    this.#visible = index.tools.filter((tool) => this.#isVisible(tool));
    this.#index = index;
    return index;
  }
}

/** True for a tool that the configuration of its server disables. */
export function isDisabled(config: ServerConfig | undefined, tool: string): boolean {
  const { disabled, only } = config?.tools ?? {};
  return disabled?.includes(tool) === true || only?.includes(tool) === false;
}
