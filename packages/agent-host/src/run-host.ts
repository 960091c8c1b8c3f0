import type {
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
  PromptAnswer,
  PromptInterrupt,
  RunJournal,
  SamplingInterrupt,
  SelectionAnswer,
  SelectionInterrupt,
  ToolLedger,
  ToolMode,
  ToolReference,
  UrlInterrupt,
  UsageEntry,
} from '@toolyard/protocol';
import type { AgentState, BudgetGate, ContextSources } from '@toolyard/agent-runtime';
import type { KeepPrelude } from './executors/prelude-keeper.ts';
import type { RunToolHost } from './functions/function-tools.ts';
import type { ModelRuntime } from '@toolyard/model-runtime';

/** Puts a question to a person. Rejecting, or an aborted signal, counts as no. */
export type AskApproval = (interrupt: ApprovalInterrupt, options: { signal: AbortSignal }) => Promise<ApprovalAnswer>;

/** Puts a question of a tool to the user. Rejecting, or an aborted signal, counts as not wanting to say. */
export type AskUser = (
  interrupt: PromptInterrupt | SelectionInterrupt,
  options: { signal: AbortSignal },
) => Promise<PromptAnswer | SelectionAnswer>;

/** Asks a person whether to go on past a budget. Rejecting, or an aborted signal, means stop. */
export type AskBudget = (interrupt: BudgetInterrupt, options: { signal: AbortSignal }) => Promise<BudgetAnswer>;

/**
 * Who answers what a run must ask.
 * - `person`: somebody waits beside the run and is asked one question after the other
 * - `park`: the questions are stored, nothing is held open, and the run goes on when they are answered
 * - `nobody`: what would need a person is not done
 */
export type ApprovalMode = { who: 'person'; ask: AskApproval; askUser?: AskUser } | { who: 'park' } | { who: 'nobody' };

/** What a server asks a person while a call of it is open. */
export type ServerQuestion = FormInterrupt | UrlInterrupt | SamplingInterrupt;

/** Puts a server's question to a person; the signal tells that nobody waits for the answer any more. */
export type AskQuestion = (interrupt: ServerQuestion, options: { signal: AbortSignal }) => Promise<InterruptAnswer>;

/**
 * Who answers what servers ask in the middle of a call.
 * - `person`: somebody beside the run, while the call is open
 * - `park`: the same where the server keeps its call open; where it does not, the questions are stored and the run
 *   rests. What a server wants kept is sealed.
 * - `nobody`: the host of the servers refuses for all
 */
export type QuestionMode =
  | { who: 'person'; ask: AskQuestion }
  | {
      who: 'park';
      ask: AskQuestion;
      seal: (text: string) => Promise<string>;
      open: (sealed: string) => Promise<string>;
    }
  | { who: 'nobody' };

/** All that the executors of one run work with. */
export type RunHost = {
  model: ModelRuntime;
  modelId: string;
  parameters: ModelParameters;
  toolMode: ToolMode;
  tools: RunToolHost;
  conversation: ConversationPort;
  /** Whose run it is, where the servers are shared by several: what a server asks is never shown to another one. */
  principal?: string | undefined;
  journal: RunJournal;
  ledger: ToolLedger;
  clock: Clock;
  /** Aborted when the run is to end. */
  signal: AbortSignal;
  contextSources: () => ContextSources;
  /** Where the person is, for what stands for date and time; absent: where this process is. */
  timeZone?: string;
  /** Absent: what was sent besides the messages cannot be shown again. */
  keepPrelude?: KeepPrelude | undefined;
  asking: ApprovalMode;
  questions: QuestionMode;
  /** Whom to ask about a budget where questions are not parked; absent: a run ends there. */
  askBudget?: AskBudget | undefined;
  /**
   * Called with a decision beyond the one call that was made while the run waited, and the definition of the tool at that
   * time. Absent: the decision is stored where it is made.
   */
  remember?: (tool: ToolReference, answer: ApprovalAnswer, definition: string | undefined) => void;
  /** Asked right before a call is made: why it must not be, after all. The person may have said "never" meanwhile. */
  forbidden: (tool: ToolReference, args: JsonObject) => ErrorInfo | undefined | Promise<ErrorInfo | undefined>;
  /** Told of every call of a model and of a tool, once it is over. */
  used?: ((entry: UsageEntry) => void) | undefined;
  /** What may be used; what was used elsewhere is looked up by `refresh`. */
  budgets?:
    | {
        refresh: () => void | Promise<void>;
        check: BudgetGate;
        /** Those that bound dollars alone. */
        dollarsOnly: (state: AgentState) => readonly Budget[];
      }
    | undefined;
  /** True for a tool that may be called again although it may have been called already. */
  repeatable: (tool: ToolReference) => boolean;
  /** Told what the tool host threw, which answers with results. */
  onDefect?: ((thrown: unknown) => void) | undefined;
};
