import type { RunCallOptions, ToolSource } from '@toolyard/agent-host';
import { toolPolicyFacts } from '@toolyard/agent-host';
import type { ContextSources, ToolPolicyFacts } from '@toolyard/agent-runtime';
import type { CallToolOptions, IndexedTool } from '@toolyard/mcp-host';
import { ToolIndex, ToolTrust } from '@toolyard/mcp-host';
import type {
  JsonObject,
  ResolvedAgentConfiguration,
  TabServer,
  TaskHandle,
  ToolReference,
  ToolResult,
} from '@toolyard/protocol';
import type { TabRepository } from '@toolyard/storage';
import type { TabCalls, TabCallsOf } from './tab-calls.ts';
import type { TabPins } from './tab-pins.ts';
import { definitionIn, toListedTool } from './tab-pins.ts';

export type ConversationTabToolsOptions = {
  of: TabCallsOf;
  /** Tools of tabs that were seen at this time or later are available. */
  startedAt: number;
  configuration: Pick<ResolvedAgentConfiguration, 'servers'>;
  tabs: Pick<TabRepository, 'offers'>;
  calls: TabCalls;
  pins: TabPins;
};

/** The tools that browser tabs offer to the runs of a conversation. */
export class ConversationTabTools implements ToolSource {
  readonly taskEra = 'tab';
  readonly #options: ConversationTabToolsOptions;
  #servers: readonly TabServer[] = [];
  #serializedServers = '[]';
  #tools: readonly IndexedTool[] = [];
  #contextSources: ContextSources = { serverInstructions: [] };
  #trust = new ToolTrust(new Map());

  private constructor(options: ConversationTabToolsOptions) {
    this.#options = options;
  }

  static async open(options: ConversationTabToolsOptions): Promise<ConversationTabTools> {
    const tools = new ConversationTabTools(options);
    await tools.refresh();
    return tools;
  }

  has(tool: ToolReference): boolean {
    return tool.origin === 'tab';
  }

  tools(): readonly IndexedTool[] {
    return this.#tools;
  }

  callTool(tool: ToolReference, args: JsonObject, options: RunCallOptions): Promise<ToolResult> {
    const { calls, of } = this.#options;
    const definition = options.definition ?? definitionIn(this.#servers, tool);
    // No tab has offered it since the run started; a tab may still come.
    return calls.make(of, { callId: options.callId, tool, arguments: args, definition: definition ?? '' }, options);
  }

  resumeTask(handle: TaskHandle, options: CallToolOptions = {}): Promise<ToolResult> {
    const { calls, of } = this.#options;
    return calls.resume(of, handle, options);
  }

  contextSources(): ContextSources {
    return this.#contextSources;
  }

  policyFacts(tool: ToolReference): ToolPolicyFacts | undefined {
    const view = {
      trust: this.#trust,
      findDefinition: (of: ToolReference) => definitionIn(this.#servers, of),
      isTrusted: () => false,
    };
    return toolPolicyFacts(view, this.#tools, tool);
  }

  /** Reads the current offers of tabs. */
  async refresh(): Promise<void> {
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
    // The same content keeps the same objects, so that derived values can be cached.
    if (serialized === this.#serializedServers) return;
    this.#serializedServers = serialized;
    this.#servers = [...servers.values()];
    this.#tools = new ToolIndex(
      this.#servers.map(({ id, tools }) => ({
        serverId: id,
        origin: 'tab' as const,
        builtIn: false,
        tools: tools.map(toListedTool),
      })),
    ).tools;
    this.#contextSources = {
      serverInstructions: this.#servers.flatMap(({ id, instructions }) =>
        instructions === undefined ? [] : [{ serverId: id, text: instructions }],
      ),
    };
  }
}
