import type { ConversationView, InterruptAnswer, LedgerStatus, RunEvent, RunStatus } from '@toolyard/protocol';
import type { Role } from '../endurance/plan.ts';

/** A run as its row says in the end. */
export type StoredRun = { id: string; conversationId: string; status: RunStatus; lastSeq: number };

/** A change of a run's row, as the database recorded it in the transaction that made it; of one run in order. */
export type RowWrite = {
  runId: string;
  /** By the clock of the database. */
  at: number;
  /** The process that wrote, by the name of its connection. */
  writer: string;
  fence: number;
  /** The holder of the lease after the change; null: none. */
  owner: string | null;
  seqBefore: number;
  seqAfter: number;
  status: RunStatus;
};

/** A call of the counting tool as the ledger has it in the end. `call` is the same for no two calls. */
export type StoredCall = { runId: string; callId: string; call: string; status: LedgerStatus };

/** An interrupt as stored in the end. */
export type StoredRunInterrupt = {
  runId: string;
  id: string;
  kind: string;
  /** The call it is about. */
  call: string;
  status: string;
  answer: InterruptAnswer | null;
};

/** A message to a run in progress; its text is that of no other message. */
export type SteeredMessage = { id: string; text: string };

/** The events a reader got of a run, over any number of connections, in the order they came. */
export type RunReading = { reader: string; runId: string; events: readonly RunEvent[] };

/** The events a reader got of all runs of a conversation, and the conversation as a server shows it afterwards. */
export type ReadConversation = { id: string; events: readonly RunEvent[]; view: ConversationView };

/** The usage of a conversation as stored, and the requests the model server got for it. */
export type StoredUsage = {
  conversationId: string;
  modelCalls: number;
  /** Model calls whose tokens are unknown. */
  uncounted: number;
  inputTokens: number;
  outputTokens: number;
  toolCalls: number;
};

/** A time of the schedule `id` that is due every `seconds`, `times` times, as stored in the end. */
export type StoredFiring = { plannedAt: number; outcome: string; runId: string | null };
export type ScheduleHistory = { id: string; seconds: number; times: number; firings: readonly StoredFiring[] };

/** A time in which something did not work, by the clock of the machine. */
export type Span = { from: number; until: number };

/** A process that could not work: killed, stopped, or cut off from its database. */
export type Failing = Span & { writer: string; role: Role; how: string };

/** Everything that was recorded under faults. Plans that record less leave the lists empty. */
export type History = {
  /** Ids of the runs that were requested and accepted. */
  asked: readonly string[];
  runs: readonly StoredRun[];
  writes: readonly RowWrite[];
  events: ReadonlyMap<string, readonly RunEvent[]>;
  calls: readonly StoredCall[];
  interrupts: readonly StoredRunInterrupt[];
  /** Messages to runs in progress that were accepted and not taken back. */
  steered: readonly SteeredMessage[];
  /** The messages of the user, as they are in the conversations in the end. */
  messages: readonly SteeredMessage[];
  /** How often each text was in one request to a model, at most. */
  sentToModel: ReadonlyMap<string, number>;
  /** What a model server would reject in the histories it was sent. */
  malformed: readonly string[];
  /** Messages that still wait in queues. */
  queued: number;
  /** How often each call took effect, by the tool's own log; null: the tool does not tell its calls apart. */
  effects: ReadonlyMap<string, number> | null;
  /** How many effects the tool's own count file holds. */
  counted: number;
  usage: readonly StoredUsage[];
  /** Requests that the model server got, by conversation. */
  requests: ReadonlyMap<string, number>;
  /** How often a process may have lost a request, at most, by conversation. */
  interruptions: ReadonlyMap<string, number>;
  readings: readonly RunReading[];
  conversations: readonly ReadConversation[];
  schedules: readonly ScheduleHistory[];
  failings: readonly Failing[];
  /** Times in which the database could not be reached. */
  outages: readonly Span[];
};
