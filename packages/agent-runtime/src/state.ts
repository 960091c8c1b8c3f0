import type {
  ApprovalInterrupt,
  Budget,
  BudgetInterrupt,
  ElicitationAnswer,
  ErrorInfo,
  FormInterrupt,
  GroupCallKind,
  InDoubtAnswer,
  InterruptAnswer,
  JsonObject,
  RunLimits,
  RunStatus,
  PromptAnswer,
  PromptInterrupt,
  SamplingInterrupt,
  SelectionAnswer,
  SelectionInterrupt,
  SignInInterrupt,
  Spent,
  SubAgentTask,
  TabInterrupt,
  TextCall,
  ToolReference,
  ToolResult,
  UrlInterrupt,
  Usage,
} from '@toolyard/protocol';
import { ZERO_SPENT } from '@toolyard/protocol';
import type { GroupState } from './group/group-state.ts';
import { callFingerprint } from './fingerprint.ts';

/** The version of {@link AgentState}; a stored state of another version is migrated before use. */
export const STATE_SCHEMA_VERSION = 1;

/**
 * What was decided about a call of the current turn.
 * - `undecided`: not judged yet
 * - `run`: may be made
 * - `ask`: needs approval
 * - `refused`: will not be made; `refusal` is what the user or the policy says to the model
 */
type CallDecision =
  | { decision: 'undecided' | 'run' | 'ask'; refusal?: never }
  | { decision: 'refused'; refusal: ErrorInfo };

/** A call of the current turn that has no result in the conversation yet. */
export type PendingCall = ImpossibleCall | RunnableCall;

/** A call that may still be made. */
export type OpenCall = Exclude<RunnableCall, { decision: 'refused' }>;

type NamedCall = {
  callId: string;
  name: string;
  arguments: JsonObject;
  /** The user approved this very call, or it has its result: only a "never" still overrules it. */
  approved?: true;
  /** Its result was published while another call of its batch still waits. */
  answered?: { result: ToolResult; at: number };
};

/** A call of an unknown tool, or with unreadable or invalid arguments: it is answered with `problem` and never made. */
type ImpossibleCall = NamedCall & {
  tool: ToolReference | null;
  problem: ErrorInfo;
  decision: 'undecided' | 'run';
  refusal?: never;
} & { [K in keyof CallHistory]?: never };

/** A call of a tool, and what has happened to it. */
export type RunnableCall = NamedCall & CallDecision & CallHistory & { tool: ToolReference; problem?: never };

/**
 * The properties do not exclude each other: a call that was approved and waited for answers may come into doubt, and be
 * judged again with all of it.
 */
type CallHistory = {
  /** Set if the model wrote the call as text. */
  textCall?: TextCall;
  /** The user edited the arguments; `danger` is the warning of the approval that they answered with them. */
  edited?: { danger?: string };
  /** How often approval was requested again since. */
  askedAgain?: number;
  /** Set if it was found sent and without a result after its process crashed. */
  inDoubt?: { interruptId: string; sentAt: number; answer?: InDoubtAnswer };
  /** What the user sees of the tool besides the arguments, and approves with them. */
  about?: CallToolFacts;
  /** What its tool asks the user now: the call is made again with the answer. */
  functionInterrupt?: PendingFunctionInterrupt;
  /** What its tool asked before, with the answers, in the order of the interrupts. */
  answeredInterrupts?: PendingFunctionInterrupt[];
  /** Its server has requests before it continues: the call is made again with the answers. */
  serverInterrupts?: { interrupts: PendingInterrupt[]; state: JsonObject };
};

/**
 * What the tool of a call waits for: an answer of the user, or sub-agents. `isOpen`: the user has been asked, the
 * sub-agents have been started.
 */
export type PendingFunctionInterrupt = (
  | (Pick<PromptInterrupt, 'kind' | 'question'> & { answer?: PromptAnswer })
  | (Pick<SelectionInterrupt, 'kind' | 'question' | 'choices' | 'multiple'> & { answer?: SelectionAnswer })
  | (Pick<FormInterrupt, 'kind' | 'mode' | 'message' | 'requestedSchema'> & {
      /** Set with `isOpen`. */
      id?: string;
      answer?: ElicitationAnswer;
    })
  | PendingDelegation
) & { isOpen: boolean };

/** The turn of a member of a group. */
export type MemberTask = { agentId: string; name: string; kind: GroupCallKind; private?: true };

/** A task for a sub-agent, or the turn of a member. */
export type DelegableTask = SubAgentTask & { member?: MemberTask };

/** Tasks for sub-agents. `children` is set with `isOpen`, and `answer` when all of them are over. */
type PendingDelegation = {
  kind: 'delegation';
  tasks: DelegableTask[];
  children?: DelegatedTask[];
  answer?: { decision: 'over' };
};

/** A task whose child run was started, or that could not be started. `over`: the run has ended. */
export type DelegatedTask = { title: string } & (
  | { runId: string; conversationId: string; over?: true }
  | { error: ErrorInfo }
);

/** A tool as it is when a user is asked about a call of it. */
export type CallToolFacts = Pick<
  ApprovalInterrupt,
  | 'description'
  | 'definition'
  | 'inputSchema'
  | 'changed'
  | 'diff'
  | 'danger'
  | 'templates'
  | 'byRule'
  | 'textCall'
  | 'autoUnconfirmed'
>;

/**
 * A request of a server during a call. `state` of {@link PendingCall.serverInterrupts} is opaque to everything but the executor.
 */
export type PendingInterrupt = {
  interrupt: FormInterrupt | UrlInterrupt | SamplingInterrupt | SignInInterrupt | TabInterrupt;
  answer?: InterruptAnswer;
};

/**
 * A run between two steps: plain JSON, committed with each step. It holds the calls of the current turn and nothing
 * of the conversation, so a step costs the same however long the conversation is.
 */
export type AgentState = {
  schemaVersion: typeof STATE_SCHEMA_VERSION;
  runId: string;
  conversationId: string;
  status: RunStatus;
  /** The number of the next step, from 0. */
  step: number;
  /** Model requests made so far. */
  turns: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  limits: RunLimits;
  pending: PendingCall[];
  /** How often each of the latest calls (hash of tool and arguments) was requested, latest last. */
  sameCalls: Record<string, number>;
  usage: Usage;
  /** US dollars so far; null after a turn with unknown cost. */
  cost: number | null;
  /** Usage that counts towards budgets of this run and of its latest turn. */
  spent: { run: Spent; turn: Spent };
  /** Budgets that the user raised for this run. */
  raised: Budget[];
  /** The exhausted budget that the user has not answered yet. */
  budgetInterrupt?: BudgetInterrupt;
  /** Set for the run of a group. */
  group?: GroupState;
};

/** The initial state of a run. */
export function initialState(of: {
  group?: GroupState;
  runId: string;
  conversationId: string;
  startedAt: number;
  limits: RunLimits;
}): AgentState {
  return {
    schemaVersion: STATE_SCHEMA_VERSION,
    ...of,
    status: 'running',
    step: 0,
    turns: 0,
    pending: [],
    sameCalls: {},
    usage: {},
    cost: 0,
    spent: { run: ZERO_SPENT, turn: ZERO_SPENT },
    raised: [],
  };
}

/** Repeated calls occur close together. The state is stored with every step, so it must not grow with the run. */
const COUNTED_CALLS = 100;

/** The state after the model requested `calls`: they are pending and counted. */
export function withPendingCalls(state: AgentState, calls: PendingCall[]): AgentState {
  if (calls.length === 0) return state;
  let counts = Object.entries(state.sameCalls);
  for (const call of calls) {
    const fingerprint = callFingerprint(call.name, call.arguments);
    const before = counts.find(([counted]) => counted === fingerprint)?.[1] ?? 0;
    // Moves the call to the end, as the latest.
    if (before > 0) counts = counts.filter(([counted]) => counted !== fingerprint);
    counts.push([fingerprint, before + 1]);
  }
  const latest = counts.slice(-Math.max(COUNTED_CALLS, calls.length));
  return { ...state, pending: calls, sameCalls: Object.fromEntries(latest) };
}
