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
const HEARTBEAT_MS = 20_000;

/**
 * Provides the tools of this tab's servers to runs on the server: announces them, claims calls, executes them and
 * delivers the results.
 */
export class TabToolProvider {
  readonly #deps: TabToolProviderDeps;
  /** The last announcement, by conversation. */
  readonly #announced = new Map<string, { servers: TabServer[]; text: string }>();
  readonly #calls = new Map<string, TabCall>();
  /** Claimed calls: none is executed twice under one fence. */
  readonly #executed = new Set<string>();
  #lastHeartbeat = 0;
  #polling: Promise<void> | null = null;
  #pollAgain = false;

  constructor(deps: TabToolProviderDeps) {
    this.#deps = deps;
  }

  /** Resolves once the server has the current announcement; sends nothing if it has. */
  async announce(conversationId: string, servers: TabServer[]): Promise<void> {
    const text = JSON.stringify(servers);
    const before = this.#announced.get(conversationId);
    if (before?.text === text || (before === undefined && servers.length === 0)) return;
    this.#announced.set(conversationId, { servers, text });
    try {
      await this.#sendAnnouncement(conversationId, servers);
    } catch (thrown) {
      // Sent with the next opportunity.
      if (this.#announced.get(conversationId)?.text === text) this.#announced.delete(conversationId);
      throw thrown;
    }
  }

  /** True while the server may expect calls to be executed by this tab. */
  get isActive(): boolean {
    return this.#announced.size > 0;
  }

  /** Called for any message of the server: sends a heartbeat if the last one was long ago. */
  keepAlive(): void {
    if (this.#announced.size > 0 && this.#deps.now() - this.#lastHeartbeat >= HEARTBEAT_MS) void this.poll();
  }

  /** Sends a heartbeat and executes waiting calls. Never rejects. */
  poll(): Promise<void> {
    if (this.#announced.size === 0) return Promise.resolve();
    if (this.#polling !== null) {
      this.#pollAgain = true;
      return this.#polling;
    }
    this.#polling = this.#sendHeartbeat().finally(() => {
      this.#polling = null;
      if (!this.#pollAgain) return;
      this.#pollAgain = false;
      void this.poll();
    });
    return this.#polling;
  }

  async #sendHeartbeat(): Promise<void> {
    try {
      const { api, tabId: tab } = this.#deps;
      this.#handleCalls((await api.post('/api/tabs/{tab}/heartbeat', { params: { tab } })).items);
    } catch (thrown) {
      // The server no longer knows this tab: the announcement is sent again.
      if (!(thrown instanceof ApiError) || thrown.status !== 404) return;
      for (const [conversationId, { servers }] of [...this.#announced]) {
        await this.#sendAnnouncement(conversationId, servers).catch(() => undefined);
      }
    }
  }

  async #sendAnnouncement(conversationId: string, servers: TabServer[]): Promise<void> {
    const { api, tabId: tab } = this.#deps;
    const params = { tab, conversation: conversationId };
    try {
      this.#handleCalls(
        (await api.put('/api/tabs/{tab}/conversations/{conversation}/tools', { params, body: { servers } })).items,
      );
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.status !== 404) throw thrown;
      // The conversation was deleted.
      this.#announced.delete(conversationId);
    }
  }

  #handleCalls(items: readonly TabCallView[]): void {
    this.#lastHeartbeat = this.#deps.now();
    const listed = new Set(items.map(({ callId }) => callId));
    for (const [callId, call] of this.#calls) {
      // Cancelled, or claimed by another tab meanwhile.
      if (!listed.has(callId)) call.drop();
    }
    for (const item of items) {
      const own = this.#calls.get(item.callId);
      if (own !== undefined) own.answered(item.answers);
      else void this.#claim(item);
    }
  }

  async #claim(item: TabCallView): Promise<void> {
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
      if (this.#executed.has(name)) return;
      this.#executed.add(name);
      await call.execute(claimed);
    } catch {
      // Another tab was faster, or the run no longer waits.
    } finally {
      this.#calls.delete(callId);
    }
  }
}
