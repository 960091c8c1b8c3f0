import type { JsonObject, JsonValue } from './json.ts';
import type { ToolReference } from './schemas/common.ts';
import type { Message, Usage } from './schemas/messages.ts';
import type { PermissionView } from './schemas/permissions.ts';
import type {
  Interrupt,
  InterruptAnswer,
  InterruptMode,
  RunLocation,
  RunEvent,
  RunRecord,
  RunStatus,
  StoredInterrupt,
} from './schemas/runs.ts';
import type { LedgerChange, LedgerEntry } from './schemas/ledger.ts';

/**
 * The port through which durable runs are kept: one engine answers at once, another over a socket, so every method
 * may give a promise. Types only; all times are milliseconds since 1970 but for durations.
 *
 * Two kinds of callers: a person's doors hand over a {@link Owner} and see that owner's rows only; the process
 * that executes runs holds leases and shows its fence instead.
 */

/** On whose behalf something is read or written. What belongs to another owner is not found. */
export type Owner = { ownerId: string };

type Awaitable<T> = T | Promise<T>;

/**
 * `full`: on the disk before the call returns, even if the power fails. `normal`: survives the death of the process.
 */
export type Durability = 'normal' | 'full';

/** A run together with the right to write it, until the lease runs out or somebody takes it over. */
export type LeasedRun = RunRecord & {
  /** Grows with every lease; a commit under an older one is refused. */
  fence: number;
  /** What the last step committed; null before the first. */
  state: JsonValue | null;
  /** What the run was created with. */
  configuration: JsonValue | null;
};

/** Who holds a run, and for how long from now. */
export type LeaseTerms = {
  /** The process, fresh at every start of it. */
  owner: string;
  /** Milliseconds. */
  ms: number;
};

/**
 * `from`: who holds it gives way, if its name begins so. A tab takes over from another one that way, since a person
 * wants it to.
 */
export type AcquireOptions = { from?: string };

/** A run to be stored together with the message that asks for it. */
export type NewRun = {
  id: string;
  conversationId: string;
  agentId?: string;
  parentRunId?: string;
  place: RunLocation;
  at: number;
  /** Plain JSON: the resolved configuration of the agent. */
  configuration?: object;
  /** Plain JSON: the state before the first step. */
  state?: object;
  /** The person's message and, where wanted, a placeholder for the answer; parents first. */
  messages: readonly Message[];
  /** The conversation's new current leaf. */
  leaf?: string;
  /** What the conversation is called where it has no title yet. */
  title?: string;
  /** The queued message this run sends: it leaves the queue in the same transaction, or nothing is stored. */
  queuedMessageId?: string;
  /** With it the run is `running` under fence 1, else `queued` under fence 0. */
  lease?: LeaseTerms;
};

/**
 * - `conversation_busy`: a top-level run is active there already
 * - `exists`: this very run is stored already, and nothing was changed
 * - `not_found`: the owner has no such conversation, or no such parent run
 * - `invalid`: a message or the leaf does not fit into the conversation, or the queued message is not in its queue;
 *   nothing was changed
 */
export type CreateRunOutcome =
  | { outcome: 'created'; run: LeasedRun }
  | { outcome: 'exists'; run: RunRecord }
  | { outcome: 'conversation_busy'; runId: string }
  | { outcome: 'not_found' }
  | { outcome: 'invalid'; problem: string };

export type InterruptChanges = {
  /** May come again for the same id: what was answered in the meantime stays answered. */
  opened?: readonly { interrupt: Interrupt; mode: InterruptMode }[];
  /** Answered within the process; an answer from a door comes through the inbox instead, and is the one that counts. */
  answered?: readonly { id: string; answer: InterruptAnswer }[];
  /** What was answered in the meantime stays answered. */
  withdrawn?: readonly string[];
};

/** One call that was made. `at` says on which day, in UTC. */
export type UsageEntry = { at: number; durationMs: number } & (
  | {
      kind: 'model';
      providerId: string;
      modelId: string;
      /** Null where the model did not say. */
      usage: Usage | null;
      /** US dollars; null where nobody knows. */
      cost: number | null;
      /** The tool whose server had the model asked. */
      tool?: ToolReference;
    }
  | { kind: 'tool'; tool: ToolReference; failed: boolean }
);

/**
 * Which of the commits under its fence it is, from 1, and what stands for all that is in it. A holder that sends over
 * a network may send its last one again: it is answered as it was, and changes nothing.
 */
export type CommitNumber = { number: number; digest: string };

/** What one run has to write. Either all of it is stored or nothing. */
export type RunCommit = {
  runId: string;
  fence: number;
  /** The seq the run is at; `events` begin at the next one. */
  baseSeq: number;
  /** Stamped and without gaps; may be empty. */
  events: readonly RunEvent[];
  /** Plain JSON: the state after a step. */
  state?: object;
  /** A final one (`done`, `failed`, `cancelled`) gives the lease back and withdraws open interrupts. */
  status?: RunStatus;
  /** Whole messages, parents first. One that this run wrote before is replaced. */
  messages?: readonly { conversationId: string; message: Message }[];
  /** Moves the current leaf if it still is `from`: a person who went to another branch is not pulled back. */
  leaf?: { from: string | null; to: string };
  /** Calls that were made, each once. */
  usage?: readonly UsageEntry[];
  ledger?: readonly LedgerChange[];
  interrupts?: InterruptChanges;
  /** Ids of inbox items whose effect this commit holds: they are taken with it, exactly once. */
  taken?: readonly string[];
  /** Queued messages of its conversation the run has taken in: they leave the queue. */
  unqueued?: readonly string[];
  /** Gives the lease back with this commit, as a run does that parks. */
  release?: true;
  /** A group that holds one `full`, or moves a call to `sent`, is `full` as a whole. */
  durability: Durability;
  numbered?: CommitNumber;
};

/**
 * - `stale`: fence or seq is not the run's own, its lease was given back, or it is over; `now` says where it stands
 *   (null: it is gone)
 * - `overtaken`: an interrupt this answers was answered at a door in the same moment; the inbox holds what was said
 * - `invalid`: the item contradicts itself or what is stored; a defect of the caller
 */
export type CommitOutcome =
  | {
      outcome: 'committed';
      lastSeq: number;
      /** Set where the status changed or the lease was given back: something waits in the inbox. */
      inboxWaits?: true;
      /** Set where an earlier sending of the same numbered commit had stored it: nothing was changed. */
      again?: true;
    }
  | { outcome: 'stale'; now: { fence: number; lastSeq: number; status: RunStatus } | null }
  | { outcome: 'overtaken' }
  | { outcome: 'invalid'; problem: string };

/** What a process learns when it renews its leases. A run it held and that is not named was lost. */
export type LeaseRenewal = { runId: string; fence: number; cancelRequested: boolean; inboxWaits: boolean };

export type InboxKind = 'cancel' | 'answer' | 'steer' | 'message';

export type InboxItem = { id: string; kind: InboxKind; body: JsonValue; at: number };

/**
 * - `put`: `leaseOwner` is whom to wake, null where the run lies still
 * - `exists`: an item of this id was put before
 * - `run_over`: nobody will read it
 */
export type PutInboxOutcome =
  | { outcome: 'put'; leaseOwner: string | null; status: RunStatus }
  | { outcome: 'exists' }
  | { outcome: 'run_over' }
  | { outcome: 'not_found' };

/**
 * A value that an answer changes: of a conversation or an agent its configuration, else a named setting. What is made
 * of it is asked with what stands there in that moment, and may be asked again.
 */
export type AnswerKeeps = {
  what: 'conversations' | 'agents' | 'settings';
  id: string;
  change: (stored: JsonValue) => JsonObject;
};

/**
 * - `closed`: somebody else answered first (`answer`), or it was withdrawn (null)
 * - `no_place`: what the answer is to change is gone; nothing was stored
 */
export type AnswerOutcome =
  | { outcome: 'no_place' }
  | { outcome: 'answered'; runId: string; leaseOwner: string | null }
  | { outcome: 'closed'; answer: InterruptAnswer | null }
  | { outcome: 'not_found' };

export type RunStore = {
  /**
   * Stores what any number of runs have to write in one transaction. An item that is stale or invalid is refused
   * alone; outcomes stand in the order of the items. Throws where the engine fails: nothing is stored then.
   */
  commit(items: readonly RunCommit[]): Awaitable<readonly CommitOutcome[]>;

  /** Stores run, messages and leaf in one transaction, with full durability. */
  createRun(principal: Owner, run: NewRun): Awaitable<CreateRunOutcome>;
  getRun(principal: Owner, runId: string): Awaitable<RunRecord | null>;
  /** The newest first; `before` is the id of the last one seen. */
  listRuns(
    principal: Owner,
    query: {
      conversationId?: string;
      agentId?: string;
      statuses?: readonly RunStatus[];
      /** Begun at this time or later, and before this one. */
      from?: number;
      until?: number;
      before?: string;
      limit: number;
    },
  ): Awaitable<readonly RunRecord[]>;
  /** Events with a seq above `afterSeq`, in order, at most `limit`; null where the owner has no such run. */
  readEvents(principal: Owner, runId: string, afterSeq: number, limit: number): Awaitable<readonly RunEvent[] | null>;
  /** The same without what is repeated whole once a message or a call is over: deltas and progress. */
  readWholeEvents(
    principal: Owner,
    runId: string,
    afterSeq: number,
    limit: number,
  ): Awaitable<readonly RunEvent[] | null>;

  /** Null where somebody holds it, it is over, or it is not there. */
  acquireLease(runId: string, terms: LeaseTerms, options?: AcquireOptions): Awaitable<LeasedRun | null>;
  /** One statement for all runs of a process. */
  renewLeases(terms: LeaseTerms): Awaitable<readonly LeaseRenewal[]>;
  /** The same for one run, under the fence it is held; null where it was lost. */
  renewLease(runId: string, fence: number, terms: LeaseTerms): Awaitable<LeaseRenewal | null>;
  /** False where the lease was no longer held under this fence. */
  releaseLease(runId: string, fence: number): Awaitable<boolean>;
  /**
   * Takes over runs of the place `server` that nobody works on: queued or running without a live lease, and resting
   * ones something waits for in the inbox. Used at start and at intervals.
   */
  takeOver(terms: LeaseTerms, limit: number): Awaitable<readonly LeasedRun[]>;

  putInbox(principal: Owner, runId: string, item: InboxItem): Awaitable<PutInboxOutcome>;
  /** What waits, in the order it came; null where the fence is not the current one. Taken by {@link RunCommit.taken}. */
  readInbox(runId: string, fence: number): Awaitable<readonly InboxItem[] | null>;
  /** Takes back what has not been taken yet; false where it was. */
  withdrawInbox(principal: Owner, runId: string, itemId: string): Awaitable<boolean>;

  /**
   * Deletes deltas and progress from the events of at most `limit` runs that ended before `endedBefore`, the longest
   * ended first, each once; gives how many runs that were. Who reads from a cursor inside gets what is left, in order
   * but with gaps: `message_finished` and `tool_finished` carry the whole of what is gone.
   */
  compact(endedBefore: number, limit: number): Awaitable<number>;

  /** The calls of a run in the order they were planned; null where the owner has no such run. */
  readLedger(principal: Owner, runId: string): Awaitable<readonly LedgerEntry[] | null>;

  /** The oldest first. */
  listInterrupts(
    principal: Owner,
    query: {
      status?: StoredInterrupt['status'];
      runId?: string;
      conversationId?: string;
      /** The last one seen. */
      after?: Pick<StoredInterrupt, 'openedAt' | 'id'>;
      limit: number;
    },
  ): Awaitable<readonly StoredInterrupt[]>;
  /** Null where the owner has no such question. */
  getInterrupt(principal: Owner, interruptId: string): Awaitable<StoredInterrupt | null>;
  /** How many questions wait for an answer. */
  countInterrupts(principal: Owner): Awaitable<number>;
  /**
   * The first answer counts. It is put into the run's inbox as `{ interruptId, answer }`; what it decides about the
   * tool for later, and what it changes, is stored in the same transaction.
   */
  answerInterrupt(
    principal: Owner,
    interruptId: string,
    answer: InterruptAnswer,
    at: number,
    more?: { decides?: PermissionView; keeps?: AnswerKeeps },
  ): Awaitable<AnswerOutcome>;
};
