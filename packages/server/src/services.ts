import type { RunTools } from '@toolyard/agent-host';
import type { RaisedBudget } from './config/raised-budget.ts';
import type { SignInResponse } from '@toolyard/mcp-host';
import type { ModelRuntime } from '@toolyard/model-runtime';
import type {
  AgentConfiguration,
  CommitFromTab,
  CommittedFromTab,
  LeasedTabRun,
  StartRunInTab,
  TabRunInbox,
  AnswerKeeps,
  ApprovalInterrupt,
  AddMcpServer,
  ApproveMcpEntry,
  CallMcpTool,
  CompleteMcpArgument,
  ContinueConversation,
  ContinuedConversation,
  EditMcpServer,
  GetMcpPrompt,
  McpCompletion,
  McpEntryApproval,
  McpFilledPrompt,
  McpLogPage,
  McpPromptList,
  McpResourceContents,
  McpResourceView,
  McpServerConfiguration,
  McpServerList,
  McpTemplateView,
  McpTestReport,
  McpToolDetail,
  TestMcpServer,
  ToolResult,
  ChangeMcpServer,
  ChangeProvider,
  ChangeQueuedMessage,
  CreateProvider,
  InterruptAnswer,
  LiveEvent,
  McpServerView,
  McpSignInStarted,
  ModelReference,
  ModelsView,
  ModelView,
  Price,
  Owner,
  ProviderPresetView,
  ProviderView,
  QueuedMessage,
  Regenerate,
  ResolvedAgentConfiguration,
  RunEvent,
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
 * What the doors of the server (HTTP now, others later) work with. Every method that names a principal sees that
 * owner's things only; what is not there, or somebody else's, is a ToolyardError `not_found`. What cannot be done in
 * the present state of things is `conflict`.
 */

/** Starts runs, keeps them going, and takes what people have to say to them. */
export type RunService = RunsInTabs & {
  send(principal: Owner, conversationId: string, message: SendMessage): Promise<SentMessage>;
  /** `conflict` where another run is under way or the conversation has gone on, `bad_request` where nothing was cut. */
  continue(principal: Owner, conversationId: string, request: ContinueConversation): Promise<ContinuedConversation>;
  regenerate(principal: Owner, conversationId: string, request: Regenerate): Promise<{ run: RunRecord }>;
  /** Resolves when the wish is stored; a run that is over stays as it is. */
  cancel(principal: Owner, runId: string): Promise<RunRecord>;
  /**
   * Lets a run go on: one that rests and has its answers, or, by another run, one that failed or was cancelled. Asked
   * again it gives the same run. `conflict` where there is nothing to go on with, or questions are open.
   */
  resume(principal: Owner, runId: string): Promise<RunRecord>;
  /**
   * `conflict` where it was answered or withdrawn, `bad_request` where the answer does not fit its kind. `shown`: what was
   * answered; `conflict` where that is not what is asked.
   */
  answer(principal: Owner, interruptId: string, answer: InterruptAnswer, shown?: ShownCall): Promise<StoredInterrupt>;
  /** Somebody has signed in to a server: calls that waited for that are made again. */
  signedIn(principal: Owner, serverId: string): Promise<void>;
  /** A tab that has these tools is there: calls of the conversation that waited for one are made. */
  tabCame(principal: Owner, conversationId: string, has: (tool: ToolReference) => boolean): Promise<void>;
  /** A tab brought the result of a call; where a person was asked what became of it, this is the answer. */
  tabReturned(principal: Owner, call: { runId: string; callId: string }, result: ToolResult): Promise<void>;
  changeQueued(
    principal: Owner,
    conversationId: string,
    id: string,
    change: ChangeQueuedMessage,
  ): Promise<QueuedMessage>;
  removeQueued(principal: Owner, conversationId: string, id: string): Promise<void>;
  /** Stops what is under way and sends this one at once. */
  sendQueued(principal: Owner, conversationId: string, id: string): Promise<void>;
};

/** Runs whose loop is in a tab. */
export type RunsInTabs = {
  /** `conflict` where another run is under way in the conversation. */
  startInTab(principal: Owner, tabId: string, request: StartRunInTab): Promise<LeasedTabRun>;
  /** A tab takes a run over, from whichever tab has it; null where it waits for a person. */
  takeInTab(principal: Owner, tabId: string, runId: string): Promise<LeasedTabRun | null>;
  /** The tab is at work on it. Gives what was said to the run; `conflict` where it is not the tab's any more. */
  renewInTab(principal: Owner, tabId: string, runId: string, fence: number): Promise<TabRunInbox>;
  /** `conflict` where the run is not the tab's any more. Its last one may be sent again. */
  commitFromTab(principal: Owner, runId: string, commit: CommitFromTab): Promise<CommittedFromTab>;
};

/** What happens now, told to whoever listens in this process. Runs are told only of what is committed. */
export type LiveHub = {
  runEvents(ownerId: string, events: readonly RunEvent[]): void;
  /** `ownerId` null: tells everybody. */
  changed(ownerId: string | null, what: Extract<LiveEvent, { type: 'changed' }>['what'], id?: string): void;
};

/** Streams that miss nothing: first what is stored after the cursor, then what comes. They end with the signal. */
export type LiveStreams = {
  /**
   * The events of one run with a seq above `afterSeq`, in batches, up to its `run_finished`. Null where the owner has
   * no such run.
   */
  readRun(
    principal: Owner,
    runId: string,
    afterSeq: number,
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly RunEvent[]> | null>;
  /** Everything of one owner; `cursor` is what {@link LiveBatch.cursor} was last. An unreadable one counts as none. */
  readAll(principal: Owner, cursor: string | null, signal: AbortSignal): AsyncIterable<LiveBatch>;
};

export type LiveBatch = {
  events: readonly LiveEvent[];
  /** Stands for everything up to and including this batch. */
  cursor: string;
};

/** Layers of configuration, joined in one place. */
export type Configurations = {
  /** default < agent < conversation < run. `not_found` where there is no such agent. */
  resolve(
    principal: Owner,
    layers: { agentId: string | null; conversation?: AgentConfiguration; run?: AgentConfiguration },
  ): Promise<ResolvedAgentConfiguration>;
  /**
   * Where a budget that somebody raised beyond one run is to be kept; calling what is given back keeps it there.
   * `bad_request` where it is set where nothing can be changed from here.
   */
  whereToRaise(
    principal: Owner,
    conversationId: string,
    scope: 'conversation' | 'always',
    raised: RaisedBudget,
  ): Promise<AnswerKeeps>;
};

/** What of a model decides what it is sent. */
export type ModelAbilitiesService = Pick<ModelView, 'contextWindow' | 'inputs'>;

/** Providers, their keys and their models. */
export type Models = {
  /** `refresh` asks the providers again instead of telling what is known. */
  list(principal: Owner, options?: { refresh?: boolean; signal?: AbortSignal }): Promise<ModelsView>;
  /** `model_not_found` where there is no such provider. */
  open(principal: Owner, model: ModelReference): Promise<ModelRuntime>;
  /** What the model costs; undefined where nobody knows. Never throws. */
  price(principal: Owner, model: ModelReference): Promise<Price | undefined>;
  /**
   * What the model can take and read, as far as that is known; `ask`: its provider is asked where nothing is known yet.
   * Never throws.
   */
  facts(principal: Owner, model: ModelReference, options?: { ask?: boolean }): Promise<ModelAbilitiesService>;
  providers(principal: Owner): Promise<ProviderView[]>;
  /** Those known by name, of whom only a key is wanted. */
  known(): Promise<ProviderPresetView[]>;
  create(principal: Owner, provider: CreateProvider): Promise<ProviderView>;
  change(principal: Owner, id: string, change: ChangeProvider): Promise<ProviderView>;
  remove(principal: Owner, id: string): Promise<void>;
  /** Never throws for what the address does. */
  test(principal: Owner, request: TestProvider, signal?: AbortSignal): Promise<TestedProvider>;
};

/** The MCP servers of this process, as people and programs deal with them. */
export type McpServers = {
  list(principal: Owner): Promise<McpServerList>;
  /** `conflict` where there is one of that id. */
  add(principal: Owner, server: AddMcpServer): Promise<McpServerView>;
  /** How it stands in `mcp.json`; `conflict` for one that does not stand there. */
  configuration(principal: Owner, id: string): Promise<McpServerConfiguration>;
  edit(principal: Owner, id: string, edit: EditMcpServer): Promise<McpServerView>;
  remove(principal: Owner, id: string): Promise<void>;
  /** Its entry in `mcp.json` as it is to be approved; `conflict` if it needs no approval. */
  approval(principal: Owner, id: string): Promise<McpEntryApproval>;
  /** Approves the entry; `conflict` if it is another one by now. */
  approveEntry(principal: Owner, id: string, approved: ApproveMcpEntry): Promise<McpServerView>;
  change(principal: Owner, id: string, change: ChangeMcpServer): Promise<McpServerView>;
  /** Never throws for what the server does. */
  test(principal: Owner, request: TestMcpServer, signal?: AbortSignal): Promise<McpTestReport>;
  reconnect(principal: Owner, id: string): Promise<McpServerView>;
  log(principal: Owner, id: string, after?: string): Promise<McpLogPage>;
  tools(principal: Owner, id: string): Promise<McpToolDetail[]>;
  /** Never throws for what server or tool do. */
  call(principal: Owner, id: string, call: CallMcpTool, signal?: AbortSignal): Promise<ToolResult>;
  resources(principal: Owner, id: string): Promise<McpResourceView[]>;
  templates(principal: Owner, id: string): Promise<McpTemplateView[]>;
  read(principal: Owner, id: string, uri: string, signal?: AbortSignal): Promise<McpResourceContents>;
  prompts(principal: Owner): Promise<McpPromptList>;
  getPrompt(principal: Owner, id: string, prompt: GetMcpPrompt, signal?: AbortSignal): Promise<McpFilledPrompt>;
  complete(principal: Owner, id: string, request: CompleteMcpArgument, signal?: AbortSignal): Promise<McpCompletion>;
};

/** Signing in to MCP servers. */
export type McpSignIns = {
  /** Where a person signs in to it; they come back to `redirectUrl`. */
  signIn(principal: Owner, id: string, redirectUrl: string): Promise<McpSignInStarted>;
  /** Whoever brings a state of ours may finish that sign-in. Gives the server it was. */
  finishSignIn(response: SignInResponse): Promise<string>;
  signOut(principal: Owner, id: string): Promise<McpServerView>;
};

/** The MCP servers of this process, also as runs use them. */
export type Servers = McpServers &
  McpSignIns & {
    /**
     * From now on the tool is called unasked only as long as it is what was shown with a question, or, without one, what
     * it is now.
     */
    approve(of: Pick<ApprovalInterrupt, 'tool' | 'definition'>): void;
    isConfigured(id: string): boolean;
    /**
     * The enabled local servers that run without a sandbox, but for those that ship with Toolyard. `chosen` switches some
     * on or off.
     */
    unsandboxed(chosen?: Readonly<Record<string, boolean>>): Promise<string[]>;
    /** Calls back when a server that wanted a sign-in is ready. */
    onSignedIn(listener: (serverId: string) => void): void;
    /** Waits, bounded, for servers of this configuration that are still connecting. */
    select(configuration: ResolvedAgentConfiguration, signal: AbortSignal): Promise<RunTools>;
    close(): Promise<void>;
  };
