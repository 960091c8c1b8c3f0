import { dirname } from 'node:path';
import { GROUP_TOOLS } from '@toolyard/agent-host';
import type { HostedConfig, IndexedTool, PluginConfig, ServerConfig, ServerHealth } from '@toolyard/mcp-host';
import { HostedServers, redactorFor } from '@toolyard/mcp-host';
import { deleteOtherPrivateFolders, deletePrivateFolder } from '@toolyard/mcp-host/node';
import type {
  AddMcpServer,
  ApproveMcpEntry,
  ChangeMcpServer,
  EditMcpServer,
  McpEntryApproval,
  McpPlugin,
  McpServerConfiguration,
  McpServerList,
  McpServerView,
  McpToolDetail,
  Owner,
  SetMcpPlugin,
  TestMcpServer,
  ToolChange,
  ToolReference,
} from '@toolyard/protocol';
import { defined, isStorageFault, messageOf, toErrorInfo, ToolyardError, say } from '@toolyard/protocol';
import { createConflictError, createNotFoundError } from '../errors.ts';
import { createOwnerFetches } from '../config/owner-fetches.ts';
import { retryUntilStored } from '../retry-until-stored.ts';
import type { ConfiguredServer } from './configured-servers.ts';
import { configuredServers } from './configured-servers.ts';
import { createEntryApprovals } from './entry-approvals.ts';
import { createHostedStore } from './hosted-store.ts';
import type { Differences, ServerList } from './server-list.ts';
import { McpJson } from './mcp-json.ts';
import type { PluginSettings } from './plugin-settings.ts';
import { createPluginSettings } from './plugin-settings.ts';
import { isUnsandboxed, toServerView, toToolDetail } from './server-view.ts';
import type { ServersOptions } from './servers-options.ts';

export type EditableServersOptions = Omit<
  ServersOptions,
  'hub' | 'signIns' | 'eager' | 'ownership' | 'connectWaitMs'
> & {
  serverList: ServerList;
  connections: ListedConnections;
  /** Other processes have their own server lists. */
  isShared: boolean;
  /** False hides the server from this process. */
  isVisible?: (config: ServerConfig) => boolean;
};

/** What a list needs of the connections to its servers, in this process or in others. */
export type ListedConnections = {
  /** Connects and disconnects what has changed in the list. */
  updated(differences: Differences): void;
  /** The user has enabled or disabled the server. */
  switched(id: string): Promise<void>;
  /** Notifies the subscribers of a server; without an id, those of the list. */
  changed(id?: string): void;
  /** Forgets the sign-in of a server that is being removed. */
  forgetSignIn(principal: Owner, id: string): Promise<unknown>;
  states(): Promise<ServerStates>;
};

/** The state of all servers. */
export type ServerStates = {
  /** Undefined for a server with a fault. */
  health(server: ConfiguredServer): ServerHealth | undefined;
  /** The health that was last known, even if the server is not connected now. */
  lastHealth(id: string): ServerHealth | undefined;
  /** The tools of all servers, with their names for models. */
  tools: readonly IndexedTool[];
  /** The number of resource templates. */
  templates(id: string): number;
  findChange(tool: ToolReference): ToolChange | undefined;
};

/** The configured servers of a process, and changes by their owner. */
export class EditableServers {
  readonly serverList: ServerList;
  readonly fetches = createOwnerFetches();
  /** Servers that services host. */
  readonly hosted: HostedServers;
  readonly pluginSettings: PluginSettings;
  readonly #options: EditableServersOptions;
  readonly #connections: ListedConnections;
  readonly #file: McpJson;
  /** Updates of the list run one after the other. */
  #updating: Promise<void> = Promise.resolve();
  readonly #logged = new Set<string>();
  #hasStarted = false;
  /** Aborts applying the previous change of the file. */
  #following = new AbortController();

  constructor(options: EditableServersOptions) {
    const { serverList, file, env, secrets, owner, settings, clock, log, isShared } = options;
    this.#options = options;
    this.#connections = options.connections;
    this.serverList = serverList;
    this.hosted = new HostedServers({
      // Used for the hosting services only; their URLs come from the owner.
      fetch: (input, init) => this.fetches.for(String(input))(input, init),
      ...(secrets === undefined ? {} : { store: createHostedStore(secrets, owner, isShared) }),
    });
    this.pluginSettings = createPluginSettings({ secrets, owner, clock, fetches: this.fetches });
    const stored = createEntryApprovals(
      {
        get: (key) => settings.get(owner, key),
        set: (key, value) => settings.set(owner, key, value, clock.now()),
      },
      { sharedBy: isShared ? this.#dataFolder : undefined },
    );
    this.#file = new McpJson({
      path: file,
      env,
      serverList,
      approvals: options.approvals ?? stored,
      clock,
      log,
      onChange: () => this.#followFile(),
    });
  }

  async list(principal: Owner): Promise<McpServerList> {
    const { serverList } = this;
    const { states, ofTools } = await this.#states(principal);
    const tools = Map.groupBy(states.tools, ({ tool }) => tool.serverId);
    // The decisions of groups are no tools that a user switches on.
    const listed = serverList.all.filter(({ id, origin }) => id !== GROUP_TOOLS.id || origin !== 'built-in');
    const items = listed.map((server) =>
      toServerView({
        server,
        enabled: serverList.isEnabled(server.id),
        health: states.health(server),
        tools: tools.get(server.id) ?? [],
        templates: states.templates(server.id),
        ...ofTools,
      }),
    );
    return { items, ...defined({ fileFault: this.#file.fault }) };
  }

  /** The tools of a server that are known now, with their schemas. */
  async toolDetails(principal: Owner, id: string): Promise<McpToolDetail[]> {
    const { states, ofTools } = await this.#states(principal);
    return states.tools.filter(({ tool }) => tool.serverId === id).map((tool) => toToolDetail(tool, ofTools));
  }

  /** The enabled local servers that run without a sandbox, except bundled ones. */
  async unsandboxed(chosen: Readonly<Record<string, boolean>> = {}): Promise<string[]> {
    const states = await this.#connections.states();
    return this.serverList.usable
      .filter(({ id }) => chosen[id] ?? this.serverList.isEnabled(id))
      .filter((config) => isUnsandboxed(config, states.lastHealth(config.id)))
      .map(({ id }) => id);
  }

  /** The state of all servers, and what the views of tools need. */
  async #states(principal: Owner) {
    const { functions, permissions } = this.#options;
    const decided = await permissions.list(principal);
    const states = await this.#connections.states();
    const ofTools = {
      // Those of single conversations are shown there.
      permissions: decided.filter(({ conversationId }) => conversationId === null),
      isToolOn: (tool: ToolReference) => this.serverList.isToolOn(tool),
      findChange: (tool: ToolReference) => states.findChange(tool),
      isIsolated: (listed: IndexedTool) => functions?.isIsolated([listed], listed.tool) === true,
    };
    return { states, ofTools };
  }

  /** Redacts the secrets of a server's configuration in a text. */
  redactor(id: string): (text: string) => string {
    const server = this.serverList.find(id);
    return server && 'config' in server ? redactorFor(server.config) : (text) => text;
  }

  async start({ watch }: { watch: boolean }): Promise<void> {
    await this.#update();
    if (watch) this.#file.watch();
    void this.#deleteUnlistedFolders();
  }

  async close(): Promise<void> {
    this.#file.close();
    this.#following.abort();
    // The caller that started the update receives its error.
    await this.#updating.catch(() => undefined);
  }

  /** @throws ToolyardError `conflict` if the id exists */
  async add(principal: Owner, { id, ...server }: AddMcpServer): Promise<McpServerView> {
    this.checkOwner(principal);
    await this.#file.add(id, server);
    await this.serverList.forget([id], [id]);
    return this.#changed(principal, id);
  }

  /** Its entry in `mcp.json`. @throws ToolyardError `conflict` if it has none */
  async configuration(principal: Owner, id: string): Promise<McpServerConfiguration> {
    this.check(principal, id);
    return this.#file.configuration(id);
  }

  async edit(principal: Owner, id: string, edit: EditMcpServer): Promise<McpServerView> {
    const { serverList } = this;
    this.check(principal, id);
    await this.#file.edit(id, edit);
    await serverList.forget([id], edit.disabledTools === undefined ? [] : [id]);
    return this.#changed(principal, id, [id]);
  }

  async remove(principal: Owner, id: string): Promise<void> {
    const { serverList } = this;
    this.check(principal, id);
    this.#file.checkRemovable(id);
    const server = serverList.find(id);
    // Revoke its tokens while the server is still known.
    await this.#connections.forgetSignIn(principal, id).catch((thrown: unknown) => {
      if (isStorageFault(thrown)) throw thrown;
    });
    this.#file.remove(id);
    const hosted = findHosted(server);
    // A removed hosted server is remembered: no process creates it again, and each says so.
    if (!hosted) await this.#file.forgetApproval(id);
    await serverList.forget([id], [id]);
    await this.#update();
    this.#connections.changed(id);
    if (hosted) await this.#returnToService(id, hosted);
    await this.pluginSettings.forget(id);
    // Not awaited: a process of the server may still be exiting, and caches may be large.
    void this.#untilDeleted(deletePrivateFolder({ listedIn: this.#dataFolder }, id, this.#options.clock));
  }

  async change(principal: Owner, id: string, { enabled, tools }: ChangeMcpServer): Promise<McpServerView> {
    const { serverList } = this;
    this.check(principal, id);
    if (tools !== undefined) await serverList.switchTools(id, tools);
    if (enabled !== undefined) {
      await serverList.switchServer(id, enabled);
      await this.#connections.switched(id);
    }
    this.#connections.changed(id);
    return this.view(principal, id);
  }

  /** A legacy plugin and its settings. @throws ToolyardError `conflict` for any other server */
  async plugin(principal: Owner, id: string, signal?: AbortSignal): Promise<McpPlugin> {
    this.check(principal, id);
    return this.pluginSettings.view(id, this.#getPlugin(id), signal);
  }

  async setPlugin(principal: Owner, id: string, { values }: SetMcpPlugin, signal?: AbortSignal): Promise<McpPlugin> {
    this.check(principal, id);
    return this.pluginSettings.set(id, this.#getPlugin(id), values, signal);
  }

  /** Its entry in `mcp.json` for approval. @throws ToolyardError `conflict` if it needs no approval */
  async approval(principal: Owner, id: string): Promise<McpEntryApproval> {
    this.check(principal, id);
    return this.#file.approval(id);
  }

  /** Approves the entry. @throws ToolyardError `conflict` if it has changed since */
  async approveEntry(principal: Owner, id: string, { hash }: ApproveMcpEntry): Promise<McpServerView> {
    this.check(principal, id);
    await this.#file.approve(id, hash);
    return this.#changed(principal, id);
  }

  /** @throws ToolyardError `conflict` if it is another server */
  #getPlugin(id: string): PluginConfig {
    const { transport } = this.getConfig(id);
    if (transport.type === 'plugin') return transport;
    throw createConflictError(say`The server "${id}" is not a legacy plugin.`);
  }

  /** Approvals may come from another process with the same database. */
  async reloadApprovals(): Promise<void> {
    if (this.#file.hasUnapproved) await this.#update();
  }

  /** The configuration to test. @throws ToolyardError if it cannot be tested at all */
  toTestConfig(principal: Owner, request: TestMcpServer): ServerConfig {
    this.checkOwner(principal);
    return this.#file.toTestConfig(request);
  }

  /** @throws ToolyardError `not_found` */
  async view(principal: Owner, id: string): Promise<McpServerView> {
    const view = (await this.list(principal)).items.find((server) => server.id === id);
    if (view === undefined) throw createNoServerError(id);
    return view;
  }

  /** @throws ToolyardError `not_found`; `conflict` if its entry cannot be read */
  getConfig(id: string): ServerConfig {
    const server = this.serverList.find(id);
    if (server === undefined) throw createNoServerError(id);
    if ('config' in server) return server.config;
    const { message, hint } = server.fault;
    throw createConflictError(message, hint);
  }

  /** @throws ToolyardError `not_found`, `forbidden` */
  check(principal: Owner, id: string): void {
    if (this.serverList.find(id) === undefined) throw createNoServerError(id);
    this.checkOwner(principal);
  }

  /** @throws ToolyardError `forbidden` */
  checkOwner(principal: Owner): void {
    if (principal.ownerId === this.#options.owner.ownerId) return;
    throw new ToolyardError({
      code: 'forbidden',
      message: say`Only the owner of this server can enable, disable or change MCP servers.`,
      hint: say`In a conversation you can still choose which servers it uses.`,
    });
  }

  async #changed(principal: Owner, id: string, saved: readonly string[] = []): Promise<McpServerView> {
    await this.#update(saved);
    this.#connections.changed(id);
    return this.view(principal, id);
  }

  #update(saved: readonly string[] = []): Promise<void> {
    const update = (): Promise<void> => this.#updateNow(saved);
    this.#updating = this.#updating.then(update, update);
    return this.#updating;
  }

  async #updateNow(saved: readonly string[]): Promise<void> {
    const { builtIn, flags, isVisible } = this.#options;
    const configured = configuredServers({
      builtIn,
      entries: this.#file.entries,
      unapproved: await this.#file.unapproved(),
      flags,
      log: (line) => this.#logOnce(line),
    });
    const here = configured.filter((server) => 'fault' in server || isVisible?.(server.config) !== false);
    await this.#forgetReturned(here, saved);
    const differences = await this.serverList.update(here);
    this.#connections.updated(differences);
    const ids = Object.values(differences).flat();
    for (const id of ids) this.#connections.changed(id);
    // The fault of the file may have changed.
    if (ids.length === 0) this.#connections.changed();
  }

  /**
   * Creates a hosted server again after it was returned to its service, when the user adds or saves it; not at a start
   * with an outdated file.
   */
  async #forgetReturned(servers: readonly ConfiguredServer[], saved: readonly string[]): Promise<void> {
    const isFirst = !this.#hasStarted;
    this.#hasStarted = true;
    for (const server of servers) {
      const now = findHosted(server);
      const before = findHosted(this.serverList.find(server.id));
      const isNew = !isFirst && now !== undefined && (before === undefined || !this.hosted.isSame(before, now));
      if (now && (isNew || saved.includes(server.id))) await this.hosted.wantAgain(now);
    }
  }

  /** Applies a change of the file, and retries: the watcher does not report it again. */
  #followFile(): void {
    const { clock, log } = this.#options;
    // Includes changes that could not be stored earlier.
    this.#following.abort();
    this.#following = new AbortController();
    const { signal } = this.#following;
    const update = async (): Promise<void> => {
      await this.#update().catch((thrown: unknown) => {
        log(`mcp.json: could not be applied: ${toErrorInfo(thrown).message}`);
        throw thrown;
      });
    };
    retryUntilStored(update, { clock, signal, isStillWanted: () => !signal.aborted }).catch(() => undefined);
  }

  #logOnce(line: string): void {
    if (this.#logged.has(line)) return;
    this.#logged.add(line);
    this.#options.log(line);
  }

  /** Deletes private folders of entries that were removed from the file while no server ran. */
  async #deleteUnlistedFolders(): Promise<void> {
    // A file that is missing or cannot be read does not tell which servers were removed.
    if (!this.#file.exists || this.#file.fault !== undefined) return;
    const ids = [...this.serverList.ids, ...this.#file.entries.map(({ id }) => id)];
    await this.#untilDeleted(deleteOtherPrivateFolders({ listedIn: this.#dataFolder }, ids));
  }

  async #untilDeleted(deleting: Promise<void>): Promise<void> {
    const { log } = this.#options;
    await deleting.catch((thrown: unknown) => {
      log(`MCP servers: could not delete the private folder of a removed server: ${messageOf(thrown)}`);
    });
  }

  get #dataFolder(): string {
    return dirname(this.#options.file);
  }

  /** Returns a removed server to its hosting service; a failure does not prevent the removal. */
  async #returnToService(serverId: string, transport: HostedConfig): Promise<void> {
    const { clock, log } = this.#options;
    const others = this.serverList.all.map(findHosted).filter((other) => other !== undefined);
    if (others.some((other) => this.hosted.isSame(other, transport))) return;
    await this.hosted.remove(transport, { serverId, clock }).catch((thrown: unknown) => {
      log(
        `MCP servers: "${serverId}" was removed here, but not at its hosting service: ${toErrorInfo(thrown).message}`,
      );
    });
  }
}

function findHosted(server: ConfiguredServer | undefined): HostedConfig | undefined {
  if (server === undefined || !('config' in server)) return undefined;
  const { transport } = server.config;
  return transport.type === 'hosted' ? transport : undefined;
}

export function createNoServerError(id: string): ToolyardError {
  return createNotFoundError(say`There is no server "${id}".`);
}
