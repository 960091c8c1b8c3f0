import type { AllPrompts, FilledPrompt, IndexedTool, McpHost, ServerHealth, WireEntry } from '@toolyard/mcp-host';
import type { ErrorInfo, JsonObject, McpTestReport, ResourcePart, ToolReference, ToolResult } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { storedServers, type StoredServers } from './stored-servers.ts';
import { McpResourceStore } from './mcp-resource-store.svelte.ts';
import { CorsDiagnostics } from './cors-diagnostics.ts';
import { adviceFor } from './preflight.ts';
import { oncePerTurn } from './once-per-turn.ts';
import { storedServerDraft, storeServerDraft } from './server-drafts.ts';
import type { BrowserServerEntry, InvalidEntry } from './server-entries.ts';
import { changedServers, isSameServerEntry, missingHeaders, newServerId, toServerConfig } from './server-entries.ts';
import { toBrowserServerView } from './server-view.ts';
import type { BrowserServerDraft, BrowserServerView, TabHost } from './types.ts';

type McpStoreDeps = { storage: StoredServers; load: () => Promise<TabHost> };

/**
 * The MCP servers of this browser only: in local storage, connected from this tab. The rest of the page uses them
 * through this store; the MCP client itself is loaded with the first server.
 */
export class McpStore {
  /** Every server, for the panels, in the order they were added. */
  list: readonly BrowserServerView[] = $state.raw([]);
  /** Stored entries that are invalid, with the reason. */
  invalidEntries: readonly InvalidEntry[] = $state.raw([]);
  /** True from the start until every enabled server has connected or failed. */
  isInitializing = $state(false);
  /** The error of the first server that has failed. */
  error: ErrorInfo | null = $state.raw(null);
  toolCount = $state(0);
  connectedServers: readonly string[] = $state.raw([]);
  /** By server, for each server of the host. */
  health: ReadonlyMap<string, ServerHealth> = $state.raw(new Map());
  /** Resources of the servers. */
  readonly resources: McpResourceStore;

  readonly #deps: McpStoreDeps;
  #entries: readonly BrowserServerEntry[] = $state.raw([]);
  #host: Promise<McpHost> | undefined;
  #live: McpHost | undefined;
  #getCost: TabHost['definitionTokens'] = () => 0;
  #starting: Promise<void> | undefined;
  #choices: Readonly<Record<string, boolean>> = {};
  #stopWatching: () => void = () => undefined;
  readonly #cors: CorsDiagnostics;
  readonly #publishSoon = oncePerTurn(() => this.#publish());

  constructor(deps: McpStoreDeps = { storage: storedServers, load: () => import('./tab-host.ts') }) {
    this.#deps = deps;
    this.#cors = new CorsDiagnostics(adviceFor, () => this.#publish());
    this.resources = new McpResourceStore(() => this.host());
  }

  /** Number of calls, reads and acquired operations in progress. */
  get activeFlows(): number {
    return this.#live?.activeFlows ?? 0;
  }

  /** Loads the stored servers and connects the enabled ones; a repeated call joins the one in progress. */
  ensureInitialized(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    this.#stopWatching = this.#deps.storage.watch(
      (settings) => void this.#apply(settings.entries, settings.invalidEntries),
    );
    this.isInitializing = true;
    try {
      const { entries, invalidEntries } = this.#deps.storage.read();
      await this.#apply(entries, invalidEntries);
    } finally {
      this.isInitializing = false;
    }
  }

  /** Overrides of the open conversation: a disabled server is connected while the conversation enables it. */
  async follow(choices: Readonly<Record<string, boolean>>): Promise<void> {
    const before = this.#choices;
    this.#choices = choices;
    await this.ensureInitialized();
    const isEnabledBy = (overrides: Readonly<Record<string, boolean>>, { id }: BrowserServerEntry) =>
      overrides[id] === true;
    const changed = this.#entries.filter((entry) => isEnabledBy(before, entry) !== isEnabledBy(choices, entry));
    await Promise.all(changed.map((entry) => this.#settle(entry)));
  }

  /** @throws ToolyardError `bad_config` if the entry is invalid */
  add(draft: BrowserServerDraft): BrowserServerView {
    const ids = this.#entries.map((entry) => entry.id);
    const id = newServerId(draft.name, ids);
    return this.#put(id, draft, [...ids, id]);
  }

  /** @throws ToolyardError `bad_config` if the entry is invalid, `not_found` if the server does not exist */
  edit(id: string, draft: BrowserServerDraft): BrowserServerView {
    this.#entry(id);
    const ids = this.#entries.map((entry) => entry.id);
    return this.#put(id, draft, ids);
  }

  /** The initial values of an editor. */
  getDraft(id: string): BrowserServerDraft {
    return storedServerDraft(this.#entry(id), this.#deps.storage.getSecrets(id));
  }

  /** Disconnects a server and deletes it with its secrets. */
  async remove(id: string): Promise<void> {
    this.#deps.storage.setSecrets(id, {});
    await (await this.#host)?.signOut(id).catch(() => undefined);
    await this.#write(this.#entries.filter((entry) => entry.id !== id));
  }

  /** Deletes an invalid entry; `at` is its index in {@link McpStore.invalidEntries}. */
  async removeSetAside(at: number): Promise<void> {
    await this.#write(
      this.#entries,
      this.invalidEntries.filter((_, index) => index !== at),
    );
  }

  async setEnabled(id: string, enabled: boolean): Promise<void> {
    this.#entry(id);
    await this.#write(this.#entries.map((entry) => (entry.id === id ? { ...entry, enabled } : entry)));
  }

  /** Reconnects. @throws ToolyardError with the reason of the failure */
  async reconnect(id: string): Promise<void> {
    const entry = this.#entry(id);
    const host = await this.#open();
    if (host.configurations.has(id)) await this.#connect(host, entry, () => host.reconnect(id));
  }

  /** Connects once, lists, disconnects and stores nothing. Fails only for an invalid entry. */
  async test(draft: BrowserServerDraft, signal?: AbortSignal): Promise<McpTestReport> {
    const { testServer } = await this.#deps.load();
    return testServer(draft, signal);
  }

  /** The last messages exchanged with a server, secrets redacted. */
  wireLog(id: string): WireEntry[] {
    return this.#live?.wireLog(id) ?? [];
  }

  /** The tools a conversation with these overrides may use. */
  tools(
    choices: { servers?: Readonly<Record<string, boolean>>; disabledTools?: readonly string[] } = {},
  ): readonly IndexedTool[] {
    return this.#live?.select(this.idsOn(choices.servers), hiding(choices.disabledTools)).tools() ?? [];
  }

  /** The servers enabled with these overrides. */
  idsOn(servers: Readonly<Record<string, boolean>> = {}): ReadonlySet<string> {
    return new Set(this.#entries.filter(({ id, enabled }) => servers[id] ?? enabled).map(({ id }) => id));
  }

  /** By its model-facing name. */
  resolve(name: string): IndexedTool | undefined {
    return this.#live?.resolve(name);
  }

  /** Never throws for errors of a server: see `McpHost.callTool`. */
  async executeTool(tool: ToolReference, args: JsonObject, signal?: AbortSignal): Promise<ToolResult> {
    return (await this.host()).callTool(tool, args, signal === undefined ? {} : { signal });
  }

  /** The prompts of all servers, requested in parallel: a server that fails does not hide the others. */
  async getAllPrompts(): Promise<AllPrompts> {
    return (await this.host()).getAllPrompts();
  }

  async getPrompt(serverId: string, name: string, args: Record<string, string> = {}): Promise<FilledPrompt> {
    return (await this.host()).getPrompt(serverId, name, args);
  }

  async readResource(serverId: string, uri: string, options: { fresh?: true } = {}): Promise<ResourcePart[]> {
    return (await this.host()).resources.read(serverId, uri, options);
  }

  /**
   * Rejects new operations, waits (with a limit) for those in progress, disconnects all servers and clears their
   * offers.
   */
  async shutdown(waitMs?: number): Promise<void> {
    this.#stopWatching();
    const host = await this.#host;
    await host?.shutdown(waitMs);
    this.resources.clear();
    this.#publish();
  }

  #put(id: string, draft: BrowserServerDraft, order: readonly string[]): BrowserServerView {
    const { entry, secrets } = storeServerDraft(id, draft);
    const hasNewSecrets = JSON.stringify(secrets) !== JSON.stringify(this.#deps.storage.getSecrets(id));
    this.#deps.storage.setSecrets(id, secrets);
    const entries = order.map((each) => (each === id ? entry : this.#entry(each)));
    void this.#write(entries, this.invalidEntries, hasNewSecrets ? id : undefined);
    return this.#view(entry);
  }

  #entry(id: string): BrowserServerEntry {
    const entry = this.#entries.find((each) => each.id === id);
    if (entry !== undefined) return entry;
    throw new ToolyardError({ code: 'not_found', message: `This browser has no server "${id}".` });
  }

  async #write(
    entries: readonly BrowserServerEntry[],
    invalidEntries = this.invalidEntries,
    withNewSecrets?: string,
  ): Promise<void> {
    this.#deps.storage.write({ entries: [...entries], invalidEntries: [...invalidEntries] });
    await this.#apply(entries, invalidEntries, withNewSecrets);
  }

  /**
   * Synchronizes the host with these servers; only changes are applied. `withNewSecrets`: a server whose secrets may have
   * changed.
   */
  async #apply(
    entries: readonly BrowserServerEntry[],
    invalidEntries: readonly InvalidEntry[],
    withNewSecrets?: string,
  ): Promise<void> {
    const before = this.#entries;
    this.#entries = entries;
    this.invalidEntries = invalidEntries;
    this.#publish();
    const changed = changedServers(before, entries, withNewSecrets);
    if (this.#host !== undefined) {
      const host = await this.#host;
      await Promise.all(changed.map((id) => host.remove(id)));
    }
    const untouched = (entry: BrowserServerEntry) =>
      entry.id !== withNewSecrets && before.some((one) => isSameServerEntry(one, entry));
    await Promise.all(entries.filter((entry) => !untouched(entry)).map((entry) => this.#settle(entry)));
  }

  /** Connects or disconnects a server, as enabled. */
  async #settle(entry: BrowserServerEntry): Promise<void> {
    const { id } = entry;
    const secrets = this.#deps.storage.getSecrets(id);
    if (missingHeaders(entry, secrets).length > 0) return;
    const isNeeded = (): boolean => {
      const now = this.#entries.find((each) => each.id === id);
      return now !== undefined && (now.enabled || this.#choices[id] === true);
    };
    if (!isNeeded() && this.#host === undefined) return;
    const host = await this.#open();
    // The server may have been removed or changed meanwhile; that operation then completes the work.
    if (!this.#entries.some((each) => isSameServerEntry(each, entry))) return;
    if (!host.configurations.has(id)) host.add(toServerConfig(entry, secrets));
    if (!isNeeded()) return host.setEnabled(id, false);
    await host.setEnabled(id, true);
    await this.#connect(host, entry, () => host.connect(id)).catch(() => undefined);
  }

  /** @throws what `how` throws; the error is also in the server's health */
  async #connect(host: McpHost, entry: BrowserServerEntry, how: () => Promise<void>): Promise<void> {
    this.#cors.forget(entry.id);
    try {
      await how();
    } catch (thrown) {
      void this.#cors.check(entry, host.health().find(({ id }) => id === entry.id)?.error);
      throw thrown;
    }
  }

  #open(): Promise<McpHost> {
    this.#host ??= this.#deps.load().then(({ createTabHost, definitionTokens }) => {
      this.#getCost = definitionTokens;
      const host = createTabHost((id) => this.#entries.some((entry) => entry.id === id && entry.useProxy));
      host.onChange(() => this.#publishSoon());
      this.#live = host;
      return host;
    });
    // A module that failed to load is requested again next time.
    this.#host.catch(() => (this.#host = undefined));
    return this.#host;
  }

  /** Rarely used functions are called on the host directly. */
  async host(): Promise<McpHost> {
    await this.ensureInitialized();
    return this.#open();
  }

  #publish(): void {
    const host = this.#live;
    const own = host?.health() ?? [];
    this.health = new Map(own.map((health) => [health.id, health]));
    this.error = host?.error ?? null;
    this.toolCount = own.reduce((sum, { toolCount }) => sum + toolCount, 0);
    this.connectedServers = own.filter(({ state }) => state === 'ready').map(({ id }) => id);
    this.list = this.#entries.map((entry) => this.#view(entry));
    this.resources.update(host);
  }

  #view(entry: BrowserServerEntry): BrowserServerView {
    const tools = this.#live?.tools().filter(({ tool }) => tool.serverId === entry.id) ?? [];
    const config = this.#live?.configurations.get(entry.id);
    return toBrowserServerView(entry, {
      health: this.health.get(entry.id),
      tools,
      templateCount: this.#live?.resources.templates(entry.id).length ?? 0,
      getCost: this.#getCost,
      corsProblem: this.#cors.of(entry.id),
      endpoint: config && this.#live?.trust.getEndpoint(config),
      missing: missingHeaders(entry, this.#deps.storage.getSecrets(entry.id)),
    });
  }
}

/** True for listed tools, as `server/tool`. */
function hiding(disabledTools: readonly string[] = []): (tool: ToolReference) => boolean {
  const hidden = new Set(disabledTools);
  return ({ serverId, name }) => hidden.has(`${serverId}/${name}`);
}

/** The servers of this browser. */
export const mcpStore = new McpStore();
