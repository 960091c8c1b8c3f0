import type { McpHost } from '@toolyard/mcp-host';
import type { TabCallView, TabServer } from '@toolyard/protocol';
import type { Api } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { TabCall } from './tab-call.ts';

export type TabToolProviderDeps = {
  api: Pick<Api, 'put' | 'post'>;
  tabId: string;
  host: () => Promise<McpHost>;
  now: () => number;
  wait: (ms: number) => Promise<void>;
};

/** The server considers a tab gone after 90 seconds without a message, in milliseconds. */
const SAY_EVERY_MS = 20_000;

/**
 * Provides the tools of this tab's servers to runs on the server: announces them, claims calls, executes them and
 * delivers the results.
 */
export class TabToolProvider {
  readonly #deps: TabToolProviderDeps;
  /** The last announcement, by conversation. */
  readonly #offered = new Map<string, { servers: TabServer[]; text: string }>();
  readonly #calls = new Map<string, TabCall>();
  /** Claimed calls: none is executed twice under one fence. */
  readonly #made = new Set<string>();
  #lastSaid = 0;
  #looking: Promise<void> | null = null;
  #again = false;

  constructor(deps: TabToolProviderDeps) {
    this.#deps = deps;
  }

  /** Resolves once the server has the current announcement; sends nothing if it has. */
  async offer(conversationId: string, servers: TabServer[]): Promise<void> {
    const text = JSON.stringify(servers);
    const before = this.#offered.get(conversationId);
    if (before?.text === text || (before === undefined && servers.length === 0)) return;
    this.#offered.set(conversationId, { servers, text });
    try {
      await this.#tell(conversationId, servers);
    } catch (thrown) {
      // Sent with the next opportunity.
      if (this.#offered.get(conversationId)?.text === text) this.#offered.delete(conversationId);
      throw thrown;
    }
  }

  /** True while the server may expect calls to be executed by this tab. */
  get lends(): boolean {
    return this.#offered.size > 0;
  }

  /** Called for any message of the server: sends a heartbeat if the last one was long ago. */
  heard(): void {
    if (this.#offered.size > 0 && this.#deps.now() - this.#lastSaid >= SAY_EVERY_MS) void this.look();
  }

  /** Sends a heartbeat and executes waiting calls. Never rejects. */
  look(): Promise<void> {
    if (this.#offered.size === 0) return Promise.resolve();
    if (this.#looking !== null) {
      this.#again = true;
      return this.#looking;
    }
    this.#looking = this.#look().finally(() => {
      this.#looking = null;
      if (!this.#again) return;
      this.#again = false;
      void this.look();
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    try {
      const { api, tabId: tab } = this.#deps;
      this.#do((await api.post('/api/tabs/{tab}/heartbeat', { params: { tab } })).items);
    } catch (thrown) {
      // The server no longer knows this tab: the announcement is sent again.
      if (!(thrown instanceof ApiError) || thrown.status !== 404) return;
      for (const [conversationId, { servers }] of [...this.#offered]) {
        await this.#tell(conversationId, servers).catch(() => undefined);
      }
    }
  }

  async #tell(conversationId: string, servers: TabServer[]): Promise<void> {
    const { api, tabId: tab } = this.#deps;
    const params = { tab, conversation: conversationId };
    try {
      this.#do(
        (await api.put('/api/tabs/{tab}/conversations/{conversation}/tools', { params, body: { servers } })).items,
      );
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.status !== 404) throw thrown;
      // The conversation was deleted.
      this.#offered.delete(conversationId);
    }
  }

  #do(items: readonly TabCallView[]): void {
    this.#lastSaid = this.#deps.now();
    const listed = new Set(items.map(({ callId }) => callId));
    for (const [callId, call] of this.#calls) {
      // Cancelled, or claimed by another tab meanwhile.
      if (!listed.has(callId)) call.drop();
    }
    for (const item of items) {
      const own = this.#calls.get(item.callId);
      if (own !== undefined) own.answered(item.answers);
      else void this.#take(item);
    }
  }

  async #take(item: TabCallView): Promise<void> {
    const { api, host, wait, tabId: tab } = this.#deps;
    const { callId, runId, conversationId } = item;
    const params = { tab, run: runId, call: callId };
    const call = new TabCall({ params, conversationId, api, host, wait });
    this.#calls.set(callId, call);
    try {
      // A call that the server lists as claimed by this tab and that the tab does not know: the response to its claim
      // was lost.
      const claimed = await api.post('/api/tabs/{tab}/runs/{run}/calls/{call}/claim', { params });
      const name = `${callId} ${String(claimed.fence)}`;
      if (this.#made.has(name)) return;
      this.#made.add(name);
      await call.carryOut(claimed);
    } catch {
      // Another tab was faster, or the run no longer waits.
    } finally {
      this.#calls.delete(callId);
    }
  }
}
