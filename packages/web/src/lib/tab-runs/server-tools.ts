import type { FunctionTools, RunCallOptions, RunTools } from '@toolyard/agent-host';
import { toolPolicyFacts } from '@toolyard/agent-host';
import type { CallToolOptions, IndexedTool } from '@toolyard/mcp-host';
import { checkArguments, namedBeside, ToolTrust } from '@toolyard/mcp-host';
import type {
  CallVerdict,
  Clock,
  JsonObject,
  JudgedCall,
  ListedTools,
  TaskHandle,
  ToolReference,
  ToolResult,
} from '@toolyard/protocol';
import { canonicalJson, defined, ToolyardError, say, createErrorInfo } from '@toolyard/protocol';
import type { Api } from '../api/client.ts';
import { answered } from './until-answered.ts';

export type ServerToolsOptions = {
  api: Pick<Api, 'post'>;
  clock: Pick<Clock, 'after'>;
  params: { tab: string; run: string };
  fence: number;
  /** The tools of servers of this browser. */
  own: RunTools;
  /** The built-in tools that this tab executes itself. */
  functions: FunctionTools;
  /** Aborted when the run stops: nothing is awaited then. */
  signal: AbortSignal;
};

type Sources = ReturnType<RunTools['contextSources']>;

/**
 * All tools of a run in this tab: those of the server, under the names that they have in its own runs, and those of this
 * browser. The server judges calls of its tools and makes them.
 */
export class ServerTools implements RunTools {
  readonly #options: ServerToolsOptions;
  #listed: ListedTools = { tools: [], serverInstructions: [] };
  #version: string | undefined;
  #ofServer: readonly IndexedTool[] = [];
  #verdicts = new Map<string, CallVerdict>();
  #all: { of: readonly IndexedTool[]; beside: readonly IndexedTool[]; tools: readonly IndexedTool[] } | null = null;
  #sources: { of: Sources; listed: object; made: Sources } | null = null;
  readonly #functionServers: ReadonlySet<string>;

  private constructor(options: ServerToolsOptions) {
    this.#options = options;
    this.#functionServers = new Set(options.functions.servers.map(({ id }) => id));
  }

  /** @throws ToolyardError with the reason of the server */
  static async open(options: ServerToolsOptions): Promise<ServerTools> {
    const tools = new ServerTools(options);
    await tools.#read([]);
    return tools;
  }

  /** Asks the server about calls of its tools, and for the tools that it has now. */
  async refresh(calls: readonly JudgedCall[]): Promise<void> {
    const [ofServer, own] = [true, false].map((is) => calls.filter(({ tool }) => this.#isOfServer(tool) === is));
    const read = ofServer?.length
      ? this.#read(ofServer).catch((thrown: unknown) => {
          if (!this.#options.signal.aborted) throw thrown;
        })
      : undefined;
    await Promise.all([read, this.#options.own.refresh(own ?? [])]);
  }

  /** The verdict of the server as of the last {@link refresh}; undefined for tools of this browser. */
  judged(call: JudgedCall): CallVerdict | undefined {
    return this.#verdicts.get(keyOf(call));
  }

  /** True for a tool whose calls the server makes, and counts. */
  isCalledByServer(tool: ToolReference): boolean {
    return this.#isOfServer(tool) && !this.#functionServers.has(tool.serverId);
  }

  tools(): readonly IndexedTool[] {
    const of = this.#options.own.tools();
    if (this.#all?.of === of && this.#all.beside === this.#ofServer) return this.#all.tools;
    const servers = new Set(this.#ofServer.map(({ tool }) => tool.serverId));
    const own = of.filter(({ tool }) => !servers.has(tool.serverId));
    const tools = own.length === 0 ? this.#ofServer : [...this.#ofServer, ...namedBeside(this.#ofServer, own)];
    this.#all = { of, beside: this.#ofServer, tools };
    return tools;
  }

  resolve(name: string): IndexedTool | undefined {
    return this.tools().find((tool) => tool.name === name);
  }

  async callTool(tool: ToolReference, args: JsonObject, options: RunCallOptions = {}): Promise<ToolResult> {
    const { own, functions } = this.#options;
    const executed = functions.call(this.tools(), tool, args, options);
    if (executed) return executed;
    const { callId, onTask, signal } = options;
    if (callId === undefined || !this.#isOfServer(tool)) return own.callTool(tool, args, options);
    // From here on another tab that claims the run waits for this call instead of making it again.
    await onTask?.({ tool, taskId: callId, era: 'server' });
    return this.#make(callId, signal);
  }

  async resumeTask(handle: TaskHandle, options: CallToolOptions = {}): Promise<ToolResult> {
    return handle.era === 'server'
      ? this.#make(handle.taskId, options.signal)
      : this.#options.own.resumeTask(handle, options);
  }

  contextSources(): Sources {
    const of = this.#options.own.contextSources();
    if (this.#sources?.of === of && this.#sources.listed === this.#listed) return this.#sources.made;
    const { serverInstructions, skills } = this.#listed;
    const made = {
      ...of,
      serverInstructions: [...serverInstructions, ...of.serverInstructions],
      ...defined({ skills }),
    };
    this.#sources = { of, listed: this.#listed, made };
    return made;
  }

  policyFacts(tool: ToolReference): ReturnType<RunTools['policyFacts']> {
    return this.#isOfServer(tool)
      ? toolPolicyFacts(NOTHING_KNOWN, this.#ofServer, tool)
      : this.#options.own.policyFacts(tool);
  }

  #isOfServer({ serverId, name }: ToolReference): boolean {
    return this.#ofServer.some(({ tool }) => tool.serverId === serverId && tool.name === name);
  }

  async #read(calls: readonly JudgedCall[]): Promise<void> {
    const { api, clock, params, fence, signal } = this.#options;
    const body = { fence, calls: [...calls], ...defined({ known: this.#version }) };
    const { verdicts, version, listed } = await answered(clock, () => {
      signal.throwIfAborted();
      return api.post('/api/tabs/{tab}/runs/{run}/tools', { params, body });
    });
    for (const [at, call] of calls.entries()) {
      const verdict = verdicts[at];
      if (verdict) this.#verdicts.set(keyOf(call), verdict);
    }
    if (listed === null) return;
    this.#version = version;
    this.#listed = listed;
    this.#ofServer = listed.tools.map((tool) => ({
      ...tool,
      checkArguments: (args) => checkArguments(tool.inputSchema, args),
    }));
  }

  /** The server makes the call once, however often it is asked; a run that is stopped waits no longer. */
  async #make(callId: string, signal: AbortSignal = new AbortController().signal): Promise<ToolResult> {
    const { api, clock, params, fence } = this.#options;
    const request = { params: { ...params, call: callId }, body: { fence } };
    const wait = async (): Promise<ToolResult> => {
      for (let result: ToolResult | null = null; ;) {
        if (signal.aborted) return STOPPED;
        ({ result } = await answered(clock, () =>
          signal.aborted
            ? Promise.resolve({ result: null })
            : api.post('/api/tabs/{tab}/runs/{run}/tool-calls/{call}', request),
        ));
        if (result) return result;
      }
    };
    const stopped = new Promise<ToolResult>((resolve) => {
      signal.addEventListener('abort', () => resolve(STOPPED), { once: true });
    });
    return Promise.race([wait().catch(rejected), stopped]);
  }
}

/** The server rejects a call before it makes it. @throws the error if this tab has lost its run */
function rejected(thrown: unknown): ToolResult {
  if (!ToolyardError.isInstance(thrown) || thrown.code === 'conflict' || thrown.code === 'not_found') throw thrown;
  const { message } = thrown;
  return { content: [{ type: 'text', text: message }], isError: true, outcome: 'not_sent', error: thrown.toJSON() };
}

function keyOf({ tool: { serverId, name }, arguments: args, textCall }: JudgedCall): string {
  return canonicalJson([serverId, name, args, textCall ?? null]);
}

/** The server has the approved definitions, and judges by them. */
const NOTHING_KNOWN = { trust: new ToolTrust(new Map()), definitionOf: () => undefined, isTrusted: () => false };

const STOPPED: ToolResult = (() => {
  const message = say`The run was stopped during this call; its outcome is unknown.`;
  return {
    content: [{ type: 'text', text: message.text }],
    isError: true,
    outcome: 'unknown',
    error: createErrorInfo({ code: 'cancelled', message }),
  };
})();
