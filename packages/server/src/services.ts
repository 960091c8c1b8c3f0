import type { DelegatedTask } from '@toolyard/agent-runtime';
import type { ToolSource } from '@toolyard/agent-host';
import type { RaisedBudget } from './config/raised-budget.ts';
import type { RunStarter } from './runs/worker/stored-run.ts';
import type { ListedSkill, SkippedItem, ToolHost } from '@toolyard/mcp-host';
import type { ModelRuntime } from '@toolyard/model-runtime';
import type {
  AgentConfiguration,
  CommitFromTab,
  CommittedFromTab,
  LeasedTabRun,
  StartRunInTab,
  MadeTabToolCall,
  ReadTabTools,
  StartTabSubAgents,
  TabRunInbox,
  TabRunTools,
  TabSubAgentResults,
  AnswerSideEffect,
  ApprovalInterrupt,
  ContinueConversation,
  ContinuedConversation,
  McpPromptList,
  McpResourceView,
  McpTemplateView,
  McpToolDetail,
  ToolResult,
  ChangeProvider,
  ChangeQueuedMessage,
  CreateProvider,
  InterruptAnswer,
  LiveEvent,
  ModelReference,
  ModelsView,
  ModelView,
  NewRunWebhook,
  Price,
  Owner,
  ProviderPresetView,
  ProviderView,
  QueuedMessage,
  Regenerate,
  ResolvedAgentConfiguration,
  RunEvent,
  RunOrigin,
  RunRecord,
  SendMessage,
  SentMessage,
  ShownCall,
  StoredInterrupt,
  TestedProvider,
  TestProvider,
  ToolReference,
} from '@toolyard/protocol';

/**
 * The services behind every interface of the server. A method with a principal accesses only that owner's data; what
 * does not exist or belongs to another owner is a ToolyardError `not_found`, what the current state does not allow is
 * `conflict`.
 */

/** The wait of a run for servers. */
export type ServerWait = {
  /** Aborted to wait no longer. */
  skip?: AbortSignal;
  /** Called with the servers if the run has to wait. */
  onAwaited?: (serverIds: string[]) => void;
};

/** Starts, resumes and cancels runs, and accepts messages and answers for them. */
export type RunService = RunsInTabs & {
  /** A message that is queued is sent later as the owner's: `start` applies to a run that starts now. */
  send(principal: Owner, conversationId: string, message: SendMessage, start?: RunStart): Promise<SentMessage>;
  /**
   * `conflict` if another run is in progress or the conversation has newer messages, `bad_request` if nothing was cut
   * off.
   */
  continue(principal: Owner, conversationId: string, request: ContinueConversation): Promise<ContinuedConversation>;
  /** Makes a call in the text of the last answer; the run asks about it first. */
  makeCall(
    principal: Owner,
    conversationId: string,
    call: { messageId: string; index?: number },
    starter?: RunStarter,
  ): Promise<{ run: RunRecord }>;
  regenerate(principal: Owner, conversationId: string, request: Regenerate): Promise<{ run: RunRecord }>;
  /** Resolves when the cancellation is stored; a run that has ended does not change. */
  cancel(principal: Owner, runId: string): Promise<RunRecord>;
  /** The run waits no longer for MCP servers; one that does not wait does not change. */
  skipServers(principal: Owner, runId: string): Promise<RunRecord>;
  /**
   * Resumes a parked run whose interrupts were answered, or starts a new run for one that failed or was cancelled.
   * Idempotent: called again it returns the same run. `conflict` if there is nothing to resume or interrupts are open.
   */
  resume(principal: Owner, runId: string): Promise<RunRecord>;
  /** Pauses the run of a group before its next round. `conflict` for any other run, or one that has ended. */
  pause(principal: Owner, runId: string): Promise<RunRecord>;
  /**
   * `conflict` if it was answered or withdrawn, `bad_request` if the answer does not fit its kind. `shown`: the call
   * that the user saw; `conflict` if it has changed since.
   */
  answer(principal: Owner, interruptId: string, answer: InterruptAnswer, shown?: ShownCall): Promise<StoredInterrupt>;
  /** The user signed in to a server: retries the calls that waited for it. */
  signedIn(principal: Owner, serverId: string): Promise<void>;
  /** A tab offers these tools: makes the calls of the conversation that waited for one of them. */
  resumeForTab(principal: Owner, conversationId: string, has: (tool: ToolReference) => boolean): Promise<void>;
  /** A tab reported the result of a call. If the call was in doubt, the result answers its interrupt. */
  tabReturned(principal: Owner, call: { runId: string; callId: string }, result: ToolResult): Promise<void>;
  changeQueued(
    principal: Owner,
    conversationId: string,
    id: string,
    change: ChangeQueuedMessage,
  ): Promise<QueuedMessage>;
  removeQueued(principal: Owner, conversationId: string, id: string): Promise<void>;
  /** Cancels the run in progress and sends the queued message. */
  sendQueued(principal: Owner, conversationId: string, id: string): Promise<void>;
};

/** What starts a run, if not the user, and the webhook of this run. */
export type RunStart = { origin?: RunOrigin; starter?: RunStarter; webhook?: NewRunWebhook };

/** Runs whose loop executes in a browser tab. */
export type RunsInTabs = {
  /** `conflict` if another run is in progress in the conversation. */
  startInTab(principal: Owner, tabId: string, request: StartRunInTab, starter?: RunStarter): Promise<LeasedTabRun>;
  /** Claims a run for a tab, replacing its current tab; null if it waits for the user. */
  takeInTab(principal: Owner, tabId: string, runId: string): Promise<LeasedTabRun | null>;
  /** Renews the lease. Returns the messages for the run; `conflict` if the tab no longer has the lease. */
  renewInTab(principal: Owner, tabId: string, runId: string, fence: number): Promise<TabRunInbox>;
  /** `conflict` if the tab no longer has the lease. The last commit may be sent again. */
  commitFromTab(
    principal: Owner,
    runId: string,
    commit: CommitFromTab,
    sender: { tabId: string; starter?: RunStarter | undefined },
  ): Promise<CommittedFromTab>;
  /**
   * Starts child runs on the server. Idempotent: called again with the same call, it finds the runs. `conflict` if the
   * tab no longer has the lease.
   */
  startSubAgentsInTab(
    principal: Owner,
    tabId: string,
    runId: string,
    request: StartTabSubAgents,
  ): Promise<{ items: DelegatedTask[] }>;
  /**
   * The tools that the server has for the run, and its verdicts about calls. `conflict` if the tab no longer has the
   * lease.
   */
  readToolsInTab(principal: Owner, tabId: string, runId: string, request: ReadTabTools): Promise<TabRunTools>;
  /**
   * Makes a call that the run has stored, if the server allows it, or waits for it. Idempotent. `conflict` if the tab no
   * longer has the lease.
   */
  makeCallInTab(
    principal: Owner,
    tabId: string,
    call: { runId: string; callId: string },
    fence: number,
  ): Promise<MadeTabToolCall>;
  /** The results of child runs, in the order of their ids. */
  readSubAgentsInTab(principal: Owner, runId: string, childIds: readonly string[]): Promise<TabSubAgentResults>;
};

/** Publishes events to the subscribers in this process. Events of runs are published only after their commit. */
export type LiveHub = {
  runEvents(ownerId: string, events: readonly RunEvent[]): void;
  /** `ownerId` null: notifies the subscribers of every owner. */
  changed(ownerId: string | null, what: Extract<LiveEvent, { type: 'changed' }>['what'], id?: string): void;
};

/**
 * Streams without gaps: first the stored events after the cursor, then live ones. They end when the signal is aborted.
 */
export type LiveStreams = {
  /**
   * The events of one run with a seq above `afterSeq`, in batches, up to its `run_finished`. Null if the owner has no
   * such run.
   */
  readRun(
    principal: Owner,
    runId: string,
    afterSeq: number,
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly RunEvent[]> | null>;
  /** All events of one owner; `cursor` is the last {@link LiveBatch.cursor} received. An unreadable one is ignored. */
  readAll(principal: Owner, cursor: string | null, signal: AbortSignal): AsyncIterable<LiveBatch>;
};

export type LiveBatch = {
  events: readonly LiveEvent[];
  /** Position after this batch. */
  cursor: string;
};

export type ConfigurationLayers = {
  agentId: string | null;
  /**
   * The agent is not that of the conversation: it answers one message. Its layer is then above that of the
   * conversation, whose approval mode and workspace still apply.
   */
  answersOnce?: boolean;
  conversation?: AgentConfiguration;
  run?: AgentConfiguration;
};

/** Merges the layers of configuration. */
export type Configurations = {
  /** default < agent < conversation < run. An agent that was deleted counts as none. */
  resolve(principal: Owner, layers: ConfigurationLayers): Promise<ResolvedAgentConfiguration>;
  /**
   * Finds where a budget that the user raised beyond one run is stored; the returned function stores it there.
   * `bad_request` if it is set where the API cannot change it.
   */
  whereToRaise(
    principal: Owner,
    conversationId: string,
    scope: 'conversation' | 'always',
    raised: RaisedBudget,
  ): Promise<AnswerSideEffect>;
};

/** The properties of a model that determine its requests. */
export type ModelAbilitiesService = Pick<ModelView, 'contextWindow' | 'inputs'>;

/** Providers, their keys and their models. */
export type Models = {
  /** `refresh` queries the providers instead of using the cache. */
  list(principal: Owner, options?: { refresh?: boolean; signal?: AbortSignal }): Promise<ModelsView>;
  /** `model_not_found` if there is no such provider. */
  open(principal: Owner, model: ModelReference): Promise<ModelRuntime>;
  /** Price of the model; undefined if unknown. Never throws. */
  price(principal: Owner, model: ModelReference): Promise<Price | undefined>;
  /**
   * Context window and input types of the model, as far as known. `ask`: queries the provider if nothing is known.
   * Never throws.
   */
  abilities(principal: Owner, model: ModelReference, options?: { ask?: boolean }): Promise<ModelAbilitiesService>;
  providers(principal: Owner): Promise<ProviderView[]>;
  /** Known services that need only an API key. */
  known(): Promise<ProviderPresetView[]>;
  create(principal: Owner, provider: CreateProvider): Promise<ProviderView>;
  change(principal: Owner, id: string, change: ChangeProvider): Promise<ProviderView>;
  remove(principal: Owner, id: string): Promise<void>;
  /** Never throws for errors of the endpoint. */
  test(principal: Owner, request: TestProvider, signal?: AbortSignal): Promise<TestedProvider>;
};

/** Skills that a server lists (SEP-2640). */
export type ListedSkills = { skills: ListedSkill[]; skipped: SkippedItem[] };
/** A file of a skill: the URIs of its `SKILL.md` and of the file. */
export type SkillFileOf = { uri: string; path: string };

/** Lists of what MCP servers offer. */
export type ServerLists = {
  /** @throws ToolyardError if the server cannot be connected */
  tools(principal: Owner, id: string): Promise<McpToolDetail[]>;
  resources(principal: Owner, id: string): Promise<McpResourceView[]>;
  templates(principal: Owner, id: string): Promise<McpTemplateView[]>;
  /** Those of all servers that are ready. */
  prompts(principal: Owner): Promise<McpPromptList>;
};

/** What runs need of the MCP servers. */
export type RunServers = {
  /**
   * Pins the tool to the definition shown with the interrupt, or else to its current one: it is called without approval
   * only while unchanged.
   */
  approve(of: Pick<ApprovalInterrupt, 'tool' | 'definition'>): void;
  /**
   * The enabled local servers that run without a sandbox, except bundled ones. `chosen` overrides which are enabled.
   */
  unsandboxed(chosen?: Readonly<Record<string, boolean>>): Promise<string[]>;
  /** Calls back when a server that required a sign-in is ready. */
  onSignedIn(listener: (serverId: string) => void): void;
  /** Waits, up to a time limit, for servers of this configuration that connect for the first time. */
  select(
    configuration: ResolvedAgentConfiguration,
    signal: AbortSignal,
    wait?: ServerWait,
  ): Promise<ToolHost & ToolSource>;
  close(): Promise<void>;
};
