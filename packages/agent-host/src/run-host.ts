import type {
  AgentReference,
  ApprovalAnswer,
  ApprovalInterrupt,
  Budget,
  BudgetAnswer,
  BudgetInterrupt,
  Clock,
  ConversationPort,
  ErrorInfo,
  FormInterrupt,
  InterruptAnswer,
  JsonObject,
  ModelParameters,
  Price,
  PromptAnswer,
  PromptInterrupt,
  RunJournal,
  SamplingInterrupt,
  SelectionAnswer,
  SelectionInterrupt,
  ToolDefinition,
  ToolLedger,
  ToolMode,
  ToolReference,
  ToolResult,
  UrlInterrupt,
  UsageEntry,
} from '@toolyard/protocol';
import type { AgentState, BudgetGate, ContextSources } from '@toolyard/agent-runtime';
import type { KeepPrelude } from './executors/prelude-keeper.ts';
import type { RunToolHost } from './functions/function-tools.ts';
import type { RunSkills } from './functions/tool.ts';
import type { ModelRuntime } from '@toolyard/model-runtime';
import type { RunGroup } from './run-group.ts';
import type { SubAgents } from './sub-agents.ts';

/** Asks a user to approve a call. A rejection or an aborted signal counts as a denial. */
export type AskApproval = (interrupt: ApprovalInterrupt, options: { signal: AbortSignal }) => Promise<ApprovalAnswer>;

/** Asks the user on behalf of a tool. A rejection or an aborted signal counts as declined. */
export type AskUser = (
  interrupt: PromptInterrupt | SelectionInterrupt,
  options: { signal: AbortSignal },
) => Promise<PromptAnswer | SelectionAnswer>;

/** Asks a user whether to continue despite an exhausted budget. A rejection or an aborted signal means stop. */
export type AskBudget = (interrupt: BudgetInterrupt, options: { signal: AbortSignal }) => Promise<BudgetAnswer>;

/**
 * How the interrupts of a run are answered.
 * - `ask`: a user is present and is asked about one after another
 * - `park`: the interrupts are stored, nothing is held open, and the run continues when they are answered
 * - `decline`: calls that need a user are not made
 */
export type ApprovalMode =
  | { mode: 'ask'; ask: AskApproval; askUser?: AskUser }
  | { mode: 'park' }
  | { mode: 'decline' };

/** An elicitation or sampling request of a server during an open call. */
export type ServerInterrupt = FormInterrupt | UrlInterrupt | SamplingInterrupt;

/** Asks the user on behalf of a server; the signal is aborted when the answer is no longer needed. */
export type AskServerInterrupt = (
  interrupt: ServerInterrupt,
  options: { signal: AbortSignal },
) => Promise<InterruptAnswer>;

/**
 * How requests of servers during a call are answered.
 * - `ask`: by a user who is present, during the call
 * - `park`: likewise if the server keeps its call open; otherwise the requests are stored and the run parks. State
 *   that the server wants stored is sealed.
 * - `decline`: the MCP host declines them
 */
export type ServerInterruptMode =
  | { mode: 'ask'; ask: AskServerInterrupt }
  | {
      mode: 'park';
      ask: AskServerInterrupt;
      seal: (text: string) => Promise<string>;
      open: (sealed: string) => Promise<string>;
    }
  | { mode: 'decline' };

/** A model that writes summaries. `price`: of its tokens, if known. */
export type SummaryModel = { model: ModelRuntime; modelId: string; price?: Price };

/** Everything that the executors of a run use. */
export type RunHost = {
  model: ModelRuntime;
  modelId: string;
  /** Who writes the summaries of compacted messages; default: the model. `off`: no model, they are shortened. */
  summaries?: SummaryModel | 'off' | undefined;
  /** The agent that answers, for its messages. */
  agent?: AgentReference | undefined;
  parameters: ModelParameters;
  toolMode: ToolMode;
  tools: RunToolHost;
  conversation: ConversationPort;
  /** The folder that the user chose for the conversation. */
  workspace?: string | undefined;
  skills?: RunSkills | undefined;
  /** The workspace as `file:` URIs, for local servers that ask for roots; absent without a usable workspace. */
  roots?: readonly string[] | undefined;
  /**
   * The owner of the run, if the connections to servers are shared: requests of servers are never shown to another
   * owner.
   */
  principal?: string | undefined;
  journal: RunJournal;
  ledger: ToolLedger;
  clock: Clock;
  /** Aborted when the run has to stop. */
  signal: AbortSignal;
  contextSources: () => ContextSources;
  /** The definitions that a request contains; default: those of all {@link tools}. */
  offeredTools?: () => readonly ToolDefinition[];
  /** Time zone of the user, for placeholders of date and time; default: the time zone of this process. */
  timeZone?: string;
  /** Absent: requests cannot be shown later, except for their messages. */
  keepPrelude?: KeepPrelude | undefined;
  /** Moves the large texts of a result to files, before anything else gets it. Absent where there are no files. */
  keepResult?: ((result: ToolResult) => Promise<ToolResult>) | undefined;
  approvalMode: ApprovalMode;
  interrupts: ServerInterruptMode;
  /** Asks about budgets if interrupts are not parked; absent: a run ends at a budget. */
  askBudget?: AskBudget | undefined;
  /**
   * Called for a decision beyond its call that was made while the run was in progress, with the definition of the tool
   * at that time. Absent: decisions are stored where they are made.
   */
  remember?: (tool: ToolReference, answer: ApprovalAnswer, definition: string | undefined) => void;
  /**
   * Called right before a call is made; returns why it must not be made, since the user may have set the tool to
   * "never" meanwhile.
   */
  forbidden: (tool: ToolReference, args: JsonObject) => ErrorInfo | undefined | Promise<ErrorInfo | undefined>;
  /** Receives every completed call of a model or tool. */
  used?: ((entry: UsageEntry) => void) | undefined;
  /**
   * Awaited before each model request: it resolves when the usage of the earlier ones is stored, so that a crash loses the
   * usage of at most one request. Absent where nothing is stored.
   */
  usageStored?: (() => Promise<unknown> | undefined) | undefined;
  /** The budgets; `refresh` updates the usage outside this run. */
  budgets?:
    | {
        refresh: () => void | Promise<void>;
        check: BudgetGate;
        /** Why the run must end because of a budget of a run above it; null if it may continue. */
        ofParents: () => ErrorInfo | null;
        /** Budgets with a limit in dollars only. */
        dollarsOnly: (state: AgentState) => readonly Budget[];
      }
    | undefined;
  /** Absent: the run cannot start sub-agents. */
  subAgents?: SubAgents | undefined;
  /** Set for the run of a group. */
  group?: RunGroup | undefined;
  /** True for a tool that is safe to call again although it may have been called already. */
  repeatable: (tool: ToolReference) => boolean;
  /** Receives exceptions of the tool host, which should return errors as results. */
  onDefect?: ((thrown: unknown) => void) | undefined;
};
