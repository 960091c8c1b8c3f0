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
import type { AgentQuestions } from './agent-questions.ts';
import type { AgentRun } from './agent-run.ts';
import type { FunctionTool } from './functions/tool.ts';
import type { ModelChoice } from './model-choice.ts';
import type { AskApproval, AskBudget, AskUser } from './run-host.ts';

export type AgentOptions = {
  model: ModelChoice;
  /** MCP servers whose tools the model may use. One that cannot be reached is reported, not thrown. */
  servers?: ServerConfig[];
  /**
   * Functions the model may call, as `functions/<name>`; made by {@link tool}. A read-only one that is not open-world runs
   * without approval; the others need {@link approve}, {@link allow} or a rule, as tools of servers do.
   */
  tools?: readonly FunctionTool[];
  /** Where sign-ins to servers are kept; without it a server may only have a token in its headers. */
  signIn?: SignInOptions;
  instructions?: string;
  parameters?: ModelParameters;
  limits?: Partial<RunLimits>;
  /** What may be used up; the price of the model stands with the limits. Counted as long as the agent lives. */
  budgets?: Budget[];
  /** Asks whether to go on past a budget. Without it a run that meets one fails. */
  askBudget?: AskBudget;
  /** Default `native`. */
  toolMode?: ToolMode;
  /** Which calls are asked about; default `manual`, and `headless` without {@link approve}. */
  intervention?: InterventionMode;
  /** What is allowed, asked about or refused. */
  rules?: InterventionRule[];
  /** Asks a person about a call. Without it, calls that would need a person are refused. */
  approve?: AskApproval;
  /** Answers what function tools ask. With it the model has a tool for asking too, `ask_user`. */
  askUser?: AskUser;
  /** What the model can take, in tokens; absent: 128,000 is assumed. */
  contextWindow?: number;
  /** What the model reads beside text; absent: it is sent whatever there is. */
  inputs?: ModelInput[];
  /** Answers what servers ask in the middle of a call. Without it they are told that nobody does. */
  questions?: AgentQuestions;
  /** Tools that need not be asked about, as `server/tool`. */
  allow?: string[];
  /** Called before servers are connected, with a way to look at them; what it returns is called afterwards. */
  whileConnecting?: (health: () => readonly ServerHealth[]) => () => void;
  /** One line for each thing worth knowing: connections, their end, defects. */
  log?: (line: string) => void;
};

/** What the surroundings provide; `@toolyard/agent-host/node` has it for Node. */
export type Platform = {
  fetch: Fetch;
  createTransport: CreateTransport;
  clock: Clock;
  ids: IdSource;
  failpoint?: Failpoint;
  /** How symbolic links are resolved when calls are judged, and where Toolyard keeps its own data. */
  policy?: Pick<CallContext, 'own' | 'resolvePath'>;
};

export type RunOptions = { signal?: AbortSignal };

/** A model with its tools, and one conversation with it. */
export interface Agent extends AsyncDisposable {
  readonly provider: string;
  readonly model: string;
  /** The servers as they are now, the unreachable ones with the reason. */
  readonly servers: readonly ServerHealth[];
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  /**
   * Sends a message and lets the model work until it has answered. The next run goes on from there. Throws
   * ToolyardError while another run is under way, and after {@link close}.
   */
  run(input: string | UserPart[], options?: RunOptions): AgentRun;
  /**
   * Goes on where the last run broke off: in the answer itself where the model can, else in a new message. Throws
   * ToolyardError where there is nothing to go on with, and as {@link run} does.
   */
  continue(options?: RunOptions): AgentRun;
  /** What the provider offers. Throws ToolyardError. */
  models(): Promise<ModelInfo[]>;
  /** Another model of the same provider for the runs to come; the conversation stays. */
  useModel(id: string): void;
  /** Forgets the conversation, but for the instructions. */
  clear(): void;
  /** Ends a run under way, every connection and every process a server runs in. */
  close(): Promise<void>;
}
