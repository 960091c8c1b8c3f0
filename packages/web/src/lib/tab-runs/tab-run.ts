import {
  createAgentExecutors,
  driveRun,
  judgedBy,
  sourcesOf,
  timeLimitExceeded,
  wantsCompression,
  whenJudgeable,
} from '@toolyard/agent-host';
import {
  CommitPump,
  DurableJournal,
  LiveQuestions,
  RunConversation,
  RunLedger,
  RunLost,
  RunSteering,
  RunTime,
  RunWriter,
} from '@toolyard/agent-host/durable';
import type { StoredRun } from '@toolyard/agent-host/durable';
import type { ContextSources, Ending, Gate, RunPoint } from '@toolyard/agent-runtime';
import { BudgetChecker, GeneralChatAgent, InterventionChecker, isHarmless, refusalOf } from '@toolyard/agent-runtime';
import type { McpHost } from '@toolyard/mcp-host';
import { sha256 } from '@toolyard/mcp-host';
import { createWebApiRuntime } from '@toolyard/model-runtime/webapi';
import type {
  Clock,
  CommitFromTab,
  CommitOutcome,
  CommittedFromTab,
  Fetch,
  FromTab,
  HeldRun,
  RequestPrelude,
  RunCommit,
  TabRunWishes,
  ToolReference,
} from '@toolyard/protocol';
import {
  budgetKey,
  canonicalJson,
  decisionAbout,
  formatToolReference,
  HANDED_ON,
  NOTHING_SPENT,
  TAB_RUNS_VERSION,
  toErrorInfo,
} from '@toolyard/protocol';
import type { api } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { tabFunctions } from '../mcp/tab-functions.ts';

export type TabRunDeps = {
  api: Pick<typeof api, 'post'>;
  tabId: string;
  host: McpHost;
  /** The servers of this browser that are on with these choices. */
  idsOn: (servers: Readonly<Record<string, boolean>>) => ReadonlySet<string>;
  fetch: Fetch;
  clock: Clock;
};

/** `rested`: it waits for a person. `lost`: another tab has it now, or it could not be written any more. */
export type TabRunEnd = 'over' | 'rested' | 'lost';

const LONGEST_WAIT_MS = 10_000;
/** What a commit may not be refused for: it is sent again. */
const LATER = new Set([0, 401, 429]);

/** A run whose loop is in this tab: the same loop as everywhere, which commits over HTTP. */
export class TabRun {
  readonly id: string;
  readonly conversationId: string;
  readonly result: Promise<TabRunEnd>;
  readonly #held: HeldRun;
  readonly #deps: TabRunDeps;
  readonly #path: string;
  readonly #abort = new AbortController();
  readonly #questions = new LiveQuestions();
  readonly #steering = new RunSteering();
  #time: RunTime | null = null;
  readonly #writer: RunWriter;
  #wishes: TabRunWishes;
  #ending: Ending | null = null;
  #lost = false;
  #givesBack = false;
  /** The number of the last commit that is stored. */
  #stored = 0;
  /** What goes along with requests, and is not stored yet. */
  readonly #preludes = new Map<string, RequestPrelude>();
  #refusal: ApiError | null = null;

  constructor(held: HeldRun, deps: TabRunDeps) {
    this.#held = held;
    this.#deps = deps;
    this.#wishes = held.wishes;
    const { run, fence } = held;
    this.id = run.id;
    this.conversationId = run.conversationId;
    this.#path = `/api/tabs/${encodeURIComponent(deps.tabId)}/runs/${encodeURIComponent(run.id)}`;
    const pump = new CommitPump({
      store: { commit: (items) => Promise.all(items.map((item) => this.#commit(item))) },
      clock: deps.clock,
      // The live stream of the server tells the page, as it does every other one.
      publish: () => undefined,
      onFailure: () => undefined,
    });
    this.#writer = new RunWriter({
      run: { ...run, fence },
      pump,
      clock: deps.clock,
      // Large media is put into the blob store where it is committed.
      keepMedia: (value) => Promise.resolve(value),
      onLost: () => {
        this.#lost = true;
        this.#abort.abort(HANDED_ON);
      },
    });
    this.result = this.#drive()
      .catch(() => 'lost' as const)
      .finally(() => this.#time?.end());
  }

  /** Why the server would not store what the run has to write, where it lost the run by that. */
  get refusal(): ApiError | null {
    return this.#refusal;
  }

  /** Says that this tab is at work, and acts on what was said to the run. Never rejects. */
  async listen(): Promise<void> {
    try {
      this.#heard(await this.#deps.api.post<TabRunWishes>(`${this.#path}/lease`, { fence: this.#held.fence }));
    } catch (thrown) {
      const isLost = thrown instanceof ApiError && (thrown.status === 409 || thrown.status === 404);
      // A run that gives its lease back is no longer this tab's because it rests, or is over.
      if (isLost && !this.#givesBack) this.#writer.lose(new RunLost('stale', thrown.message));
    }
  }

  #heard(wishes: TabRunWishes): void {
    this.#wishes = wishes;
    const taken = this.#questions.give(wishes.answers);
    if (taken.length > 0) this.#writer.keep({ taken });
    this.#steering.listen(wishes.steers);
    if (wishes.stops) this.#end({ status: 'cancelled' });
  }

  #end(ending: Ending): void {
    if (this.#ending) return;
    this.#ending = ending;
    this.#abort.abort();
  }

  /** Looks first: what was said by now goes in before the next step. */
  async #hear(of: { conversation: RunConversation; journal: DurableJournal }): ReturnType<RunSteering['hear']> {
    await this.listen();
    return this.#steering.hear({
      ...of,
      writer: this.#writer,
      clock: this.#deps.clock,
      find: async (id) => {
        const parts = this.#wishes.steers.find(({ queuedMessageId }) => queuedMessageId === id)?.parts;
        // The server puts in place what lies in its blob store.
        return parts ? { parts, readable: parts } : null;
      },
    });
  }

  async #drive(): Promise<TabRunEnd> {
    const { run, configuration, model, message } = this.#held;
    const { clock } = this.#deps;
    const writer = this.#writer;
    // What the server stores with each step is what the loop gave it.
    const { point, leafId, shownId } = this.#held.state as unknown as StoredRun;
    const conversation = new RunConversation(
      {
        conversationId: run.conversationId,
        runId: run.id,
        instructions: configuration.instructions,
        leafId,
        shownId,
        writer,
      },
      this.#held.messages,
    );
    const ledger = new RunLedger(this.#held.ledger, { runId: run.id, writer, clock });
    const journal = new DurableJournal({
      runId: run.id,
      model: model.modelId,
      writer,
      conversation,
      ledger,
      clock,
      step: point.state.step,
      attempt: this.#held.attempt,
      taken: () => this.#wishes.cancels,
      steers: () => [],
    });
    if (run.lastSeq === 0 && message) {
      const { conversationId } = run;
      journal.append({ type: 'run_started', conversationId, place: 'browser', model: model.modelId, message });
    }
    this.#heard(this.#wishes);
    this.#limitTime(point);
    const last = await driveRun({
      point,
      journal,
      ...(await this.#parts({ conversation, journal, ledger })),
      stopRequested: () => this.#ending,
      hear: () => this.#hear({ conversation, journal }),
      refresh: async (tools) => {
        await Promise.all([this.listen(), whenJudgeable(this.#deps.host, tools)]);
      },
    });
    if (this.#lost) return 'lost';
    return last.state.status === 'parked' ? 'rested' : 'over';
  }

  #limitTime({ state: { limits, startedAt } }: RunPoint): void {
    if (limits.maxWallTimeMs === undefined) return;
    const { clock } = this.#deps;
    const left = Math.min(limits.maxWallTimeMs, startedAt + limits.maxWallTimeMs - clock.now());
    this.#time = new RunTime(clock, left, () => this.#end({ status: 'failed', error: timeLimitExceeded(limits) }));
  }

  /** The servers of the run: those of this browser that are on, and the function tools of this tab. */
  async #serversOn(): Promise<ReadonlySet<string>> {
    const { host, idsOn } = this.#deps;
    const { servers } = this.#held.configuration;
    const own = tabFunctions.servers.filter(({ id }) => servers[id] !== false);
    for (const server of own) {
      if (!host.configurations.has(server.id)) host.add(server);
      await host.connect(server.id);
    }
    return new Set([...idsOn(servers), ...own.map(({ id }) => id)]);
  }

  async #parts(of: { conversation: RunConversation; journal: DurableJournal; ledger: RunLedger }) {
    const { run, configuration, model, abilities } = this.#held;
    const { host, fetch, clock } = this.#deps;
    const ids = await this.#serversOn();
    const disabled = new Set(configuration.disabledTools);
    const tools = host.select(ids, (tool) => disabled.has(formatToolReference(tool)));
    const judged = (tool: ToolReference) => judgedBy(host, tools.tools(), tool);
    const checker = new InterventionChecker({
      mode: configuration.intervention,
      rules: configuration.interventionRules,
      lostRules: configuration.lostRules === true,
      surroundings: { own: { port: Number(location.port) || undefined } },
      permission: (tool) => decisionAbout(tool, this.#wishes.permissions),
      lookUp: judged,
    });
    const gate: Gate = (tool, args) => checker.check(tool, args);
    const budgets = new BudgetChecker({
      budgets: configuration.budgets,
      model: `${model.providerId}/${model.modelId}`,
      spent: (budget) => this.#wishes.spent[budgetKey(budget)] ?? NOTHING_SPENT,
    });
    const isHeadless = configuration.intervention === 'headless';
    const contextSources = sourcesOf(configuration, { contextSources: notesOf(host, ids) }, abilities);
    const check: BudgetChecker['check'] = (state, need) => budgets.check(state, need);
    const executors = createAgentExecutors({
      model: createWebApiRuntime({
        provider: model.providerId,
        fetch: (input, init) => fetch(input, init),
        headers: { 'x-toolyard-run': run.id },
      }),
      modelId: model.modelId,
      parameters: configuration.parameters,
      toolMode: configuration.toolMode,
      tools: tabFunctions.over(tools),
      ...of,
      clock,
      signal: this.#abort.signal,
      contextSources,
      keepPrelude: (prelude) => this.#keep(prelude),
      asking: isHeadless ? { who: 'nobody' } : { who: 'park' },
      // Its servers are asked while their calls are open: what they want kept stays in this tab.
      questions: isHeadless ? { who: 'nobody' } : { who: 'person', ask: this.#questions.ask },
      budgets: { refresh: () => this.listen(), check, dollarsOnly: (state) => budgets.dollarsOnly(state) },
      used: (entry) => this.#writer.used(entry),
      // A decision that lasts is stored where it is given: at the door.
      remember: () => undefined,
      forbidden: async (tool, args) => {
        await this.listen();
        return refusalOf(gate(tool, args));
      },
      repeatable: (tool) => isHarmless(judged(tool)),
    });
    const brain = new GeneralChatAgent({
      gate,
      budgets: check,
      onlyAsks: (tool) => tabFunctions.onlyAsks(tools.tools(), tool),
      isNearlyFull: () => wantsCompression({ conversation: of.conversation, contextSources, tools }),
    });
    return { brain, executors, count: () => this.listen() };
  }

  /** To be stored with the commit that tells of the request, under the name the server would give it. */
  #keep(prelude: RequestPrelude): string {
    const id = sha256(canonicalJson(prelude));
    this.#preludes.set(id, prelude);
    return id;
  }

  /** Sent until it is stored or refused: the server tells by its number that it has it already. */
  async #commit({
    runId: _run,
    durability: _durability,
    usage = [],
    unqueued: _unqueued,
    ...item
  }: RunCommit): Promise<CommitOutcome> {
    const tools = usage.filter((entry) => entry.kind === 'tool');
    if (item.release) this.#givesBack = true;
    const number = this.#stored + 1;
    const preludes = Array.from(this.#preludes, ([id, prelude]) => ({ id, prelude }));
    const body: FromTab<CommitFromTab> = {
      v: TAB_RUNS_VERSION,
      ...item,
      number,
      ...(tools.length > 0 ? { usage: tools } : {}),
      ...(preludes.length > 0 ? { preludes } : {}),
    };
    for (let ms = 500; ; ms = Math.min(LONGEST_WAIT_MS, ms * 2)) {
      try {
        const { lastSeq, inboxWaits } = await this.#deps.api.post<CommittedFromTab>(`${this.#path}/commit`, body);
        this.#stored = number;
        for (const { id } of preludes) this.#preludes.delete(id);
        return { outcome: 'committed', lastSeq, ...(inboxWaits ? { inboxWaits: true as const } : {}) };
      } catch (thrown) {
        if (!(thrown instanceof ApiError)) return { outcome: 'invalid', problem: toErrorInfo(thrown).message };
        if (thrown.status === 409 || thrown.status === 404) return { outcome: 'stale', now: null };
        if (thrown.status < 500 && !LATER.has(thrown.status)) {
          this.#refusal = thrown;
          return { outcome: 'invalid', problem: thrown.message };
        }
        await new Promise<void>((resolve) => void this.#deps.clock.after(ms, resolve));
      }
    }
  }
}

/** What these servers say of themselves; the same object until one of them has changed. */
function notesOf(host: McpHost, ids: ReadonlySet<string>): () => ContextSources {
  let made: ContextSources = { serverInstructions: [] };
  let told: string | null = null;
  return () => {
    const serverInstructions = host
      .health()
      .flatMap(({ id, state, instructions }) =>
        ids.has(id) && state === 'ready' && instructions ? [{ serverId: id, text: instructions }] : [],
      );
    const now = JSON.stringify(serverInstructions);
    if (now !== told) made = { serverInstructions };
    told = now;
    return made;
  };
}
