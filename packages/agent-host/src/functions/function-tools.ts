import type {
  CallToolOptions,
  CreateTransport,
  IndexedTool,
  ServeInMemory,
  ServerConfig,
  ToolHost,
} from '@toolyard/mcp-host';
import { createInMemoryTransport } from '@toolyard/mcp-host';
import type { JsonObject, ToolReference, ToolResult } from '@toolyard/protocol';
import { defined, formatToolReference, ToolyardError } from '@toolyard/protocol';
import type { GroupOfCall } from '../run-group.ts';
import { toServerInfo, serveFunctions } from './serve-functions.ts';
import { runFunction, stoppedFunction } from './run-function.ts';
import type { FunctionTool, FunctionToolGroup, RunBudget, RunSkills, ToolContext, ToolModelRequests } from './tool.ts';

/** The run of a call, for function tools. */
type RunOfCall = Required<Pick<ToolContext, 'ask' | 'delegate'>> & {
  id: string;
  budget: RunBudget;
  modelRequests: ToolModelRequests;
  /** The folder of the conversation. */
  workspace?: string | undefined;
  skills?: RunSkills | undefined;
  /** Resolves when the call has asked for something without an answer: it is made again with the answer. */
  parked: Promise<ToolResult>;
  group?: GroupOfCall | undefined;
};

/** The options of a call that a run makes. */
export type RunCallOptions = CallToolOptions & { callId: string; run: RunOfCall };

/** Everything a model can call in one run: tools of servers, tabs and functions. */
export interface RunToolHost extends Omit<ToolHost, 'callTool'> {
  callTool(tool: ToolReference, args: JsonObject, options: RunCallOptions): Promise<ToolResult>;
}

/** The server id of the functions that a program gives its agent. */
export const FUNCTIONS_SERVER = 'functions';

/**
 * The function tools of a process. They are listed, named, enabled and checked like tools of built-in servers, and
 * executed without a connection. Only tools listed by this registration count: a server with the same id has other
 * tools.
 *
 * @example
 * const functions = new FunctionTools([{ id: 'clock', tools: [now] }]);
 * await using host = new McpHost({
 *   servers: [...servers, ...functions.servers],
 *   createTransport: functions.transports(createTransport),
 *   clock: systemClock,
 *   clientInfo: { name: 'example', version: '1.0.0' },
 * });
 * const tools = hostTools({ host });
 */
export class FunctionTools {
  readonly #groups: readonly FunctionToolGroup[];
  readonly #tools = new Map<string, FunctionTool>();

  /** @throws ToolyardError `bad_config` if two tools of a group have the same name */
  constructor(groups: readonly FunctionToolGroup[]) {
    this.#groups = groups;
    for (const { id, tools } of groups) {
      for (const tool of tools) {
        const reference = formatToolReference({ serverId: id, name: tool.name });
        if (this.#tools.has(reference)) {
          throw new ToolyardError({
            code: 'bad_config',
            message: `There are two function tools named "${reference}".`,
          });
        }
        this.#tools.set(reference, tool);
      }
    }
  }

  /** The servers under which an MCP host lists them. */
  get servers(): ServerConfig[] {
    return this.#groups.map((group) => ({
      id: group.id,
      transport: { type: 'in-memory', name: group.id },
      builtIn: true,
      serverInfo: toServerInfo(group),
      ...(group.enabled === false ? { disabled: true } : {}),
    }));
  }

  /** Transports that also reach {@link servers}. */
  transports(next: CreateTransport): CreateTransport {
    const served: Record<string, ServeInMemory> = Object.fromEntries(
      this.#groups.map((group) => [group.id, serveFunctions(group)]),
    );
    return (config, context) =>
      config.type === 'in-memory' && Object.hasOwn(served, config.name)
        ? createInMemoryTransport(config, context, served)
        : next(config, context);
  }

  /** Executes a call of a run, if the tool is one of these; `listed` are the tools of the run. */
  call(
    listed: readonly IndexedTool[],
    tool: ToolReference,
    args: JsonObject,
    options: RunCallOptions,
  ): Promise<ToolResult> | undefined {
    const found = this.#find(listed, tool);
    return found && execute(found, args, listed, options);
  }

  /** True for a tool that asks the user and has no other effect. */
  onlyAsks(listed: readonly IndexedTool[], tool: ToolReference): boolean {
    return this.#find(listed, tool)?.onlyAsks === true;
  }

  /** True for a tool without access to anything but its arguments. */
  isIsolated(listed: readonly IndexedTool[], tool: ToolReference): boolean {
    return this.#find(listed, tool)?.isolated === true;
  }

  /** What a call would change, for the user who is asked to approve it. */
  findDiff(listed: readonly IndexedTool[], tool: ToolReference, args: JsonObject, workspace: string | undefined) {
    return this.#find(listed, tool)?.diff(args, defined({ workspace }));
  }

  /** True for a tool of a group of functions that needs this. */
  has(
    need: 'needsWorkspace' | 'needsSkills' | 'needsSubAgents' | 'needsGroup',
    { builtIn, tool }: IndexedTool,
  ): boolean {
    return builtIn && this.#groups.some((group) => group[need] === true && group.id === tool.serverId);
  }

  #find(listed: readonly IndexedTool[], { serverId, name }: ToolReference): FunctionTool | undefined {
    const found = this.#tools.get(formatToolReference({ serverId, name }));
    const isListed = (each: IndexedTool): boolean =>
      each.builtIn && each.tool.serverId === serverId && each.tool.name === name;
    return found && listed.some(isListed) ? found : undefined;
  }
}

async function execute(
  tool: FunctionTool,
  args: JsonObject,
  listed: readonly IndexedTool[],
  { caller, callId, signal = new AbortController().signal, onProgress, run }: RunCallOptions,
): Promise<ToolResult> {
  const { id, budget, modelRequests, workspace, skills, group, ask, delegate, parked } = run;
  const ctx: ToolContext = {
    signal,
    progress: (progress) => onProgress?.(progress),
    run: id,
    budget,
    modelRequests,
    callId,
    ...defined({ user: caller?.principal, conversation: caller?.conversationId, workspace, skills, group }),
    tools: listed,
    ask,
    delegate,
  };
  const settled = new AbortController();
  const stopped = new Promise<ToolResult>((resolve) => {
    const stop = (): void => resolve(stoppedFunction(tool.name));
    signal.addEventListener('abort', stop, { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([runFunction(tool, args, ctx), parked, stopped]);
  } finally {
    settled.abort();
  }
}
