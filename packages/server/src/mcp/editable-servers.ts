import { dirname } from 'node:path';
import type { HostedConfig, PluginConfig, ServerConfig } from '@toolyard/mcp-host';
import { HostedServers } from '@toolyard/mcp-host';
import { deleteOtherPrivateFolders, deletePrivateFolder } from '@toolyard/mcp-host/node';
import type { McpServerList, McpServerView, PermissionView, Owner, TestMcpServer } from '@toolyard/protocol';
import { defined, isStorageFault, messageOf, toErrorInfo, ToolyardError, say } from '@toolyard/protocol';
import { createOwnerFetches } from '../config/owner-fetches.ts';
import type { McpServers, Servers } from '../services.ts';
import { retryUntilStored } from '../retry-until-stored.ts';
import type { ConfiguredServer } from './configured-servers.ts';
import { configuredServers } from './configured-servers.ts';
import { createEntryApprovals } from './entry-approvals.ts';
import { EntryGate } from './entry-gate.ts';
import { createHostedStore } from './hosted-store.ts';
import type { Differences, ServerList } from './server-list.ts';
import { McpJsonEditor } from './mcp-json-editor.ts';
import { McpJsonWatcher } from './mcp-json-watcher.ts';
import type { PluginSettings } from './plugin-settings.ts';
import { createPluginSettings } from './plugin-settings.ts';
import type { ServersOptions } from './servers-options.ts';
import { assignOrigins } from './assign-origins.ts';

export type EditableServersOptions = Pick<
  ServersOptions,
  | 'builtIn'
  | 'file'
  | 'flags'
  | 'env'
  | 'owner'
  | 'settings'
  | 'permissions'
  | 'approvals'
  | 'secrets'
  | 'clock'
  | 'log'
> & {
  book: ServerList;
  /** Other processes have their own server lists. */
  isShared: boolean;
  /** False hides the server from this process. */
  isThere?: (config: ServerConfig) => boolean;
};

/** The configured servers of a process, and changes by their owner; the subclass manages connections. */
export abstract class EditableServers {
  protected readonly book: ServerList;
  protected readonly fetches = createOwnerFetches();
  /** Servers that services host. */
  protected readonly hosted: HostedServers;
  protected readonly pluginSettings: PluginSettings;
  readonly #options: EditableServersOptions;
  readonly #file: McpJsonWatcher;
  readonly #editor: McpJsonEditor;
  readonly #gate: EntryGate;
  /** Updates of the list run one after the other. */
  #updating: Promise<void> = Promise.resolve();
  readonly #logged = new Set<string>();
  #hasStarted = false;
  /** Aborts applying the previous change of the file. */
  #following = new AbortController();

  constructor(options: EditableServersOptions) {
    const { book, file, env, secrets, owner, settings, clock, log, isShared } = options;
    this.#options = options;
    this.book = book;
    this.hosted = new HostedServers({
      // Used for the hosting services only; their URLs come from the owner.
      fetch: (input, init) => this.fetches.for(String(input))(input, init),
      ...(secrets === undefined ? {} : { store: createHostedStore(secrets, owner, isShared) }),
    });
    this.pluginSettings = createPluginSettings({ secrets, owner, clock, fetches: this.fetches });
    this.#file = new McpJsonWatcher({ path: file, env, clock, log, onChange: () => this.#followFile() });
    this.#editor = new McpJsonEditor({ book, file: this.#file });
    const stored = createEntryApprovals(
      {
        get: (key) => settings.get(owner, key),
        set: (key, value) => settings.set(owner, key, value, clock.now()),
      },
      { sharedBy: isShared ? this.#dataFolder : undefined },
    );
    this.#gate = new EntryGate(options.approvals ?? stored, book);
  }

  abstract list(principal: Owner): Promise<McpServerList>;
  /** Connects and disconnects what has changed in the list. */
  protected abstract updated(differences: Differences): void;
  /** The user has enabled or disabled the server. */
  protected abstract switched(id: string): Promise<void>;
  /** Notifies the subscribers of a server; without an id, those of the list. */
  protected abstract changed(id?: string): void;
  /** Forgets the sign-in of a server that is being removed. */
  protected abstract forgetSignIn(principal: Owner, id: string): Promise<unknown>;

  isConfigured(id: string): boolean {
    return this.book.find(id) !== undefined;
  }

  /** The servers without a fault, as they are configured now. */
  get configured(): ServerConfig[] {
    return this.book.usable;
  }

  /** Returns true if approvals of tools were written that this process has not read. */
  protected async startList({ watch }: { watch: boolean }): Promise<boolean> {
    await this.#update();
    if (watch) this.#file.watch();
    void this.#deleteUnlistedFolders();
    // If mcp.json cannot be read, its servers are unknown: the next start assigns the origins.
    return this.#file.fault === undefined && (await assignOrigins(this.#options, this.book));
  }

  protected async closeList(): Promise<void> {
    this.#file.close();
    this.#following.abort();
    // The caller that started the update receives its error.
    await this.#updating.catch(() => undefined);
  }

  /** The whole list, with the fault of the file. */
  protected listOf(items: McpServerView[]): McpServerList {
    const { fault } = this.#file;
    return { items, ...defined({ fileFault: fault }) };
  }

  /** Permissions that apply to all conversations. */
  protected async permissions(principal: Owner): Promise<PermissionView[]> {
    const decided = await this.#options.permissions.list(principal);
    return decided.filter(({ conversationId }) => conversationId === null);
  }

  add: McpServers['add'] = async (principal, { id, ...server }) => {
    this.checkOwner(principal);
    await this.#gate.write(id, this.#editor.add(id, server));
    await this.book.forget([id], [id]);
    return this.#changed(principal, id);
  };

  configuration: McpServers['configuration'] = async (principal, id) => {
    this.check(principal, id);
    return this.#editor.configuration(id, this.book.isEnabled(id));
  };

  edit: McpServers['edit'] = async (principal, id, edit) => {
    const { book } = this;
    this.check(principal, id);
    this.#gate.check(id);
    await this.#gate.write(id, this.#editor.edit(id, edit, book.isEnabled(id)));
    await book.forget([id], edit.disabledTools === undefined ? [] : [id]);
    return this.#changed(principal, id, [id]);
  };

  remove: McpServers['remove'] = async (principal, id) => {
    const { book } = this;
    this.check(principal, id);
    this.#editor.checkRemovable(id);
    const server = book.find(id);
    // Revoke its tokens while the server is still known.
    await this.forgetSignIn(principal, id).catch((thrown: unknown) => {
      if (isStorageFault(thrown)) throw thrown;
    });
    this.#editor.remove(id);
    const hosted = hostedOf(server);
    // A removed hosted server is remembered: no process creates it again, and each says so.
    if (!hosted) await this.#gate.forget(id);
    await book.forget([id], [id]);
    await this.#update();
    this.changed(id);
    if (hosted) await this.#returnToService(id, hosted);
    await this.pluginSettings.forget(id);
    // Not awaited: a process of the server may still be exiting, and caches may be large.
    void this.#untilDeleted(deletePrivateFolder({ listedIn: this.#dataFolder }, id, this.#options.clock));
  };

  change: McpServers['change'] = async (principal, id, { enabled, tools }) => {
    const { book } = this;
    this.check(principal, id);
    if (tools !== undefined) await book.switchTools(id, tools);
    if (enabled !== undefined) {
      await book.switchServer(id, enabled);
      await this.switched(id);
    }
    this.changed(id);
    return this.view(principal, id);
  };

  plugin: Servers['plugin'] = async (principal, id, signal) => {
    this.check(principal, id);
    return this.pluginSettings.view(id, this.#pluginOf(id), signal);
  };

  setPlugin: Servers['setPlugin'] = async (principal, id, { values }, signal) => {
    this.check(principal, id);
    return this.pluginSettings.set(id, this.#pluginOf(id), values, signal);
  };

  approval: McpServers['approval'] = async (principal, id) => {
    this.check(principal, id);
    return this.#gate.view(id);
  };

  approveEntry: McpServers['approveEntry'] = async (principal, id, { hash }) => {
    this.check(principal, id);
    await this.#gate.approve(id, hash);
    return this.#changed(principal, id);
  };

  /** @throws ToolyardError `conflict` if it is another server */
  #pluginOf(id: string): PluginConfig {
    const { transport } = this.configOf(id);
    if (transport.type === 'plugin') return transport;
    throw new ToolyardError({ code: 'conflict', message: say`The server "${id}" is not a legacy plugin.` });
  }

  /** Approvals may come from another process with the same database. */
  protected async lookForApprovals(): Promise<void> {
    if (this.#gate.isAnyWaiting) await this.#update();
  }

  /** The configuration to test. @throws ToolyardError if it cannot be tested at all */
  protected tried(principal: Owner, request: TestMcpServer): ServerConfig {
    this.checkOwner(principal);
    // A test may use stored values of the entry.
    if (request.id !== undefined) this.#gate.check(request.id);
    return this.#editor.tried(request);
  }

  /** @throws ToolyardError `not_found` */
  protected async view(principal: Owner, id: string): Promise<McpServerView> {
    const view = (await this.list(principal)).items.find((server) => server.id === id);
    if (view === undefined) throw noServer(id);
    return view;
  }

  /** @throws ToolyardError `not_found`; `conflict` if its entry cannot be read */
  protected configOf(id: string): ServerConfig {
    const server = this.book.find(id);
    if (server === undefined) throw noServer(id);
    if ('config' in server) return server.config;
    const { message, hint } = server.fault;
    throw new ToolyardError({ code: 'conflict', message, ...defined({ hint }) });
  }

  /** @throws ToolyardError `not_found`, `forbidden` */
  protected check(principal: Owner, id: string): void {
    if (this.book.find(id) === undefined) throw noServer(id);
    this.checkOwner(principal);
  }

  /** @throws ToolyardError `forbidden` */
  protected checkOwner(principal: Owner): void {
    if (principal.ownerId === this.#options.owner.ownerId) return;
    throw new ToolyardError({
      code: 'forbidden',
      message: say`Only the owner of this server can enable, disable or change MCP servers.`,
      hint: say`In a conversation you can still choose which servers it uses.`,
    });
  }

  async #changed(principal: Owner, id: string, saved: readonly string[] = []): Promise<McpServerView> {
    await this.#update(saved);
    this.changed(id);
    return this.view(principal, id);
  }

  #update(saved: readonly string[] = []): Promise<void> {
    const update = (): Promise<void> => this.#updateNow(saved);
    this.#updating = this.#updating.then(update, update);
    return this.#updating;
  }

  async #updateNow(saved: readonly string[]): Promise<void> {
    const { builtIn, flags, isThere } = this.#options;
    const { entries, fault } = this.#file;
    const configured = configuredServers({
      builtIn,
      entries,
      waiting: await this.#gate.waiting(entries, fault === undefined),
      flags,
      log: (line) => this.#logOnce(line),
    });
    const here = configured.filter((server) => 'fault' in server || isThere?.(server.config) !== false);
    await this.#forgetReturned(here, saved);
    const differences = await this.book.update(here);
    this.updated(differences);
    const ids = Object.values(differences).flat();
    for (const id of ids) this.changed(id);
    // The fault of the file may have changed.
    if (ids.length === 0) this.changed();
  }

  /**
   * Creates a hosted server again after it was returned to its service, when the user adds or saves it; not at a start
   * with an outdated file.
   */
  async #forgetReturned(servers: readonly ConfiguredServer[], saved: readonly string[]): Promise<void> {
    const isFirst = !this.#hasStarted;
    this.#hasStarted = true;
    for (const server of servers) {
      const now = hostedOf(server);
      const before = hostedOf(this.book.find(server.id));
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
    const ids = [...this.book.ids, ...this.#file.entries.map(({ id }) => id)];
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
    const others = this.book.all.map(hostedOf).filter((other) => other !== undefined);
    if (others.some((other) => this.hosted.isSame(other, transport))) return;
    await this.hosted.remove(transport, { serverId, clock }).catch((thrown: unknown) => {
      log(
        `MCP servers: "${serverId}" was removed here, but not at its hosting service: ${toErrorInfo(thrown).message}`,
      );
    });
  }
}

function hostedOf(server: ConfiguredServer | undefined): HostedConfig | undefined {
  if (server === undefined || !('config' in server)) return undefined;
  const { transport } = server.config;
  return transport.type === 'hosted' ? transport : undefined;
}

export function noServer(id: string): ToolyardError {
  return new ToolyardError({ code: 'not_found', message: say`There is no server "${id}".` });
}
