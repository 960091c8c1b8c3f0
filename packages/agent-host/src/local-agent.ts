import type {
  InterventionRule,
  Message,
  ToolDefinition,
  ToolReference,
  UserMessage,
  UserPart,
} from '@toolyard/protocol';
import { DEFAULT_LIMITS, formatToolReference, ToolyardError } from '@toolyard/protocol';
import type { AgentContext, ContextSources, Gate, JudgedTool } from '@toolyard/agent-runtime';
import {
  BudgetChecker,
  GeneralChatAgent,
  InterventionChecker,
  isHarmless,
  readInterventionRules,
  refusalOf,
} from '@toolyard/agent-runtime';
import type { McpHost, ServerHealth } from '@toolyard/mcp-host';
import type { ModelInfo, ModelRuntime } from '@toolyard/model-runtime';
import type { Agent, AgentOptions, Platform, RunOptions } from './agent.ts';
import type { AgentRunOptions } from './agent-run.ts';
import { AgentRun } from './agent-run.ts';
import { continuationOf } from './continuation.ts';
import type { FunctionTools } from './functions/function-tools.ts';
import { wantsCompression } from './executors/request-makings.ts';
import { questioning } from './agent-questions.ts';
import { judgedBy, whenJudgeable } from './judged-tool.ts';
import { createAgentExecutors } from './executors/create-agent-executors.ts';
import { memoryLedger } from './memory-ledger.ts';
import type { MemoryConversation } from './memory-conversation.ts';
import { MemoryUsage } from './memory-usage.ts';
import { resolveModel } from './model-choice.ts';
import type { AskApproval, Asking, AskUser } from './run-host.ts';

/** The checks of a run; without budgets nothing is counted. */
type Checks = { gate: Gate; budgets: BudgetChecker | undefined };

/** An agent whose loop runs in this process. */
export class LocalAgent implements Agent {
  readonly #options: AgentOptions;
  readonly #platform: Platform;
  readonly #host: McpHost;
  readonly #functions: FunctionTools;
  readonly #conversation: MemoryConversation;
  readonly #log: (line: string) => void;
  /** What was decided about tools, as `server/tool`. */
  readonly #permissions: Map<string, 'allow' | 'never'>;
  readonly #rules: InterventionRule[];
  readonly #usage: MemoryUsage;
  #model: { runtime: ModelRuntime; id: string };
  #current: AgentRun | null = null;
  #closing: Promise<void> | null = null;
  /** Worked out anew only after a server has changed: it is asked for at every turn. */
  #contextSources: ContextSources | null = null;

  constructor(
    options: AgentOptions,
    platform: Platform,
    host: McpHost,
    functions: FunctionTools,
    conversation: MemoryConversation,
    log: (line: string) => void,
  ) {
    this.#options = options;
    this.#platform = platform;
    this.#host = host;
    this.#functions = functions;
    this.#conversation = conversation;
    this.#log = log;
    this.#permissions = new Map(options.allow?.map((reference) => [reference, 'allow']));
    this.#rules = readInterventionRules(options.rules ?? []);
    this.#usage = new MemoryUsage(platform.clock);
    this.#model = resolveModel(options.model, platform);
    host.onChange(() => {
      this.#contextSources = null;
    });
    if (options.instructions !== undefined) {
      conversation.add({
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
    return this.#host.tools();
  }

  get messages(): readonly Message[] {
    return this.#conversation.messages();
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
  }

  run(input: string | UserPart[], runOptions: RunOptions = {}): AgentRun {
    if (this.#closing) throw new ToolyardError({ code: 'bad_request', message: 'This agent is closed.' });
    this.#refuseWhileRunning();
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
    if (this.#closing) throw new ToolyardError({ code: 'bad_request', message: 'This agent is closed.' });
    this.#refuseWhileRunning();
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
    const { clock, ids, failpoint } = this.#platform;
    const conversation = this.#conversation;
    const { id: model } = this.#model;
    const checks = this.#checks();
    const run = new AgentRun({
      id: ids.next(),
      limits: { ...DEFAULT_LIMITS, ...this.#options.limits },
      clock,
      ids,
      conversation,
      firstMessage,
      context,
      brain: this.#brain(checks),
      refresh: (tools) => whenJudgeable(this.#host, tools),
      executors: this.#executors(checks),
      onStart: (journal) =>
        journal.append({ type: 'run_started', conversationId: conversation.id, place: 'process', model, message }),
      ...(runOptions.signal ? { signal: runOptions.signal } : {}),
      ...(failpoint ? { failpoint } : {}),
      onDefect: this.#onDefect,
    });
    this.#current = run;
    const over = (): void => {
      if (this.#current === run) this.#current = null;
    };
    run.result.then(over, over);
    return run;
  }

  /** What stands before the calls and the requests of a run. */
  #checks(): Checks {
    const { approve, intervention, budgets = [] } = this.#options;
    const { runtime, id } = this.#model;
    const checker = new InterventionChecker({
      mode: intervention ?? (approve ? 'manual' : 'headless'),
      asks: approve !== undefined,
      ...(this.#platform.policy ? { surroundings: this.#platform.policy } : {}),
      rules: this.#rules,
      permission: (tool) => this.#permissions.get(formatToolReference(tool)),
      lookUp: (tool) => this.#judged(tool),
    });
    const bounds = new BudgetChecker({
      budgets,
      model: `${runtime.provider}/${id}`,
      spent: (budget) => this.#usage.spent(budget),
    });
    return {
      gate: (tool, args) => checker.check(tool, args),
      budgets: budgets.length === 0 ? undefined : bounds,
    };
  }

  #brain({ gate, budgets }: Checks): GeneralChatAgent {
    const conversation = this.#conversation;
    return new GeneralChatAgent({
      gate,
      ...(budgets ? { budgets: (state, need) => budgets.check(state, need) } : {}),
      onlyAsks: (tool) => this.#functions.onlyAsks(this.#host.tools(), tool),
      isNearlyFull: () =>
        wantsCompression({ conversation, contextSources: () => this.#currentSources(), tools: this.#host }),
    });
  }

  /** Another model that is chosen later is for the next run. */
  #executors({ gate, budgets }: Checks): AgentRunOptions['executors'] {
    const { runtime, id: modelId } = this.#model;
    const { approve, askUser, askBudget, questions } = this.#options;
    return ({ journal, signal }) =>
      createAgentExecutors({
        model: runtime,
        modelId,
        parameters: this.#options.parameters ?? {},
        toolMode: this.#options.toolMode ?? 'native',
        tools: this.#functions.over(this.#host),
        conversation: this.#conversation,
        journal,
        clock: this.#platform.clock,
        signal,
        contextSources: () => this.#currentSources(),
        ledger: memoryLedger,
        asking: personOf(approve, askUser),
        ...(askBudget ? { askBudget } : {}),
        ...(budgets
          ? {
              used: (entry) => this.#usage.add(entry),
              budgets: {
                refresh: () => undefined,
                check: (state, need) => budgets.check(state, need),
                dollarsOnly: (state) => budgets.dollarsOnly(state),
              },
            }
          : {}),
        questions: questions ? questioning(questions) : { who: 'nobody' },
        remember: (tool, { decision }, definition) => this.#remember(tool, decision, definition),
        forbidden: (tool, args) => refusalOf(gate(tool, args)),
        repeatable: (tool) => isHarmless(this.#judged(tool)),
        onDefect: this.#onDefect,
      });
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
    await this.#host.close();
    for (const { id } of this.#host.health()) this.#log(`${id}: disconnected`);
  }

  #refuseWhileRunning(): void {
    if (!this.#current) return;
    throw new ToolyardError({
      code: 'bad_request',
      message: 'A run of this conversation is still under way.',
      hint: 'Wait for its result, or cancel it first.',
    });
  }

  /** What is allowed is allowed as it is: a tool that becomes another one is asked about again. */
  #remember(tool: ToolReference, decision: 'approve' | 'refuse', definition: string | undefined): void {
    this.#permissions.set(formatToolReference(tool), decision === 'approve' ? 'allow' : 'never');
    if (decision === 'approve' && definition !== undefined) this.#host.approveTool(tool, definition);
  }

  #judged(tool: ToolReference): JudgedTool | undefined {
    return judgedBy(this.#host, this.#host.tools(), tool);
  }

  #currentSources(): ContextSources {
    this.#contextSources ??= {
      ...(this.#options.contextWindow === undefined ? {} : { window: this.#options.contextWindow }),
      ...(this.#options.inputs ? { inputs: this.#options.inputs } : {}),
      serverInstructions: this.#host
        .health()
        .flatMap(({ id, state, instructions }) =>
          state === 'ready' && instructions ? [{ serverId: id, text: instructions }] : [],
        ),
    };
    return this.#contextSources;
  }
}

function personOf(ask: AskApproval | undefined, askUser: AskUser | undefined): Asking {
  if (!ask && !askUser) return { who: 'nobody' };
  return {
    who: 'person',
    ask: ask ?? (() => Promise.resolve({ decision: 'refuse' })),
    ...(askUser ? { askUser } : {}),
  };
}
