import type { JsonObject, JsonValue } from './json.ts';
import type { ToolReference } from './schemas/common.ts';
import type { Message, Usage } from './schemas/messages.ts';
import type { RunOrigin } from './schemas/run-list.ts';
import type { PermissionView } from './schemas/permissions.ts';
import type { RunEvent } from './schemas/run-events.ts';
import type {
  Interrupt,
  InterruptAnswer,
  InterruptMode,
  RunLocation,
  RunRecord,
  RunStatus,
  StoredInterrupt,
} from './schemas/runs.ts';
import type { LedgerChange, LedgerEntry } from './schemas/ledger.ts';

/**
 * The port that stores durable runs. One implementation answers synchronously, another over a socket, so every method
 * may return a promise. Times are milliseconds since 1970, except durations.
 *
 * It has two kinds of callers: user-facing APIs pass an {@link Owner} and see only that owner's rows; the process that
 * executes a run holds its lease and passes its fence.
 */

/** On whose behalf data is read or written. Data of another owner is not found. */
export type Owner = { ownerId: string };

type Awaitable<T> = T | Promise<T>;

/** `full`: on disk before the call returns, survives a power failure. `normal`: survives a crash of the process. */
export type Durability = 'normal' | 'full';

/** A run with the exclusive right to write it, until the lease expires or another process acquires it. */
export type LeasedRun = RunRecord & {
  /** Increases with every lease; a commit with an older one is rejected. */
  fence: number;
  /** The state of the last committed step; null before the first. */
  state: JsonValue | null;
  /** The configuration that the run was created with. */
  configuration: JsonValue | null;
};

/** Holder and duration of a lease. */
export type LeaseTerms = {
  /** Id of the process, new at every start. */
  owner: string;
  /** Milliseconds. */
  ms: number;
};

/**
 * `from`: acquires the lease also from a holder whose name begins so. A tab moves a run away from another tab this way,
 * at the user's request.
 */
export type AcquireOptions = { from?: string };

/** A run to store together with the user message that starts it. */
export type NewRun = {
  id: string;
  conversationId: string;
  agentId?: string;
  parentRunId?: string;
  /** {@link RunRecord.startedBy} */
  startedBy?: string;
  /** Notified of interrupts and the end of the run; its secret is stored elsewhere. */
  webhook?: NewRunWebhook;
  /** Default: `sub_agent` with a parent, otherwise `chat`. */
  origin?: RunOrigin;
  place: RunLocation;
  at: number;
  /** Plain JSON: the resolved configuration of the agent. */
  configuration?: object;
  /** Plain JSON: the state before the first step. */
  state?: object;
  /** The user's message and an optional placeholder for the answer; parents first. */
  messages: readonly Message[];
  /** The conversation's new current leaf. */
  leaf?: string;
  /** Title of the conversation if it does not have one yet. */
  title?: string;
  /**
   * The queued message that this run sends. It leaves the queue in the same transaction; if that fails, nothing is
   * stored.
   */
  queuedMessageId?: string;
  /** The conversation of a child run: created with the run if it does not exist yet. */
  newConversation?: NewChildConversation;
  /** With a lease the run is `running` with fence 1, otherwise `queued` with fence 0. */
  lease?: LeaseTerms;
};

/** `trusted`: the URL may be on a private network. */
export type NewRunWebhook = { url: string; trusted: boolean };

/** A conversation that belongs to the call of another run: deleted with its conversation, and not listed. */
export type NewChildConversation = {
  title: string;
  agentId?: string;
  /** Plain JSON: overrides for messages that the user sends there later. */
  configuration: object;
  parent: { conversationId: string; runId: string; callId: string };
};

/**
 * - `conversation_busy`: the conversation has an active top-level run
 * - `exists`: this run is stored already; nothing changed
 * - `not_found`: the owner has no such conversation, or no such parent run that is active
 * - `invalid`: a message or the leaf does not fit the conversation, or the queued message is not in its queue; nothing
 *   changed
 */
export type CreateRunOutcome =
  | { outcome: 'created'; run: LeasedRun }
  | { outcome: 'exists'; run: RunRecord }
  | { outcome: 'conversation_busy'; runId: string }
  | { outcome: 'not_found' }
  | { outcome: 'invalid'; problem: string };

export type InterruptChanges = {
  /** May repeat an id: an interrupt that was answered since stays answered. */
  opened?: readonly { interrupt: Interrupt; mode: InterruptMode }[];
  /** Answered inside the process. An answer over the API is in the inbox instead, and takes precedence. */
  answered?: readonly { id: string; answer: InterruptAnswer }[];
  /** An interrupt that was answered since stays answered. */
  withdrawn?: readonly string[];
};

/** One completed call. `at` determines its day, in UTC. */
export type UsageEntry = { at: number; durationMs: number } & (
  | {
      kind: 'model';
      providerId: string;
      modelId: string;
      /** Null if the model did not report it. */
      usage: Usage | null;
      /** US dollars; null if unknown. */
      cost: number | null;
      /** It ended with an error; a call that the user stopped did not fail. */
      failed?: true;
      /** The tool whose server requested the model call. */
      tool?: ToolReference;
    }
  | { kind: 'tool'; tool: ToolReference; failed: boolean }
);

/**
 * The number of this commit under its fence, from 1, and a digest of its content. After a lost response the holder may
 * send its last commit again: the response is the same, and nothing changes.
 */
export type CommitNumber = { number: number; digest: string };

/** All changes of one run, stored atomically. */
export type RunCommit = {
  runId: string;
  fence: number;
  /** The run's last seq; `events` begin with the next one. */
  baseSeq: number;
  /** With envelope and without gaps; may be empty. */
  events: readonly RunEvent[];
  /** Plain JSON: the state after a step. */
  state?: object;
  /**
   * A final status (`done`, `failed`, `cancelled`) releases the lease and withdraws open interrupts. In the same
   * transaction the parent run, if it is active, receives an inbox item `child`, and each active child run one `cancel`.
   */
  status?: RunStatus;
  /** Whole messages, parents first. Replaces a message that this run wrote before. */
  messages?: readonly { conversationId: string; message: Message }[];
  /** Moves the current leaf only if it still is `from`: a user who switched to another branch stays there. */
  leaf?: { from: string | null; to: string };
  /** Completed calls, each once. */
  usage?: readonly UsageEntry[];
  ledger?: readonly LedgerChange[];
  interrupts?: InterruptChanges;
  /** Ids of inbox items that this commit applies: they are removed with it, exactly once. */
  taken?: readonly string[];
  /** Queued messages of the conversation that the run has added to its branch: they leave the queue. */
  unqueued?: readonly string[];
  /** Releases the lease with this commit, as a run does when it parks. */
  release?: true;
  /** One `full` item, or a call that moves to `sent`, makes the whole group `full`. */
  durability: Durability;
  numbered?: CommitNumber;
};

/**
 * - `stale`: fence or seq do not match, the lease was released, or the run is over; `now` is its current state (null:
 *   it does not exist)
 * - `overtaken`: an interrupt that this commit answers was answered over the API at the same time; that answer is in
 *   the inbox
 * - `invalid`: the item contradicts itself or the stored data, a bug of the caller
 */
export type CommitOutcome =
  | {
      outcome: 'committed';
      lastSeq: number;
      /** Set if the status changed or the lease was released: the inbox has unread items. */
      inboxWaits?: true;
      /** Set if this numbered commit was stored already: nothing changed. */
      again?: true;
    }
  | { outcome: 'stale'; now: { fence: number; lastSeq: number; status: RunStatus } | null }
  | { outcome: 'overtaken' }
  | { outcome: 'invalid'; problem: string };

/** Result of renewing leases. A run that the process held and that is missing here was lost. */
export type LeaseRenewal = { runId: string; fence: number; cancelRequested: boolean; inboxWaits: boolean };

/**
 * `child`: a child run has ended; its body is `{ runId }`. `pause` and `resume`: the run of a group.
 * `skip_servers`: do not wait for MCP servers.
 */
export type InboxKind = 'cancel' | 'answer' | 'steer' | 'message' | 'child' | 'pause' | 'resume' | 'skip_servers';

export type InboxItem = { id: string; kind: InboxKind; body: JsonValue; at: number };

/**
 * - `put`: stored; `leaseOwner` is the process to notify, null if none executes the run
 * - `exists`: an item with this id is stored already
 * - `run_over`: the run has ended, nothing will read the item
 */
export type PutInboxOutcome =
  | { outcome: 'put'; leaseOwner: string | null; status: RunStatus }
  | { outcome: 'exists' }
  | { outcome: 'run_over' }
  | { outcome: 'not_found' };

/**
 * A stored value that an answer changes: the configuration of a conversation or an agent, or a named setting. `change`
 * receives the value as it is stored at that time, and may be called more than once.
 */
export type AnswerSideEffect = {
  what: 'conversations' | 'agents' | 'settings';
  id: string;
  change: (stored: JsonValue) => JsonObject;
};

/**
 * - `closed`: another answer was first (`answer`), or the interrupt was withdrawn (null)
 * - `no_place`: the value that the answer changes does not exist any more; nothing was stored
 */
export type AnswerOutcome =
  | { outcome: 'no_place' }
  | { outcome: 'answered'; runId: string; leaseOwner: string | null }
  | { outcome: 'closed'; answer: InterruptAnswer | null }
  | { outcome: 'not_found' };

export type RunStore = {
  /**
   * Commits the changes of any number of runs in one transaction. A stale or invalid item is rejected alone; outcomes
   * have the order of the items. Throws if the database fails: then nothing is stored.
   */
  commit(items: readonly RunCommit[]): Awaitable<readonly CommitOutcome[]>;

  /** Stores run, messages and leaf in one transaction with full durability. */
  createRun(principal: Owner, run: NewRun): Awaitable<CreateRunOutcome>;
  getRun(principal: Owner, runId: string): Awaitable<RunRecord | null>;
  /** Newest first; `before` is the id of the last run of the previous page. */
  listRuns(
    principal: Owner,
    query: {
      conversationId?: string;
      parentRunId?: string;
      startedBy?: string;
      statuses?: readonly RunStatus[];
      before?: string;
      limit: number;
    },
  ): Awaitable<readonly RunRecord[]>;
  /** Events with a seq above `afterSeq`, in order, at most `limit`; null if the owner has no such run. */
  readEvents(principal: Owner, runId: string, afterSeq: number, limit: number): Awaitable<readonly RunEvent[] | null>;
  /** As `readEvents`, without deltas and progress, which later events contain as a whole. */
  readWholeEvents(
    principal: Owner,
    runId: string,
    afterSeq: number,
    limit: number,
  ): Awaitable<readonly RunEvent[] | null>;

  /** Null if another process holds the lease, or the run is over or does not exist. */
  acquireLease(runId: string, terms: LeaseTerms, options?: AcquireOptions): Awaitable<LeasedRun | null>;
  /** Renews the leases of all runs of a process with one statement. */
  renewLeases(terms: LeaseTerms): Awaitable<readonly LeaseRenewal[]>;
  /** Renews the lease of one run; null if it is no longer held under this fence. */
  renewLease(runId: string, fence: number, terms: LeaseTerms): Awaitable<LeaseRenewal | null>;
  /** False if the lease is no longer held under this fence. */
  releaseLease(runId: string, fence: number): Awaitable<boolean>;
  /**
   * Acquires runs with place `server` that no process executes: queued or running ones without a valid lease, and
   * parked ones with unread inbox items. Called at start and periodically.
   */
  claimExpired(terms: LeaseTerms, limit: number): Awaitable<readonly LeasedRun[]>;

  putInbox(principal: Owner, runId: string, item: InboxItem): Awaitable<PutInboxOutcome>;
  /**
   * Unread items in the order they arrived; null if the fence is not the current one. {@link RunCommit.taken} removes
   * them.
   */
  readInbox(runId: string, fence: number): Awaitable<readonly InboxItem[] | null>;
  /** Removes an item that was not taken yet; false if it was. */
  withdrawInbox(principal: Owner, runId: string, itemId: string): Awaitable<boolean>;

  /**
   * Deletes deltas and progress from the events of at most `limit` runs that ended before `endedBefore`, oldest first,
   * each run once. Returns the number of runs. A reader with an older cursor gets the remaining events in order but
   * with gaps: `message_finished` and `tool_finished` contain the whole content.
   */
  compact(endedBefore: number, limit: number): Awaitable<number>;

  /** The calls of a run in the order they were planned; null if the owner has no such run. */
  readLedger(principal: Owner, runId: string): Awaitable<readonly LedgerEntry[] | null>;

  /** Oldest first. */
  listInterrupts(
    principal: Owner,
    query: {
      status?: StoredInterrupt['status'];
      runId?: string;
      conversationId?: string;
      /** The last interrupt of the previous page. */
      after?: Pick<StoredInterrupt, 'openedAt' | 'id'>;
      limit: number;
    },
  ): Awaitable<readonly StoredInterrupt[]>;
  /** Null if the owner has no such interrupt. */
  getInterrupt(principal: Owner, interruptId: string): Awaitable<StoredInterrupt | null>;
  /** Number of open interrupts. */
  countInterrupts(principal: Owner): Awaitable<number>;
  /**
   * The first answer wins. It is put into the run's inbox as `{ interruptId, answer }`; the stored decision about the
   * tool (`permission`) and the changed value (`sideEffect`) are committed in the same transaction.
   */
  answerInterrupt(
    principal: Owner,
    interruptId: string,
    answer: InterruptAnswer,
    at: number,
    more?: { permission?: PermissionView; sideEffect?: AnswerSideEffect },
  ): Awaitable<AnswerOutcome>;
};
