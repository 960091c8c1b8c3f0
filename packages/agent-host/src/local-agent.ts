import type {
  InterventionRule,
  Message,
  RunJournal,
  ToolDefinition,
  ToolLedger,
  ToolReference,
  UserMessage,
  UserPart,
} from '@toolyard/protocol';
import { DEFAULT_LIMITS, defined, formatToolReference, ToolyardError, say } from '@toolyard/protocol';
import type { AgentContext } from '@toolyard/agent-runtime';
import { initialState, matchesGlob, readInterventionRules } from '@toolyard/agent-runtime';
import type { McpHost, ServerHealth } from '@toolyard/mcp-host';
import type { ModelInfo } from '@toolyard/model-runtime';
import type { Agent, AgentOptions, Platform, RunOptions } from './agent.ts';
import type { AgentRunOptions } from './agent-run.ts';
import { AgentRun } from './agent-run.ts';
import type { RunCheckpoint } from './checkpoint.ts';
import { CheckpointWriter } from './checkpoint.ts';
import { continuationOf } from './continuation.ts';
import type { FunctionTools } from './functions/function-tools.ts';
import { createInterruptQueue } from './interrupt-handlers.ts';
import { createRunHost } from './create-run-host.ts';
import { memoryLedger } from './in-memory/ledger.ts';
import type { MemoryConversation } from './in-memory/conversation.ts';
import { MemoryUsage } from './in-memory/usage.ts';
import type { ResolvedModel } from './model-choice.ts';
import { resolveModel } from './model-choice.ts';
import type { AskApproval, ApprovalMode, AskUser } from './run-host.ts';
import { hostTools } from './host-tools.ts';
import type { ToolSource } from './run-tool-set.ts';

/** An agent whose loop runs in this process. */
export class LocalAgent implements Agent {
  readonly #options: AgentOptions;
  readonly #platform: Platform;
  readonly #host: McpHost;
  readonly #functions: FunctionTools;
  readonly #tools: ToolSource;
  readonly #conversation: MemoryConversation;
  readonly #log: (line: string) => void;
  /** Stored decisions by `server/tool`. */
  readonly #permissions = new Map<string, 'allow' | 'never'>();
  readonly #rules: InterventionRule[];
  readonly #usage: MemoryUsage;
  readonly #checkpoints: CheckpointWriter | null;
  /** The run that an earlier process did not end. */
  #interrupted: RunCheckpoint | null;
  #model: ResolvedModel;
  #current: AgentRun | null = null;
  #closing: Promise<void> | null = null;

  constructor(
    options: AgentOptions,
    platform: Platform,
    host: McpHost,
    functions: FunctionTools,
    conversation: MemoryConversation,
    interrupted: RunCheckpoint | null,
    log: (line: string) => void,
  ) {
    this.#options = options;
    this.#platform = platform;
    this.#host = host;
    this.#functions = functions;
    this.#tools = hostTools({ host });
    this.#conversation = conversation;
    this.#checkpoints = options.store ? new CheckpointWriter(options.store, platform.clock, conversation) : null;
    this.#interrupted = interrupted;
    this.#log = log;
    this.#rules = readInterventionRules(options.rules ?? []);
    this.#usage = new MemoryUsage(platform.clock);
    this.#model = resolveModel(options.model, platform);
    if (options.instructions !== undefined) {
      conversation.instruct({
        id: platform.ids.next(),
        parentId: null,
        createdAt: platform.clock.now(),
        role: 'system',
        parts: [{ type: 'text', text: options.instructions }],
      });
    }
  }

  get provider(): string {
    return this.#model.runtime.provider;
  }

  get model(): string {
    return this.#model.id;
  }

  get servers(): readonly ServerHealth[] {
    return this.#host.health();
  }

  get tools(): readonly ToolDefinition[] {
    return this.#host.select('all').tools();
  }

  get messages(): readonly Message[] {
    return this.#conversation.messages();
  }

  get isInterrupted(): boolean {
    return this.#interrupted !== null;
  }

  models(): Promise<ModelInfo[]> {
    return this.#model.runtime.models();
  }

  useModel(id: string): void {
    this.#model = { ...this.#model, id };
  }

  clear(): void {
    this.#refuseWhileRunning();
    this.#conversation.clear();
    this.#usage.clear();
    this.#interrupted = null;
    this.#checkpoints?.commitConversation().catch(this.#onDefect);
  }

  run(input: string | UserPart[], runOptions: RunOptions = {}): AgentRun {
    this.#refuseClosed();
    this.#refuseWhileRunning();
    this.#interrupted = null;
    const { clock, ids } = this.#platform;
    const conversation = this.#conversation;
    const message: UserMessage = {
      id: ids.next(),
      parentId: conversation.leafId,
      createdAt: clock.now(),
      role: 'user',
      parts: typeof input === 'string' ? [{ type: 'text', text: input }] : input,
    };
    const firstMessage = conversation.messages().length;
    conversation.add(message);
    return this.#start({ message, firstMessage, context: { phase: 'user_input' } }, runOptions);
  }

  continue(runOptions: RunOptions = {}): AgentRun {
    this.#refuseClosed();
    this.#refuseWhileRunning();
    if (this.#interrupted) return this.#resume(this.#interrupted, runOptions);
    const conversation = this.#conversation;
    const { message, how } = continuationOf(conversation.messages(), this.#model.runtime.canContinue === true);
    const firstMessage = conversation.messages().length;
    if (how.kind !== 'same')
      return this.#start({ message, firstMessage, context: { phase: 'user_input' } }, runOptions);
    conversation.remove(how.cut.id);
    const context = { phase: 'user_input' as const, continues: { parts: how.parts } };
    return this.#start({ message, firstMessage: firstMessage - 1, context }, runOptions);
  }

  #start(
    { message, firstMessage, context }: { message: UserMessage; firstMessage: number; context: AgentContext },
    runOptions: RunOptions,
  ): AgentRun {
    const { clock, ids } = this.#platform;
    const { id: conversationId } = this.#conversation;
    const { id: model } = this.#model;
    const limits = { ...DEFAULT_LIMITS, ...this.#options.limits };
    const state = initialState({ runId: ids.next(), conversationId, startedAt: clock.now(), limits });
    const onStart = (journal: RunJournal): void =>
      journal.append({ type: 'run_started', conversationId, place: 'process', model, message });
    return this.#execute({ point: { state, context }, firstMessage, ledger: [], onStart }, runOptions);
  }

  /** The step in which the process ended is repeated. Calls that were sent then and may not be repeated are in doubt. */
  #resume({ point, seq, attempt, firstMessage, ledger, savedAt }: RunCheckpoint, runOptions: RunOptions): AgentRun {
    this.#interrupted = null;
    // The time in which no process had the run does not count towards its time limit.
    const startedAt = point.state.startedAt + Math.max(0, this.#platform.clock.now() - savedAt);
    const resumed = { ...point, state: { ...point.state, startedAt } };
    const interrupted = { seq, attempt };
    return this.#execute({ point: resumed, interrupted, firstMessage, ledger, onStart: () => undefined }, runOptions);
  }

  #execute(
    {
      ledger: entries,
      ...of
    }: Pick<AgentRunOptions, 'point' | 'interrupted' | 'firstMessage' | 'onStart'> & Pick<RunCheckpoint, 'ledger'>,
    runOptions: RunOptions,
  ): AgentRun {
    const { clock, ids, failpoint } = this.#platform;
    const checkpoints = this.#checkpoints;
    const { firstMessage } = of;
    const ledger = checkpoints?.openLedger(of.point.state.runId, entries) ?? memoryLedger;
    const run = new AgentRun({
      ...of,
      save: checkpoints ? (saved) => checkpoints.commit({ ...saved, firstMessage }) : undefined,
      clock,
      ids,
      conversation: this.#conversation,
      host: (parts) => this.#runHost(parts, ledger),
      signal: runOptions.signal,
      failpoint,
      onDefect: this.#onDefect,
    });
    this.#current = run;
    const over = (): void => {
      if (this.#current === run) this.#current = null;
    };
    run.result.then(over, over);
    return run;
  }

  /** A model that is selected later applies to the next run. */
  #runHost(
    { journal, signal }: Parameters<AgentRunOptions['host']>[0],
    ledger: ToolLedger,
  ): ReturnType<AgentRunOptions['host']> {
    const {
      approve,
      askUser,
      askBudget,
      intervention,
      interrupts,
      budgets = [],
      contextWindow,
      inputs,
    } = this.#options;
    const { policy, clock } = this.#platform;
    const { runtime, id: modelId, knownModels } = this.#model;
    const known = knownModels.find(({ id }) => id === modelId);
    const isCounted = budgets.length > 0;
    return createRunHost(
      {
        configuration: {
          intervention: intervention ?? (approve ? 'manual' : 'headless'),
          interventionRules: this.#rules,
          parameters: this.#options.parameters ?? {},
          toolMode: this.#options.toolMode ?? 'native',
        },
        modelId,
        asks: approve !== undefined,
        conversation: this.#conversation,
        journal,
        ledger,
        clock,
        signal,
        approvalMode: getApprovalMode(approve, askUser),
        interrupts: interrupts ? createInterruptQueue(interrupts) : { mode: 'decline' },
        askBudget,
        remember: (tool, { decision }, definition) => this.#remember(tool, decision, definition),
        used: isCounted ? (entry) => this.#usage.add(entry) : undefined,
        onDefect: this.#onDefect,
      },
      {
        model: runtime,
        abilities: { contextWindow: contextWindow ?? known?.contextWindow, inputs: inputs ?? known?.inputs },
        sources: [this.#tools],
        functions: this.#functions,
        permission: (tool) => this.#findPermission(formatToolReference(tool)),
        callContext: policy,
        budgets: isCounted
          ? { budgets, spent: (budget) => this.#usage.spent(budget), refresh: () => undefined }
          : undefined,
      },
    );
  }

  readonly #onDefect = (thrown: unknown): void =>
    this.#log(`defect: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const run = this.#current;
    run?.cancel();
    await run?.result.catch(() => {});
    await this.#checkpoints?.idle();
    await this.#host.close();
    for (const { id } of this.#host.health()) this.#log(`${id}: disconnected`);
  }

  #refuseClosed(): void {
    if (this.#closing) throw new ToolyardError({ code: 'bad_request', message: 'This agent is closed.' });
  }

  #refuseWhileRunning(): void {
    if (!this.#current) return;
    throw new ToolyardError({
      code: 'bad_request',
      message: say`A run of this conversation is still in progress.`,
      hint: say`Wait for its result, or cancel it first.`,
    });
  }

  /** An approval applies to the definition of that time: a tool that changes is asked about again. */
  #remember(tool: ToolReference, decision: 'approve' | 'refuse', definition: string | undefined): void {
    this.#permissions.set(formatToolReference(tool), decision === 'approve' ? 'allow' : 'never');
    if (decision === 'approve' && definition !== undefined) this.#host.approveTool(tool, definition);
  }

  #findPermission(reference: string): 'allow' | 'never' | undefined {
    const isAllowed = this.#options.allow?.some((pattern) => matchesGlob(pattern, reference));
    return this.#permissions.get(reference) ?? (isAllowed === true ? 'allow' : undefined);
  }
}

function getApprovalMode(ask: AskApproval | undefined, askUser: AskUser | undefined): ApprovalMode {
  if (!ask && !askUser) return { mode: 'decline' };
  return {
    mode: 'ask',
    ask: ask ?? (() => Promise.resolve({ decision: 'refuse' })),
    ...defined({ askUser }),
  };
}
