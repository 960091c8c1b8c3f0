import type {
  Budget,
  InterventionRule,
  Message,
  ToolDefinition,
  ToolReference,
  UserMessage,
  UserPart,
} from '@toolyard/protocol';
import { DEFAULT_LIMITS, faultsOfBudgets, formatToolReference, ToolyardError, VERSION } from '@toolyard/protocol';
import type { AgentContext, ContextSources, Gate, JudgedTool } from '@toolyard/agent-runtime';
import {
  BudgetChecker,
  GeneralChatAgent,
  InterventionChecker,
  isHarmless,
  readInterventionRules,
  refusalOf,
} from '@toolyard/agent-runtime';
import type { ServerHealth } from '@toolyard/mcp-host';
import { McpHost } from '@toolyard/mcp-host';
import type { ModelInfo, ModelRuntime } from '@toolyard/model-runtime';
import type { Agent, AgentOptions, Platform, RunOptions } from './agent.ts';
import { AgentRun } from './agent-run.ts';
import { ASK_USER, ASK_USER_SERVER, withAskUser } from './ask-user-server.ts';
import { continuationOf } from './continuation.ts';
import { wantsCompression } from './executors/request-makings.ts';
import { declared, questioning } from './agent-questions.ts';
import { judgedBy, whenJudgeable } from './judged-tool.ts';
import { createAgentExecutors } from './executors/create-agent-executors.ts';
import { memoryLedger } from './memory-ledger.ts';
import { MemoryConversation } from './memory-conversation.ts';
import { MemoryUsage } from './memory-usage.ts';
import { resolveModel } from './model-choice.ts';
import type { AskApproval, Asking, AskUser } from './run-host.ts';

/**
 * Makes an agent; resolves once its servers are connected and listed, or reported as failed.
 *
 * @example
 * await using agent = await createAgent({
 *   model: { baseUrl: 'http://127.0.0.1:8080', id: 'qwen3' },
 *   servers: [{ id: 'files', transport: { type: 'stdio', command: 'npx', args: ['-y', 'some-mcp-server'] } }],
 *   instructions: 'Answer briefly.',
 * });
 * const { text } = await agent.run('What is in the folder?').result;
 */
export async function createAgent(options: AgentOptions, platform: Platform): Promise<Agent> {
  const { clock, ids } = platform;
  refuseWrong(options.budgets ?? []);
  const log = options.log ?? ((): void => {});
  const host = new McpHost({
    servers: [...(options.servers ?? []), ...(options.askUser ? [ASK_USER_SERVER] : [])],
    createTransport: options.askUser ? withAskUser(platform.createTransport) : platform.createTransport,
    clock,
    clientInfo: { name: 'toolyard', version: VERSION },
    // An agent has no door through which anybody could look at them.
    wireMessages: 0,
    ...(options.signIn === undefined ? {} : { signIn: options.signIn }),
    ...(options.questions ? { handlers: declared(options.questions) } : {}),
  });
  await host.connectAll();
  for (const server of host.health()) if (server.id !== ASK_USER.serverId || !options.askUser) log(describe(server));
  return new LocalAgent(options, platform, host, new MemoryConversation(ids.next()), log);
}

function refuseWrong(budgets: readonly Budget[]): void {
  const [fault] = faultsOfBudgets(budgets);
  if (!fault) return;
  throw new ToolyardError({ code: 'bad_request', message: `budgets[${fault.at}] is not right: ${fault.problem}.` });
}

function personOf(ask: AskApproval | undefined, askUser: AskUser | undefined): Asking {
  if (!ask && !askUser) return { who: 'nobody' };
  return {
    who: 'person',
    ask: ask ?? (() => Promise.resolve({ decision: 'refuse' })),
    ...(askUser ? { askUser } : {}),
  };
}

function describe(server: ServerHealth): string {
  return server.state === 'ready'
    ? `${server.id}: connected, ${server.toolCount} ${server.toolCount === 1 ? 'tool' : 'tools'}`
    : `${server.id}: ${server.error?.message ?? server.state}`;
}

class LocalAgent implements Agent {
  readonly #options: AgentOptions;
  readonly #platform: Platform;
  readonly #host: McpHost;
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
    conversation: MemoryConversation,
    log: (line: string) => void,
  ) {
    this.#options = options;
    this.#platform = platform;
    this.#host = host;
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
    const { runtime, id: modelId } = this.#model;
    const { askUser } = this.#options;
    const ask = this.#options.approve;
    const checker = new InterventionChecker({
      mode: this.#options.intervention ?? (ask ? 'manual' : 'headless'),
      asks: ask !== undefined,
      rules: this.#rules,
      permission: (tool) => this.#permissions.get(formatToolReference(tool)),
      lookUp: (tool) => this.#judged(tool),
    });
    const gate: Gate = (tool, args) => checker.check(tool, args);
    const budgets = new BudgetChecker({
      budgets: this.#options.budgets ?? [],
      model: `${runtime.provider}/${modelId}`,
      spent: (budget) => this.#usage.spent(budget),
    });
    const isBounded = (this.#options.budgets ?? []).length > 0;
    const { askBudget } = this.#options;
    const run = new AgentRun({
      id: ids.next(),
      limits: { ...DEFAULT_LIMITS, ...this.#options.limits },
      clock,
      ids,
      conversation,
      firstMessage,
      context,
      brain: new GeneralChatAgent({
        gate,
        ...(isBounded ? { budgets: (state, need) => budgets.check(state, need) } : {}),
        asking: {
          isAsk: ({ serverId, name }) =>
            askUser !== undefined && serverId === ASK_USER.serverId && name === ASK_USER.name,
          isAnybodyThere: askUser !== undefined,
        },
        isNearlyFull: () =>
          wantsCompression({ conversation, contextSources: () => this.#currentSources(), tools: this.#host }),
      }),
      refresh: (tools) => whenJudgeable(this.#host, tools),
      executors: ({ journal, signal }) =>
        createAgentExecutors({
          model: runtime,
          modelId,
          parameters: this.#options.parameters ?? {},
          toolMode: this.#options.toolMode ?? 'native',
          tools: this.#host,
          conversation,
          journal,
          clock,
          signal,
          contextSources: () => this.#currentSources(),
          ledger: memoryLedger,
          asking: personOf(ask, askUser),
          ...(askBudget ? { askBudget } : {}),
          ...(isBounded
            ? {
                used: (entry) => this.#usage.add(entry),
                budgets: {
                  refresh: () => undefined,
                  check: (state, need) => budgets.check(state, need),
                  dollarsOnly: (state) => budgets.dollarsOnly(state),
                },
              }
            : {}),
          questions: this.#options.questions ? questioning(this.#options.questions) : { who: 'nobody' },
          remember: (tool, { decision }, definition) => this.#remember(tool, decision, definition),
          forbidden: (tool, args) => refusalOf(gate(tool, args)),
          repeatable: (tool) => isHarmless(this.#judged(tool)),
        }),
      onStart: (journal) =>
        journal.append({
          type: 'run_started',
          conversationId: conversation.id,
          place: 'process',
          model: modelId,
          message,
        }),
      ...(runOptions.signal ? { signal: runOptions.signal } : {}),
      ...(failpoint ? { failpoint } : {}),
      onDefect: (thrown) =>
        this.#log(`defect: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`),
    });
    this.#current = run;
    const over = (): void => {
      if (this.#current === run) this.#current = null;
    };
    run.result.then(over, over);
    return run;
  }

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
