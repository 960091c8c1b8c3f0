import type { AllPrompts, FilledPrompt, IndexedTool, McpHost, ServerHealth, WireEntry } from '@toolyard/mcp-host';
import type { ErrorInfo, JsonObject, McpTestReport, ResourcePart, ToolReference, ToolResult } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { storedServers, type StoredServers } from './stored-servers.ts';
import { McpResourceStore } from './mcp-resource-store.svelte.ts';
import { CorsDiagnostics } from './cors-diagnostics.ts';
import { adviceFor } from './preflight.ts';
import { oncePerTurn } from './once-per-turn.ts';
import { storedServerDraft, storeServerDraft } from './server-drafts.ts';
import type { BrowserServerEntry, SetAsideEntry } from './server-entries.ts';
import { changedServers, isSameServerEntry, missingHeaders, newServerId, toServerConfig } from './server-entries.ts';
import { toBrowserServerView } from './server-view.ts';
import type { BrowserServerDraft, BrowserServerView, TabHost } from './types.ts';

type McpStoreDeps = { kept: StoredServers; load: () => Promise<TabHost> };

/**
 * The MCP servers of this browser only: kept in LocalStorage, connected from this tab. All the rest of the page sees
 * of them is here; the MCP client itself is loaded with the first server.
 */
export class McpStore {
  /** Every server, for the panels, in the order they were added. */
  list: readonly BrowserServerView[] = $state.raw([]);
  /** What the browser kept and nobody can use, with the reason. */
  setAside: readonly SetAsideEntry[] = $state.raw([]);
  /** True from the start until every server that is to be connected is, or has failed. */
  isInitializing = $state(false);
  /** What is wrong with the first server that has failed. */
  error: ErrorInfo | null = $state.raw(null);
  toolCount = $state(0);
  connectedServers: readonly string[] = $state.raw([]);
  /** By server, for each the host knows. */
  health: ReadonlyMap<string, ServerHealth> = $state.raw(new Map());
  /** What they offer to read, and what is attached of it to the message being written. */
  readonly resources: McpResourceStore;

  readonly #deps: McpStoreDeps;
  #entries: readonly BrowserServerEntry[] = $state.raw([]);
  #host: Promise<McpHost> | undefined;
  #live: McpHost | undefined;
  #costOf: TabHost['definitionTokens'] = () => 0;
  #starting: Promise<void> | undefined;
  #choices: Readonly<Record<string, boolean>> = {};
  #stopWatching: () => void = () => undefined;
  readonly #obstacles: CorsDiagnostics;
  readonly #tellSoon = oncePerTurn(() => this.#tell());

  constructor(deps: McpStoreDeps = { kept: storedServers, load: () => import('./tab-host.ts') }) {
    this.#deps = deps;
    this.#obstacles = new CorsDiagnostics(adviceFor, () => this.#tell());
    this.resources = new McpResourceStore(() => this.host());
  }

  /** How many calls, readings and acquired flows are under way. */
  get activeFlows(): number {
    return this.#live?.activeFlows ?? 0;
  }

  /** Reads the servers and connects those that are wanted; asked again, joins what is under way. */
  ensureInitialized(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    this.#stopWatching = this.#deps.kept.watch((settings) => void this.#apply(settings.entries, settings.setAside));
    this.isInitializing = true;
    try {
      const { entries, setAside } = this.#deps.kept.read();
      await this.#apply(entries, setAside);
    } finally {
      this.isInitializing = false;
    }
  }

  /**
   * What the open conversation chose: one that is switched off is connected where it asks for it, and left when it no
   * longer does.
   */
  async follow(choices: Readonly<Record<string, boolean>>): Promise<void> {
    const before = this.#choices;
    this.#choices = choices;
    await this.ensureInitialized();
    const isAsked = (among: Readonly<Record<string, boolean>>, { id }: BrowserServerEntry) => among[id] === true;
    const changed = this.#entries.filter((entry) => isAsked(before, entry) !== isAsked(choices, entry));
    await Promise.all(changed.map((entry) => this.#settle(entry)));
  }

  /** @throws ToolyardError `bad_config` for what is no server */
  add(draft: BrowserServerDraft): BrowserServerView {
    const ids = this.#entries.map((entry) => entry.id);
    const id = newServerId(draft.name, ids);
    return this.#put(id, draft, [...ids, id]);
  }

  /** @throws ToolyardError `bad_config` for what is no server, `not_found` where there is none to edit */
  edit(id: string, draft: BrowserServerDraft): BrowserServerView {
    this.#entry(id);
    const ids = this.#entries.map((entry) => entry.id);
    return this.#put(id, draft, ids);
  }

  /** What an editor begins with. */
  draftOf(id: string): BrowserServerDraft {
    return storedServerDraft(this.#entry(id), this.#deps.kept.secretsOf(id));
  }

  /** Leaves a server and forgets it, its secrets too. */
  async remove(id: string): Promise<void> {
    this.#deps.kept.setSecrets(id, {});
    await (await this.#host)?.signOut(id).catch(() => undefined);
    await this.#write(this.#entries.filter((entry) => entry.id !== id));
  }

  /** Forgets what could not be read; `at` counts in {@link McpStore.setAside}. */
  async removeSetAside(at: number): Promise<void> {
    await this.#write(
      this.#entries,
      this.setAside.filter((_, index) => index !== at),
    );
  }

  async setEnabled(id: string, enabled: boolean): Promise<void> {
    this.#entry(id);
    await this.#write(this.#entries.map((entry) => (entry.id === id ? { ...entry, enabled } : entry)));
  }

  /** Connects anew. @throws ToolyardError saying why it failed */
  async reconnect(id: string): Promise<void> {
    const entry = this.#entry(id);
    const host = await this.#open();
    if (host.configurations.has(id)) await this.#connect(host, entry, () => host.reconnect(id));
  }

  /** Connects once, lists, and leaves again; nothing is kept. Fails only for what is no server. */
  async test(draft: BrowserServerDraft, signal?: AbortSignal): Promise<McpTestReport> {
    const { testServer } = await this.#deps.load();
    return testServer(draft, signal);
  }

  /** The last messages exchanged with a server, without secrets. */
  wireLog(id: string): WireEntry[] {
    return this.#live?.wireLog(id) ?? [];
  }

  /** The tools a conversation with these choices may use. */
  tools(
    choices: { servers?: Readonly<Record<string, boolean>>; disabledTools?: readonly string[] } = {},
  ): readonly IndexedTool[] {
    return this.#live?.select(this.idsOn(choices.servers), hiding(choices.disabledTools)).tools() ?? [];
  }

  /** The servers that are on with these choices. */
  idsOn(servers: Readonly<Record<string, boolean>> = {}): ReadonlySet<string> {
    return new Set(this.#entries.filter(({ id, enabled }) => servers[id] ?? enabled).map(({ id }) => id));
  }

  /** By the name a model knows it by. */
  resolve(name: string): IndexedTool | undefined {
    return this.#live?.resolve(name);
  }

  /** Never throws for what a server does: see `McpHost.callTool`. */
  async executeTool(tool: ToolReference, args: JsonObject, signal?: AbortSignal): Promise<ToolResult> {
    return (await this.host()).callTool(tool, args, signal === undefined ? {} : { signal });
  }

  /** The prompts of all servers, asked in parallel: one that fails hides no other. */
  async getAllPrompts(): Promise<AllPrompts> {
    return (await this.host()).getAllPrompts();
  }

  async getPrompt(serverId: string, name: string, args: Record<string, string> = {}): Promise<FilledPrompt> {
    return (await this.host()).getPrompt(serverId, name, args);
  }

  async readResource(serverId: string, uri: string): Promise<ResourcePart[]> {
    return (await this.host()).resources.read(serverId, uri);
  }

  /** Begins something {@link McpStore.shutdown} waits for; what is returned ends it. */
  async acquire(): Promise<() => void> {
    return (await this.host()).acquire();
  }

  /** Takes nothing new, waits (bounded) for what is under way, leaves all servers and forgets what they offered. */
  async shutdown(waitMs?: number): Promise<void> {
    this.#stopWatching();
    const host = await this.#host;
    await host?.shutdown(waitMs);
    this.resources.clear();
    this.#tell();
  }

  #put(id: string, draft: BrowserServerDraft, order: readonly string[]): BrowserServerView {
    const { entry, secrets } = storeServerDraft(id, draft);
    const isAnew = JSON.stringify(secrets) !== JSON.stringify(this.#deps.kept.secretsOf(id));
    this.#deps.kept.setSecrets(id, secrets);
    const entries = order.map((each) => (each === id ? entry : this.#entry(each)));
    void this.#write(entries, this.setAside, isAnew ? id : undefined);
    return this.#view(entry);
  }

  #entry(id: string): BrowserServerEntry {
    const entry = this.#entries.find((each) => each.id === id);
    if (entry !== undefined) return entry;
    throw new ToolyardError({ code: 'not_found', message: `This browser has no server "${id}".` });
  }

  async #write(entries: readonly BrowserServerEntry[], setAside = this.setAside, anew?: string): Promise<void> {
    this.#deps.kept.write({ entries: [...entries], setAside: [...setAside] });
    await this.#apply(entries, setAside, anew);
  }

  /** Makes the host have these servers; only what has changed is touched. `anew` is one whose secrets may have. */
  async #apply(
    entries: readonly BrowserServerEntry[],
    setAside: readonly SetAsideEntry[],
    anew?: string,
  ): Promise<void> {
    const before = this.#entries;
    this.#entries = entries;
    this.setAside = setAside;
    this.#tell();
    const changed = changedServers(before, entries, anew);
    if (this.#host !== undefined) {
      const host = await this.#host;
      await Promise.all(changed.map((id) => host.remove(id)));
    }
    const untouched = (entry: BrowserServerEntry) =>
      entry.id !== anew && before.some((one) => isSameServerEntry(one, entry));
    await Promise.all(entries.filter((entry) => !untouched(entry)).map((entry) => this.#settle(entry)));
  }

  /** Connects a server that is wanted, and leaves one that is not. */
  async #settle(entry: BrowserServerEntry): Promise<void> {
    const { id } = entry;
    const secrets = this.#deps.kept.secretsOf(id);
    if (missingHeaders(entry, secrets).length > 0) return;
    const isWanted = (): boolean => {
      const now = this.#entries.find((each) => each.id === id);
      return now !== undefined && (now.enabled || this.#choices[id] === true);
    };
    if (!isWanted() && this.#host === undefined) return;
    const host = await this.#open();
    // Meanwhile it may have been taken away, or changed: then somebody else settles it.
    if (!this.#entries.some((each) => isSameServerEntry(each, entry))) return;
    if (!host.configurations.has(id)) host.add(toServerConfig(entry, secrets));
    if (!isWanted()) return host.setEnabled(id, false);
    await host.setEnabled(id, true);
    await this.#connect(host, entry, () => host.connect(id)).catch(() => undefined);
  }

  /** @throws what `how` throws, which also stands in the health of the server */
  async #connect(host: McpHost, entry: BrowserServerEntry, how: () => Promise<void>): Promise<void> {
    this.#obstacles.forget(entry.id);
    try {
      await how();
    } catch (thrown) {
      void this.#obstacles.look(entry, host.health().find(({ id }) => id === entry.id)?.error);
      throw thrown;
    }
  }

  #open(): Promise<McpHost> {
    this.#host ??= this.#deps.load().then(({ createTabHost, definitionTokens }) => {
      this.#costOf = definitionTokens;
      const host = createTabHost((id) => this.#entries.some((entry) => entry.id === id && entry.useProxy));
      host.onChange(() => this.#tellSoon());
      this.#live = host;
      return host;
    });
    // A part of the page that could not be loaded is asked for again the next time.
    this.#host.catch(() => (this.#host = undefined));
    return this.#host;
  }

  /** What is not asked of every page is asked of the host itself. */
  async host(): Promise<McpHost> {
    await this.ensureInitialized();
    return this.#open();
  }

  #tell(): void {
    const host = this.#live;
    // The host has one that is nobody's entry: the person, whom models ask.
    const own = host?.health().filter(({ id }) => this.#entries.some((entry) => entry.id === id)) ?? [];
    this.health = new Map(own.map((health) => [health.id, health]));
    this.error = host?.error ?? null;
    this.toolCount = own.reduce((sum, { toolCount }) => sum + toolCount, 0);
    this.connectedServers = own.filter(({ state }) => state === 'ready').map(({ id }) => id);
    this.list = this.#entries.map((entry) => this.#view(entry));
    this.resources.tell(host);
  }

  #view(entry: BrowserServerEntry): BrowserServerView {
    const tools = this.#live?.tools().filter(({ tool }) => tool.serverId === entry.id) ?? [];
    return toBrowserServerView(entry, {
      health: this.health.get(entry.id),
      tools,
      costOf: this.#costOf,
      obstacle: this.#obstacles.of(entry.id),
      missing: missingHeaders(entry, this.#deps.kept.secretsOf(entry.id)),
    });
  }
}

/** True for the tools of a list, as `server/tool`. */
function hiding(disabledTools: readonly string[] = []): (tool: ToolReference) => boolean {
  const hidden = new Set(disabledTools);
  return ({ serverId, name }) => hidden.has(`${serverId}/${name}`);
}

/** The servers of this browser. */
export const mcpStore = new McpStore();
