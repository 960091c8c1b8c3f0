import type { FunctionTools, RunCallOptions, RunTools } from '@toolyard/agent-host';
import { toolPolicyFacts } from '@toolyard/agent-host';
import type { ContextSources, ToolPolicyFacts } from '@toolyard/agent-runtime';
import type { CallToolOptions, IndexedTool, ServerTools } from '@toolyard/mcp-host';
import { namedBeside, ToolIndex, ToolTrust } from '@toolyard/mcp-host';
import type {
  JsonObject,
  JudgedCall,
  ResolvedAgentConfiguration,
  TabServer,
  TaskHandle,
  ToolReference,
  ToolResult,
} from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import type { TabRepository } from '@toolyard/storage';
import type { TabCalls, TabCallsOf } from './tab-calls.ts';
import type { TabPins } from './tab-pins.ts';
import { definitionIn, toListedTool } from './tab-pins.ts';

export type TabAwareToolsOptions = {
  base: RunTools;
  of: TabCallsOf;
  /** Tools of tabs that were seen at this time or later are available. */
  startedAt: number;
  configuration: Pick<ResolvedAgentConfiguration, 'servers' | 'disabledTools'>;
  tabs: Pick<TabRepository, 'offers'>;
  functions: FunctionTools;
  calls: TabCalls;
  pins: TabPins;
};

/** All tools of a run in one host: those of servers, of tabs, and the functions of this process. */
export class TabAwareTools implements RunTools {
  readonly #options: TabAwareToolsOptions;
  #servers: readonly TabServer[] = [];
  #trust = new ToolTrust(new Map());
  #serializedServers = '';
  #madeOf: readonly IndexedTool[] | null = null;
  #tools: readonly IndexedTool[] = [];
  #ofTabs: readonly IndexedTool[] = [];
  #sources: { of: ContextSources; made: ContextSources } | null = null;

  private constructor(options: TabAwareToolsOptions) {
    this.#options = options;
  }

  static async open(options: TabAwareToolsOptions): Promise<TabAwareTools> {
    const tools = new TabAwareTools(options);
    await tools.#lookAtTabs();
    return tools;
  }

  async refresh(calls: readonly JudgedCall[]): Promise<void> {
    await Promise.all([this.#options.base.refresh(calls), this.#lookAtTabs()]);
  }

  tools(): readonly IndexedTool[] {
    const { base, configuration } = this.#options;
    const own = base.tools();
    if (own === this.#madeOf) return this.#tools;
    const disabled = new Set(configuration.disabledTools);
    const taken = new Set(own.map(({ tool }) => tool.serverId));
    const fromTabs = this.#servers
      .filter(({ id }) => !taken.has(id))
      .map(({ id, tools }): ServerTools => {
        return { serverId: id, origin: 'tab', builtIn: false, tools: tools.map(toListedTool) };
      });
    this.#ofTabs = namedBeside(own, new ToolIndex(fromTabs).tools).filter(
      ({ tool }) => !disabled.has(formatToolReference(tool)),
    );
    this.#tools = this.#ofTabs.length === 0 ? own : [...own, ...this.#ofTabs];
    this.#madeOf = own;
    return this.#tools;
  }

  resolve(name: string): IndexedTool | undefined {
    this.tools();
    return this.#options.base.resolve(name) ?? this.#ofTabs.find((tool) => tool.name === name);
  }

  async callTool(tool: ToolReference, args: JsonObject, options: RunCallOptions = {}): Promise<ToolResult> {
    const { base, calls, functions, of } = this.#options;
    const { callId } = options;
    const executed = functions.call(this.tools(), tool, args, options);
    if (executed) return executed;
    if (callId === undefined || !this.#isLent(tool)) return base.callTool(tool, args, options);
    const definition = options.definition ?? definitionIn(this.#servers, tool);
    // No tab has offered it since the run started; a tab may still come.
    return calls.make(of, { callId, tool, arguments: args, definition: definition ?? '' }, options);
  }

  async resumeTask(handle: TaskHandle, options: CallToolOptions = {}): Promise<ToolResult> {
    const { base, calls, of } = this.#options;
    return handle.era === 'tab' ? calls.resume(of, handle, options) : base.resumeTask(handle, options);
  }

  contextSources(): ContextSources {
    const of = this.#options.base.contextSources();
    if (this.#sources?.of === of) return this.#sources.made;
    const instructionSources = this.#servers.flatMap(({ id, instructions }) =>
      instructions === undefined ? [] : [{ serverId: id, text: instructions }],
    );
    const made =
      instructionSources.length === 0
        ? of
        : { ...of, serverInstructions: [...(of.serverInstructions ?? []), ...instructionSources] };
    this.#sources = { of, made };
    return made;
  }

  policyFacts(tool: ToolReference): ToolPolicyFacts | undefined {
    if (!this.#isLent(tool)) return this.#options.base.policyFacts(tool);
    this.tools();
    const view = {
      trust: this.#trust,
      definitionOf: (of: ToolReference) => definitionIn(this.#servers, of),
      isTrusted: () => false,
    };
    return toolPolicyFacts(view, this.#ofTabs, tool) ?? this.#options.base.policyFacts(tool);
  }

  /** Reads the current offers of tabs. */
  async #lookAtTabs(): Promise<void> {
    const { of, startedAt, configuration, tabs, pins } = this.#options;
    const { conversationId } = of;
    const offers = await tabs.offers(of.principal, { conversationId, seenSince: startedAt });
    const servers = new Map<string, TabServer>();
    for (const offer of offers) {
      for (const server of offer.servers) {
        if (servers.has(server.id) || configuration.servers[server.id] === false) continue;
        servers.set(server.id, server);
      }
    }
    if (servers.size > 0) this.#trust = await pins.review(of.principal, [...servers.values()]);
    const serialized = JSON.stringify([...servers.values()]);
    // Returns the same list for the same content, so that derived values can be cached.
    if (serialized === this.#serializedServers) return;
    this.#serializedServers = serialized;
    this.#servers = [...servers.values()];
    this.#madeOf = null;
    this.#sources = null;
  }

  #isLent(tool: ToolReference): boolean {
    return tool.origin === 'tab';
  }
}
