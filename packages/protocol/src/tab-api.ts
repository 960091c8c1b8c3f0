import type { AgentConfiguration, ModelReference, ResolvedAgentConfiguration } from './api.ts';
import type { Spent } from './budgets.ts';
import type { InterruptAnswer } from './interrupts.ts';
import type { JsonObject } from './json.ts';
import type { ModelInput } from './agents.ts';
import type { RequestPrelude } from './model-requests.ts';
import type { Message, UserMessage } from './messages.ts';
import type { ToolResult, UserPart } from './parts.ts';
import type { LedgerEntry, RunCommit, RunRecord, UsageEntry } from './run-store.ts';
import type { PermissionView, ToolAnnotations, ToolReference } from './tools.ts';

/**
 * How a tab lends the tools of its own MCP servers to runs on the server: it tells what it has (`PUT
 * /api/tabs/{tab}/offers/{conversation}`), shows that it is there (`POST /api/tabs/{tab}/renew`, which also tells what
 * is to be done), claims a call, and brings its result. A tab is one life of a page: one that was loaded anew is
 * another.
 */

/** A tool as its server lists it, told by the tab that reaches the server. Untrusted. */
export type TabTool = {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: ToolAnnotations;
};

/** A server of the tab's. */
export type TabServer = {
  /** Begins with `browser-`. */
  id: string;
  /** What stands for the place of it: where it has moved to another, what was approved of its tools does not count. */
  url: string;
  instructions?: string;
  tools: TabTool[];
};

/** The servers a conversation may use of this tab; takes the place of what the tab offered it before. */
export type OfferTabTools = { servers: TabServer[] };

/** A question of the call's server, put to a person by way of the run. The words are the server's own. */
export type TabQuestion = (
  | { kind: 'form'; message: string; requestedSchema: JsonObject }
  | { kind: 'url'; message: string; url: string }
  | { kind: 'sampling'; request: JsonObject }
) & {
  /** As in the interrupt it becomes. */
  mayBelongTo?: string[];
};

/** What its server is to be told; `refused` where nobody answered. */
export type TabQuestionAnswer =
  | { kind: 'form'; action: 'accept'; content: JsonObject }
  | { kind: 'form'; action: 'decline' | 'cancel' }
  | { kind: 'url'; action: 'accept' | 'decline' | 'cancel' }
  | { kind: 'sampling'; answer: JsonObject }
  | { kind: 'refused' };

/** A call a tab may claim, or has. */
export type TabCallView = {
  callId: string;
  runId: string;
  conversationId: string;
  tool: ToolReference;
  /** True where this tab has claimed it. */
  claimed: boolean;
  /** Answers to what its server asked, by the id of the question. */
  answers: Record<string, TabQuestionAnswer>;
};

/** The call is this tab's from here on, under this fence. */
export type ClaimedTabCall = {
  callId: string;
  fence: number;
  tool: ToolReference;
  arguments: JsonObject;
  /** Stands for the tool as it was told to the run: one that is another by now is not called. */
  definition: string;
};

/** `fence`: as it was claimed. The same result may be brought twice. */
export type FinishTabCall = { fence: number; result: ToolResult };

export type AskFromTab = { fence: number; question: TabQuestion };

/**
 * A run whose loop is in a tab (`POST /api/tabs/{tab}/runs`): the tab holds its lease, and commits to
 * `POST /api/tabs/{tab}/runs/{run}/commit`. As everywhere, nobody hears of what is not stored.
 */
export type StartRunInTab = {
  conversationId: string;
  /** Made by the sender, so that sending again begins no second run. */
  id?: string;
  configuration?: AgentConfiguration;
} & (
  | {
      parts: UserPart[];
      /** What it follows; absent: the current leaf. */
      parentId?: string | null;
    }
  /** Goes on where the answer was cut that ends in this message, the last one of the branch that is shown. */
  | { continues: string }
  /** Answers anew what this answer is of, as a branch beside it. */
  | { regenerates: string }
);

/**
 * How a tab and its server speak of runs. A page stays open while its server is made new: one that speaks an older way
 * is told so, before it writes anything.
 */
export const TAB_RUNS_VERSION = 3;

/** What a tab sends that begins, takes over or writes a run. */
export type FromTab<T extends object> = T & { v: typeof TAB_RUNS_VERSION };

/** All that a tab needs to go on with a run. */
export type HeldRun = {
  run: RunRecord;
  message: UserMessage | null;
  fence: number;
  attempt: number;
  /** Where it stands, as it is stored with each step. */
  state: JsonObject;
  configuration: ResolvedAgentConfiguration;
  model: ModelReference;
  /** What is known of the model: what it can take, in tokens, and what it reads beside text. */
  abilities: { contextWindow?: number; inputs?: ModelInput[] };
  /** The branch it works on. */
  messages: Message[];
  ledger: LedgerEntry[];
  wishes: TabRunWishes;
};

/** `held` null: it rests, and waits for a person. */
export type TakenRun = { held: HeldRun | null };

/** What one run has to write; see {@link RunCommit}. */
export type CommitFromTab = Pick<
  RunCommit,
  | 'fence'
  | 'baseSeq'
  | 'events'
  | 'state'
  | 'status'
  | 'messages'
  | 'leaf'
  | 'ledger'
  | 'interrupts'
  | 'taken'
  | 'release'
> & {
  /** Which one it is under its fence, from 1: the last one may be sent again, and is answered the same. */
  number: number;
  /** Calls of tools; those of models are counted where they are made. */
  usage?: readonly Extract<UsageEntry, { kind: 'tool' }>[];
  /** What goes along with its requests, each under the SHA-256 of its canonical JSON; told once by whoever is at work. */
  preludes?: readonly { id: string; prelude: RequestPrelude }[];
};

/** It is stored, now or by an earlier sending of the same. */
export type CommittedFromTab = { lastSeq: number; inboxWaits: boolean };

/** What was said to the run, and what counts for its next step. */
export type TabRunWishes = {
  /** It is to end. */
  stops: boolean;
  /** Items that ask it to stop; they are taken with its end. */
  cancels: string[];
  answers: { itemId: string; interruptId: string; answer: InterruptAnswer }[];
  /** Queued messages it is to take in before its next step; `parts` null: taken back. */
  steers: { itemId: string; queuedMessageId: string; parts: UserPart[] | null }[];
  permissions: PermissionView[];
  /** Of budgets that more than this run uses, by `budgetKey`. */
  spent: Record<string, Spent>;
};
