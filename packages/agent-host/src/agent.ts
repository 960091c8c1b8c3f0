import type {
  Budget,
  Clock,
  Failpoint,
  Fetch,
  IdSource,
  InterventionMode,
  InterventionRule,
  Message,
  ModelInput,
  ModelParameters,
  RunLimits,
  ToolDefinition,
  ToolMode,
  UserPart,
} from '@toolyard/protocol';
import type { CallContext } from '@toolyard/agent-runtime';
import type { CreateTransport, ServerConfig, ServerHealth, SignInOptions } from '@toolyard/mcp-host';
import type { ModelInfo } from '@toolyard/model-runtime';
import type { InterruptHandlers } from './interrupt-handlers.ts';
import type { AgentRun } from './agent-run.ts';
import type { AgentStore } from './agent-store.ts';
import type { FunctionTool, FunctionToolGroup } from './functions/tool.ts';
import type { ModelChoice } from './model-choice.ts';
import type { AskApproval, AskBudget, AskUser } from './run-host.ts';

/** What {@link createAgent} creates an agent from: only the model is required. */
export type AgentOptions = {
  model: ModelChoice;
  /** MCP servers whose tools the model may use; see {@link AgentOptions.failedServers}. */
  servers?: ServerConfig[];
  /**
   * How long {@link createAgent} waits for servers that connect: `all` until each is ready or its attempt failed, at most
   * its connect timeout; `ready` not at all; a number of milliseconds. The tools of a server that is ready later join at
   * the next turn. Default `all`.
   */
  waitForServers?: 'all' | 'ready' | number;
  /**
   * What happens if a server that was awaited has failed, or requires a sign-in without {@link signIn}: `reject` closes all
   * servers and rejects {@link createAgent} with the reasons; `continue` works without its tools and tries it again.
   * Default `reject`.
   */
  failedServers?: 'reject' | 'continue';
  /** Ends {@link createAgent} while it waits: all servers are stopped, and it rejects with the reason of the signal. */
  signal?: AbortSignal;
  /**
   * Functions that the model may call, as `functions/<name>`; created by {@link tool}. A read-only function that is not
   * open-world runs without approval; others need {@link approve}, {@link allow} or a rule, like tools of servers.
   */
  tools?: readonly FunctionTool[];
  /** Built-in tools: groups of functions under the ids that they have on a server, such as `COMPUTE_TOOLS`. */
  builtIn?: readonly FunctionToolGroup[];
  /** Where sign-ins to servers are stored; without it only static tokens in headers are possible. */
  signIn?: SignInOptions;
  /** Replaces the instructions at the beginning of {@link messages}. */
  instructions?: string;
  /** An earlier conversation to continue: what {@link Agent.messages} returned, also after `JSON.parse`. Checked. */
  messages?: readonly Message[];
  /**
   * Where the conversation and the run are stored after every step. An agent with the same store continues the
   * conversation, then instead of {@link messages}, and {@link Agent.continue} resumes a run that its process did not end.
   */
  store?: AgentStore;
  parameters?: ModelParameters;
  limits?: Partial<RunLimits>;
  /** Usage limits; prices are in the model's limits. Counted for the lifetime of the agent. */
  budgets?: Budget[];
  /** Asks whether to continue despite an exhausted budget. Without it a run fails when a budget is exhausted. */
  askBudget?: AskBudget;
  /** Default `native`. */
  toolMode?: ToolMode;
  /** Which calls need approval; default `manual`, and `headless` without {@link approve}. */
  intervention?: InterventionMode;
  /** Rules that allow, ask about or forbid calls. */
  rules?: InterventionRule[];
  /** Asks a user to approve a call. Without it, calls that need approval are refused. */
  approve?: AskApproval;
  /** Answers interrupts of function tools. With it the model also gets the tool `ask_user`. */
  askUser?: AskUser;
  /** Context window in tokens; default: what the model server reported (`knownModels`), or else 128,000. */
  contextWindow?: number;
  /** Input that the model accepts besides text; absent: everything is sent. */
  inputs?: ModelInput[];
  /** Handlers for requests of servers during a call. Without it such requests are declined. */
  interrupts?: InterruptHandlers;
  /** Tools that need no approval, as `server/tool`; `*` and `?` as in rules. */
  allow?: string[];
  /**
   * Called before servers are connected, with a function that returns their state; the returned function is called
   * afterwards.
   */
  whileConnecting?: (health: () => readonly ServerHealth[]) => () => void;
  /** Receives one line per notable event: connections, disconnections, internal errors. */
  log?: (line: string) => void;
};

/** What the environment provides; `@toolyard/agent-host/node` implements it for Node. */
export type Platform = {
  fetch: Fetch;
  createTransport: CreateTransport;
  clock: Clock;
  ids: IdSource;
  failpoint?: Failpoint;
  /** How to resolve symbolic links when calls are checked, and where Toolyard stores its own data. */
  policy?: Pick<CallContext, 'own' | 'resolvePath'>;
};

/** Options of one run. Aborting `signal` cancels it. */
export type RunOptions = { signal?: AbortSignal };

/** A model with its tools, and one conversation with it. */
export interface Agent extends AsyncDisposable {
  readonly provider: string;
  readonly model: string;
  /** The current state of the servers; unreachable ones with the reason. */
  readonly servers: readonly ServerHealth[];
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  /**
   * Sends a message and lets the model work until it has answered. The next run continues the conversation, and an
   * interrupted one is given up. Throws a ToolyardError while another run is active and after {@link close}.
   */
  run(input: string | UserPart[], options?: RunOptions): AgentRun;
  /** True if the store has a run that its process did not end: {@link continue} resumes it. */
  readonly isInterrupted: boolean;
  /**
   * Resumes an interrupted run: its last step is repeated. A call that was sent is not made again, unless its tool is a
   * read-only one of this process or of a built-in server: the model is informed that its outcome is unknown. Without one, continues where the last
   * run was cut off: in the answer itself if the model supports it, otherwise in a new message. Throws a ToolyardError if
   * there is nothing to continue, and like {@link run}.
   */
  continue(options?: RunOptions): AgentRun;
  /** The provider's models. Throws a ToolyardError. */
  models(): Promise<ModelInfo[]>;
  /** Selects another model of the same provider for later runs; the conversation stays. */
  useModel(id: string): void;
  /** Clears the conversation except for the instructions. */
  clear(): void;
  /** Stops the active run, closes all connections and stops the processes of servers. */
  close(): Promise<void>;
}
