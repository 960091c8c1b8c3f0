import { untrack } from 'svelte';
import type {
  AgentConfiguration,
  AgentReference,
  AgentView,
  ContextFill,
  InterruptAnswer,
  RunRecord,
  SendMessage,
  SentMessage,
  StartRunInTab,
  ShownCall,
  UserMessage,
  UserPart,
} from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { ApiError } from '../../api/error.ts';
import { withTurns } from '../../groups/member-turns.svelte.ts';
import { userMessageBefore, findRow, lastMessageId, lastRunId, lastToRetry } from '../../transcript/find-row.ts';
import {
  NO_ROWS,
  beginRun,
  forgetSending,
  isActive,
  newTranscript,
  openTranscript,
  rowList,
  showSending,
} from '../../transcript/transcript.ts';
import type { RowList, RunState } from '../../transcript/transcript.ts';
import { withChange } from './configuration-change.ts';
import type { ConfigurationChange } from './configuration-change.ts';
import { OpenConversation } from './open-conversation.svelte.ts';
import type { OpenConversationDeps } from './open-conversation.svelte.ts';

export type ChatDeps = OpenConversationDeps & {
  /** Navigates to the URL of a conversation just created. */
  goTo: (conversationId: string) => Promise<void>;
  newId: () => string;
  /** Starts the run in this tab if it belongs here; null: on the server. */
  startInTab: (request: StartRunInTab) => Promise<RunRecord | null>;
  /** Announces to the server which tools this tab provides to the conversation, before a run starts. */
  announceTools: (conversationId: string) => Promise<void>;
  now: () => number;
};

type SendOptions = {
  whenBusy?: NonNullable<SendMessage['whenBusy']>;
  /** The agent that answers this message, instead of the conversation's. */
  agent?: AgentReference;
};
type PostOptions = SendOptions & Pick<SendMessage, 'parentId'> & { isBehindQueue?: boolean };

/** The open conversation, or a new chat without one, and its actions. */
export class ChatStore extends OpenConversation {
  readonly #deps: ChatDeps;
  /** Configuration chosen for a new chat, until its first message creates the conversation. */
  #chosen: AgentConfiguration = $state.raw({});
  /** The agent of a new chat. */
  #agent: AgentView | null = $state.raw(null);
  #choosing: Promise<AgentView> | null = null;
  /** The new chat tries out settings: its conversation is not listed and has no URL. */
  #isTest = false;
  #testId: string | null = null;
  /** The conversation was just created; the page has not navigated to its URL yet. */
  #unaddressed = false;
  /** The request that holds the conversation, until its response. */
  #holding: Promise<void> | null = null;
  /** The message that could not be sent. A retry keeps its id, since the message may have arrived. */
  #unsent: { id: string; what: string } | null = null;

  readonly rows: RowList = $derived.by(() =>
    this.transcript === null ? NO_ROWS : rowList(withTurns(this.transcript, this.turns.rows)),
  );
  readonly run: RunState | null = $derived.by(() => this.transcript?.run ?? null);
  /** A run is in progress or about to start. */
  readonly busy: boolean = $derived.by(() => this.held || (this.run !== null && isActive(this.run.status)));
  /** The last run was stopped or failed: the server sends nothing from the queue until someone resumes it. */
  readonly queuePaused: boolean = $derived.by(
    () => !this.busy && this.queue.items.length > 0 && this.run?.status !== 'done',
  );
  readonly configuration: AgentConfiguration = $derived.by(() => this.view?.configuration ?? this.#chosen);

  constructor(deps: ChatDeps) {
    super(deps);
    this.#deps = deps;
  }

  /** The agent chosen for a new chat. */
  get newAgent(): AgentView | null {
    return this.view === null ? this.#agent : null;
  }

  /** Context usage of the last observed request. */
  get fill(): ContextFill | null {
    return this.transcript?.fill ?? null;
  }

  /** The run of the last answer. */
  get lastRunId(): string | null {
    return this.run?.id ?? lastRunId(this.rows);
  }

  get hasEarlier(): boolean {
    return this.transcript?.earlier === true;
  }

  override async open(conversationId: string): Promise<void> {
    return untrack(async () => {
      if (this.id === conversationId && this.error === null) return;
      this.#forget();
      await super.open(conversationId);
    });
  }

  /** Loads again after a failure. */
  async reopen(): Promise<void> {
    if (this.id !== null) await super.open(this.id);
  }

  /** A new chat. */
  close(): void {
    untrack(() => {
      if (this.id === null) return;
      this.#forget();
      this.leave();
    });
  }

  /** A new chat with an agent, or with none. A message sent meanwhile waits for the agent. */
  async chooseAgent(choosing: Promise<AgentView> | null): Promise<void> {
    if (this.view !== null) return;
    this.#choosing = choosing;
    this.#agent = null;
    const agent = await choosing;
    if (this.#choosing === choosing) this.#agent = agent;
  }

  /** A new chat whose conversation is not listed, for trying out settings. */
  startTest(configuration: AgentConfiguration): void {
    this.close();
    this.#isTest = true;
    this.#chosen = configuration;
  }

  /** Deletes the conversation of a test. */
  async endTest(): Promise<void> {
    const id = this.#testId;
    this.#testId = null;
    // Another chat may have been opened meanwhile.
    if (this.#isTest) {
      this.close();
      this.#forget();
    }
    if (id !== null) await this.#deps.api.delete('/api/conversations/{id}', { params: { id } });
  }

  /**
   * Resolves once the server has stored the message. Rejects with an {@link ApiError} if it has not, or may not have; a
   * retry stores it at most once.
   */
  async send(parts: UserPart[], options: SendOptions = {}): Promise<void> {
    const written = this.#newMessage(parts, lastMessageId(this.rows));
    const message: UserMessage = { ...written, ...defined({ mention: options.agent }) };
    if (this.busy) return this.#post(message, options);
    if (this.queue.items.length > 0) return this.#sendBehindQueue(message, options);
    const { visit } = this;
    await this.#hold(async () => {
      try {
        this.transcript = showSending(this.transcript ?? newTranscript(), message);
        if (this.id === null) await this.#create(message);
        await this.#post(message, options);
        if (visit === this.visit) await this.#goToNew();
      } catch (thrown) {
        this.change(visit, (transcript) => forgetSending(transcript, message.id));
        throw thrown;
      }
    });
  }

  /** Sends an edited message in place of an older one; the messages after that one stay as a branch. */
  async editAndSend(messageId: string, parts: UserPart[]): Promise<void> {
    const row = findRow(this.rows, messageId);
    if (row?.kind !== 'user' || this.busy) return;
    const { parentId, mention: agent } = row.message;
    const message = this.#newMessage(parts, parentId);
    await this.#hold(() => this.#post(message, { whenBusy: 'refuse', parentId, ...defined({ agent }) }));
  }

  /** Regenerates the answer that `messageId` belongs to, as a branch beside it. */
  async regenerate(messageId: string): Promise<void> {
    const { id, visit } = this;
    if (id === null || this.busy) return;
    const asked = userMessageBefore(this.rows, messageId);
    await this.#hold(async () => {
      await this.#deps.announceTools(id);
      const body = { messageId };
      const run =
        (await this.#deps.startInTab({ conversationId: id, regenerates: messageId })) ??
        (await this.#deps.api.post('/api/conversations/{id}/regenerate', { params: { id }, body })).run;
      if (asked) this.change(visit, (transcript) => beginRun(transcript, toRunStart(run), asked));
    });
    if (asked === undefined) await this.refresh();
  }

  /** Another agent for the conversation, or none. */
  async changeAgent(agentId: string | null): Promise<void> {
    const { id, visit } = this;
    if (id === null) return;
    const view = await this.#deps.api.patch('/api/conversations/{id}', { params: { id }, body: { agentId } });
    if (visit === this.visit) this.showView(view);
  }

  /** Continues the answer that was cut off and ends in `messageId`: within its text if the model supports that. */
  async continueAnswer(messageId: string): Promise<void> {
    const { id } = this;
    if (id === null || this.busy) return;
    const body = { messageId };
    await this.#hold(async () => {
      await this.#deps.announceTools(id);
      if (await this.#deps.startInTab({ conversationId: id, continues: messageId })) return;
      await this.#deps.api.post('/api/conversations/{id}/continue', { params: { id }, body });
    });
    await this.refresh();
  }

  /** Makes a call in the text of the last answer. It is asked about first. */
  async makeCall(messageId: string, index: number): Promise<void> {
    const { id } = this;
    if (id === null || this.busy) return;
    await this.#hold(async () => {
      const params = { id, message: messageId };
      await this.#deps.announceTools(id);
      await this.#deps.api.post('/api/conversations/{id}/messages/{message}/call', { params, body: { index } });
    });
    await this.refresh();
  }

  /** Retries the last message: it has no answer, or one that failed. */
  async retry(): Promise<void> {
    const last = lastToRetry(this.rows);
    if (last === undefined) return;
    if ('answerId' in last) await this.regenerate(last.answerId);
    else await this.editAndSend(last.message.id, last.message.parts);
  }

  /** Stops the run in progress, or the one that a request just sent starts. */
  async stop(): Promise<void> {
    await this.#holding?.catch(() => undefined);
    const { run } = this;
    if (run === null || !isActive(run.status)) return;
    await this.#deps.api.post('/api/runs/{id}/cancel', { params: { id: run.id } });
  }

  /** Lets the run begin without the servers that it waits for. */
  async skipServers(): Promise<void> {
    const { run } = this;
    if (run === null) return;
    await this.#deps.api.post('/api/runs/{id}/skip-servers', { params: { id: run.id } });
  }

  /** Switches to the branch of a message. */
  async show(messageId: string): Promise<void> {
    const { id, visit } = this;
    if (id === null) return;
    const view = await this.#deps.api.patch('/api/conversations/{id}', { params: { id }, body: { leafId: messageId } });
    if (visit === this.visit) this.showView(view);
  }

  async answer(interruptId: string, answer: InterruptAnswer, shown?: ShownCall): Promise<void> {
    const body = { answer, ...defined({ shown }) };
    try {
      await this.#deps.api.post('/api/interrupts/{id}/answer', { params: { id: interruptId }, body });
    } catch (thrown) {
      // Another client was faster, or it was removed: the current list shows that.
      if (!(thrown instanceof ApiError) || thrown.code !== 'conflict') throw thrown;
      await this.refresh();
    }
  }

  configure(change: ConfigurationChange): Promise<void> {
    return this.replaceConfiguration(withChange(this.configuration, change));
  }

  async replaceConfiguration(configuration: AgentConfiguration): Promise<void> {
    const { view: before, visit } = this;
    if (before === null) {
      this.#chosen = configuration;
      return;
    }
    this.view = { ...before, configuration };
    try {
      const view = await this.#deps.api.patch('/api/conversations/{id}', {
        params: { id: before.id },
        body: { configuration },
      });
      if (visit === this.visit) this.showView(view);
    } catch (thrown) {
      if (visit === this.visit) this.view = before;
      throw thrown;
    }
  }

  #forget(): void {
    this.#chosen = {};
    this.#agent = null;
    this.#choosing = null;
    this.#isTest = false;
    this.#unaddressed = false;
    this.#unsent = null;
  }

  async #hold(work: () => Promise<void>): Promise<void> {
    const { visit } = this;
    this.held = true;
    this.changes += 1;
    const holding = work();
    this.#holding = holding;
    try {
      await holding;
    } finally {
      if (this.#holding === holding) this.#holding = null;
      if (visit === this.visit) this.held = false;
    }
  }

  /** Messages are sent in the order they were written: queued ones go first. */
  async #sendBehindQueue(message: UserMessage, { agent }: SendOptions): Promise<void> {
    await this.#hold(async () => {
      await this.queue.resume();
      await this.#post(message, { whenBusy: 'queue', isBehindQueue: true, ...defined({ agent }) });
    });
  }

  async #create(message: UserMessage): Promise<void> {
    const { visit } = this;
    const agent = await this.#choosing;
    const body = {
      id: this.#deps.newId(),
      configuration: this.#chosen,
      ...defined({ agentId: agent?.id }),
      ...(this.#isTest ? { temporary: true } : {}),
    };
    const view = await this.#deps.api.post('/api/conversations', { body });
    if (visit !== this.visit) return;
    this.#unaddressed = !this.#isTest;
    if (this.#isTest) this.#testId = view.id;
    this.id = view.id;
    this.view = view;
    this.queue.set(view.queue);
    this.transcript = showSending(openTranscript(view), message);
  }

  /** A conversation gets its URL once its first message is stored: a new chat that failed stays a new chat. */
  async #goToNew(): Promise<void> {
    const { id } = this;
    if (!this.#unaddressed || id === null) return;
    this.#unaddressed = false;
    await this.#deps.goTo(id);
  }

  async #post(message: UserMessage, { isBehindQueue = false, agent, ...options }: PostOptions): Promise<void> {
    const { id, visit } = this;
    if (id === null) return;
    const { parts } = message;
    await this.#deps.announceTools(id);
    this.#unsent = { id: message.id, what: JSON.stringify(parts) };
    const body: SendMessage = { id: message.id, parts, ...options, ...defined({ agentId: agent?.id }) };
    const { whenBusy: _whenBusy, ...request } = body;
    // The leaf determines the parent: the rows do not contain tool results.
    const onServer = this.#isRunning || isBehindQueue;
    const run = onServer ? null : await this.#deps.startInTab({ conversationId: id, ...request, id: message.id });
    const sent: SentMessage = run
      ? { run, message }
      : await this.#deps.api.post('/api/conversations/{id}/messages', { params: { id }, body });
    if (visit !== this.visit) return;
    this.#unsent = null;
    if ('run' in sent) {
      this.change(visit, (transcript) => beginRun(transcript, toRunStart(sent.run, agent), sent.message));
      return;
    }
    this.change(visit, (transcript) => forgetSending(transcript, message.id));
    await this.queue.load();
  }

  get #isRunning(): boolean {
    return this.run !== null && isActive(this.run.status);
  }

  #newMessage(parts: UserPart[], parentId: string | null): UserMessage {
    const again = this.#unsent?.what === JSON.stringify(parts) ? this.#unsent.id : undefined;
    return { id: again ?? this.#deps.newId(), parentId, createdAt: this.#deps.now(), role: 'user', parts };
  }
}

function toRunStart(
  run: RunRecord,
  agent?: AgentReference,
): { id: string; status: RunRecord['status']; at: number; agent?: AgentReference } {
  return { id: run.id, status: run.status, at: run.createdAt, ...defined({ agent }) };
}
