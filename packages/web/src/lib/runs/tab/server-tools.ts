import type { FunctionTools, RunCallOptions, ToolSource } from '@toolyard/agent-host';
import { toolPolicyFacts } from '@toolyard/agent-host';
import type { ContextSources, ToolPolicyFacts } from '@toolyard/agent-runtime';
import type { CallToolOptions, IndexedTool } from '@toolyard/mcp-host';
import { checkArguments, ToolTrust } from '@toolyard/mcp-host';
import type {
  CallVerdict,
  Clock,
  JsonObject,
  JudgedCall,
  TaskHandle,
  ToolReference,
  ToolResult,
} from '@toolyard/protocol';
import { canonicalJson, defined, ToolyardError, say, createErrorInfo } from '@toolyard/protocol';
import type { Api } from '../../api/client.ts';
import { answered } from './until-answered.ts';

export type ServerToolsOptions = {
  api: Pick<Api, 'post'>;
  clock: Pick<Clock, 'after'>;
  params: { tab: string; run: string };
  fence: number;
  /** The built-in tools that this tab executes itself. */
  functions: FunctionTools;
  /** Aborted when the run stops: nothing is awaited then. */
  signal: AbortSignal;
};

/**
 * The tools of the server for a run in this tab, under the names that they have in its own runs. The server judges their
 * calls and makes them.
 */
export class ServerTools implements ToolSource {
  readonly taskEra = 'server';
  readonly #options: ServerToolsOptions;
  #version: string | undefined;
  #tools: readonly IndexedTool[] = [];
  #contextSources: ContextSources = { serverInstructions: [] };
  #verdicts = new Map<string, CallVerdict>();
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
  refresh(calls: readonly JudgedCall[]): Promise<void> | undefined {
    if (calls.length === 0) return undefined;
    return this.#read(calls).catch((thrown: unknown) => {
      if (!this.#options.signal.aborted) throw thrown;
    });
  }

  /** The verdict of the server as of the last {@link refresh}; undefined for tools of this browser. */
  judged(call: JudgedCall): CallVerdict | undefined {
    return this.#verdicts.get(getKey(call));
  }

  /** True for a tool whose calls the server makes, and counts. */
  isCalledByServer(tool: ToolReference): boolean {
    return this.has(tool) && !this.#functionServers.has(tool.serverId);
  }

  has({ serverId, name }: ToolReference): boolean {
    return this.#tools.some(({ tool }) => tool.serverId === serverId && tool.name === name);
  }

  tools(): readonly IndexedTool[] {
    return this.#tools;
  }

  async callTool(
    tool: ToolReference,
    _arguments: JsonObject,
    { callId, onTask, signal }: RunCallOptions,
  ): Promise<ToolResult> {
    // From here on another tab that claims the run waits for this call instead of making it again.
    await onTask?.({ tool, taskId: callId, era: 'server' });
    return this.#make(callId, signal);
  }

  resumeTask(handle: TaskHandle, options: CallToolOptions = {}): Promise<ToolResult> {
    return this.#make(handle.taskId, options.signal);
  }

  contextSources(): ContextSources {
    return this.#contextSources;
  }

  policyFacts(tool: ToolReference): ToolPolicyFacts | undefined {
    return toolPolicyFacts(NOTHING_KNOWN, this.#tools, tool);
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
      if (verdict) this.#verdicts.set(getKey(call), verdict);
    }
    if (listed === null) return;
    this.#version = version;
    const { serverInstructions, skills } = listed;
    this.#contextSources = { serverInstructions, ...defined({ skills }) };
    this.#tools = listed.tools.map((tool) => ({
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

function getKey({ tool: { serverId, name }, arguments: args, textCall }: JudgedCall): string {
  return canonicalJson([serverId, name, args, textCall ?? null]);
}

/** The server has the approved definitions, and judges by them. */
const NOTHING_KNOWN = { trust: new ToolTrust(new Map()), findDefinition: () => undefined, isTrusted: () => false };

const STOPPED: ToolResult = (() => {
  const message = say`The run was stopped during this call; its outcome is unknown.`;
  return {
    content: [{ type: 'text', text: message.text }],
    isError: true,
    outcome: 'unknown',
    error: createErrorInfo({ code: 'cancelled', message }),
  };
})();
