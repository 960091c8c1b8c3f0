import { hostTools } from '@toolyard/agent-host';
import { CommitPump, DurableRun, RunLost } from '@toolyard/agent-host/durable';
import type { DurableAccess, StoredRun } from '@toolyard/agent-host/durable';
import type { McpHost } from '@toolyard/mcp-host';
import { sha256 } from '@toolyard/mcp-host';
import { createWebApiRuntime } from '@toolyard/model-runtime/webapi';
import type {
  Clock,
  CommitFromTab,
  CommitOutcome,
  Fetch,
  FromTab,
  LeasedTabRun,
  RequestPrelude,
  RunCommit,
  TabRunInbox,
} from '@toolyard/protocol';
import {
  budgetKey,
  canonicalJson,
  defined,
  findDecision,
  formatToolReference,
  ZERO_SPENT,
  TAB_RUNS_VERSION,
  toErrorInfo,
} from '@toolyard/protocol';
import type { Api } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { tabFunctions } from '../../mcp/tab-functions.ts';
import { ServerTools } from './server-tools.ts';
import { createTabSubAgents } from './tab-sub-agents.ts';
import { untilAnswered } from './until-answered.ts';

export type TabRunDeps = {
  api: Pick<Api, 'post'>;
  tabId: string;
  host: McpHost;
  /** The servers of this browser enabled with these overrides. */
  idsOn: (servers: Readonly<Record<string, boolean>>) => ReadonlySet<string>;
  fetch: Fetch;
  /** The port of Toolyard, which calls must not reach. */
  port: number | undefined;
  clock: Clock;
};

/** `lost`: another tab has it now, or its commits were rejected. */
export type TabRunEnd = 'ended' | 'parked' | 'lost';

/** A run executing in this tab: the same loop as everywhere, with commits over HTTP. */
export class TabRun {
  readonly id: string;
  readonly conversationId: string;
  readonly result: Promise<TabRunEnd>;
  readonly #held: LeasedTabRun;
  readonly #deps: TabRunDeps;
  readonly #params: { tab: string; run: string };
  readonly #durable: DurableRun;
  #inbox: TabRunInbox;
  #tools: ServerTools | null = null;
  #isReleasing = false;
  /** The number of the last stored commit. */
  #stored = 0;
  /** Request preludes that are not stored yet. */
  readonly #preludes = new Map<string, RequestPrelude>();
  #rejection: ApiError | null = null;

  constructor(held: LeasedTabRun, deps: TabRunDeps) {
    this.#held = held;
    this.#deps = deps;
    this.#inbox = held.inbox;
    const { run, fence } = held;
    this.id = run.id;
    this.conversationId = run.conversationId;
    this.#params = { tab: deps.tabId, run: run.id };
    const pump = new CommitPump({
      store: { commit: (items) => Promise.all(items.map((item) => this.#commit(item))) },
      clock: deps.clock,
      // The page is updated by the live stream of the server, like every other page.
      publish: () => undefined,
      onFailure: () => undefined,
    });
    this.#durable = new DurableRun({
      run: { ...run, fence },
      pump,
      clock: deps.clock,
      // The server stores large media in its blob store when it commits.
      keepMedia: (value) => Promise.resolve(value),
    });
    this.result = this.#execute().catch(() => 'lost' as const);
  }

  /** Why the server rejected a commit, if the run was lost by that. */
  get rejection(): ApiError | null {
    return this.#rejection;
  }

  /** Sends a heartbeat and processes messages to the run. Never rejects. */
  async sendHeartbeat(): Promise<void> {
    try {
      const body = { fence: this.#held.fence };
      this.#receive(await this.#deps.api.post('/api/tabs/{tab}/runs/{run}/lease', { params: this.#params, body }));
    } catch (thrown) {
      const isLost = thrown instanceof ApiError && (thrown.status === 409 || thrown.status === 404);
      // A run that releases its lease no longer belongs to this tab, because it is parked or has ended.
      if (isLost && !this.#isReleasing) this.#durable.writer.lose(new RunLost('stale', thrown.message));
    }
  }

  #receive(inbox: TabRunInbox): void {
    this.#inbox = inbox;
    this.#durable.receive(inbox);
  }

  async #execute(): Promise<TabRunEnd> {
    const { configuration, model, messages, ledger, attempt } = this.#held;
    // The server stores the messages of a step with its commit.
    const stored = this.#held.state as unknown as StoredRun;
    const { instructions } = configuration;
    this.#receive(this.#inbox);
    const { signal, drive } = this.#durable.begin({
      configuration: { ...configuration, model },
      place: 'browser',
      point: stored.point,
      attempt,
      conversation: this.#durable.openConversation({ ...stored, instructions }, messages),
      ledger,
      poll: () => this.sendHeartbeat(),
      findQueued: async (id) => {
        const parts = this.#inbox.steers.find(({ queuedMessageId }) => queuedMessageId === id)?.parts;
        // The server resolves references to its blob store.
        return parts ? { parts, readable: parts } : null;
      },
    });
    const { status } = await drive(this.#durable.ending ? null : this.#open(signal));
    if (this.#durable.isLost) return 'lost';
    return status === 'parked' ? 'parked' : 'ended';
  }

  /** Requests of its servers are kept open in this tab with the servers' request state, which is not sealed. */
  async #open(signal: AbortSignal): Promise<DurableAccess> {
    const { run, configuration, model, abilities } = this.#held;
    const { host, fetch, idsOn, api, clock } = this.#deps;
    const ids = idsOn(configuration.servers);
    const disabled = new Set(configuration.disabledTools);
    const view = host.select(ids, (tool) => disabled.has(formatToolReference(tool)));
    const own = hostTools({ host, view, isSelected: (id) => ids.has(id) });
    const of = { api, clock, params: this.#params, fence: this.#held.fence, signal };
    const tools = (this.#tools = await ServerTools.open({ ...of, functions: tabFunctions }));
    const listen = (): Promise<void> => this.sendHeartbeat();
    return {
      model: createWebApiRuntime({
        provider: model.providerId,
        fetch: (input, init) => fetch(input, init),
        headers: { 'x-toolyard-run': run.id },
      }),
      abilities,
      sources: [tools, own],
      judged: (call) => tools.judged(call),
      functions: tabFunctions,
      permission: (tool) => findDecision(tool, this.#inbox.permissions),
      refresh: listen,
      callContext: { own: { port: this.#deps.port } },
      budgets: {
        budgets: configuration.budgets,
        spent: (budget) => this.#inbox.spent[budgetKey(budget)] ?? ZERO_SPENT,
        refresh: listen,
      },
      keepPrelude: (prelude) => this.#keep(prelude),
      ...defined({ group: this.#held.group }),
      ...(configuration.limits.maxDepth > 0
        ? { subAgents: createTabSubAgents(this.#deps, { params: this.#params, fence: this.#held.fence }) }
        : {}),
    };
  }

  /** To be stored with the commit that refers to the request, under the id the server would give it. */
  #keep(prelude: RequestPrelude): string {
    const id = sha256(canonicalJson(prelude));
    this.#preludes.set(id, prelude);
    return id;
  }

  /** Sent until it is stored or rejected: the server recognizes a repeated commit by its number. */
  async #commit({
    runId: _run,
    durability: _durability,
    usage = [],
    unqueued: _unqueued,
    ...item
  }: RunCommit): Promise<CommitOutcome> {
    // The server counts the calls that it makes.
    const tools = usage.flatMap((entry) =>
      entry.kind === 'tool' && this.#tools?.isCalledByServer(entry.tool) !== true ? [entry] : [],
    );
    if (item.release) this.#isReleasing = true;
    const number = this.#stored + 1;
    const preludes = Array.from(this.#preludes, ([id, prelude]) => ({ id, prelude }));
    const body: FromTab<CommitFromTab> = {
      v: TAB_RUNS_VERSION,
      ...item,
      number,
      ...(tools.length > 0 ? { usage: tools } : {}),
      ...(preludes.length > 0 ? { preludes } : {}),
    };
    try {
      const { lastSeq, inboxWaits } = await untilAnswered(this.#deps.clock, () =>
        this.#deps.api.post('/api/tabs/{tab}/runs/{run}/commit', { params: this.#params, body }),
      );
      this.#stored = number;
      for (const { id } of preludes) this.#preludes.delete(id);
      return { outcome: 'committed', lastSeq, ...(inboxWaits ? { inboxWaits: true as const } : {}) };
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) return { outcome: 'invalid', problem: toErrorInfo(thrown).message };
      if (thrown.status === 409 || thrown.status === 404) return { outcome: 'stale', now: null };
      this.#rejection = thrown;
      return { outcome: 'invalid', problem: thrown.message };
    }
  }
}
