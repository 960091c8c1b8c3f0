import type { InterruptAnswer, LedgerStatus, RunEvent, RunStatus } from '@toolyard/protocol';
import type { Role } from './plan.ts';

/** A run as its row says in the end. */
export type KeptRun = { id: string; status: RunStatus; lastSeq: number };

/** A change of a run's row, as the database noted it in the transaction that made it; of one run in their order. */
export type Write = {
  runId: string;
  /** By the clock of the database. */
  at: number;
  /** The process that wrote, by the name of its connection. */
  writer: string;
  fence: number;
  /** Who holds the lease after the change; null: nobody. */
  owner: string | null;
  seqBefore: number;
  seqAfter: number;
  status: RunStatus;
};

/** A call as the ledger has it in the end. `call` is what the tool was called with, the same for no two calls. */
export type KeptCall = { runId: string; callId: string; call: string; status: LedgerStatus };

/** A question to a person, as it is kept in the end. */
export type KeptQuestion = {
  runId: string;
  id: string;
  kind: string;
  /** The call it is about. */
  call: string;
  status: string;
  answer: InterruptAnswer | null;
};

/** What a person said to a run under way; its text is that of no other message. */
export type Said = { id: string; text: string };

/** What somebody read of a run, over however many connections, in the order it came. */
export type Reading = { reader: string; runId: string; events: readonly RunEvent[] };

/** A time in which something was not as it should be, by the clock of the machine. */
export type Span = { from: number; until: number };

/** A process that could not work: killed, stopped, or cut off from its database. */
export type Failing = Span & { writer: string; role: Role; how: string };

/** Everything that was recorded of many processes at work. */
export type History = {
  /** Ids of the runs somebody asked for and was told they are kept. */
  asked: readonly string[];
  runs: readonly KeptRun[];
  writes: readonly Write[];
  events: ReadonlyMap<string, readonly RunEvent[]>;
  calls: readonly KeptCall[];
  questions: readonly KeptQuestion[];
  /** What was said to runs under way, was told to be kept, and was not taken back. */
  said: readonly Said[];
  /** What people said, as it stands in the conversations in the end. */
  messages: readonly Said[];
  /** How often each text stood in one request to a model, at most. */
  sentToModel: ReadonlyMap<string, number>;
  /** Messages that still wait in queues. */
  queued: number;
  /** How often each call took effect, by the tool's own account. */
  effects: ReadonlyMap<string, number>;
  /** How many effects the tool's own count file holds. */
  counted: number;
  readings: readonly Reading[];
  failings: readonly Failing[];
  /** Times in which nobody could reach the database. */
  outages: readonly Span[];
};
