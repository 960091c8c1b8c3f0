import { dirname } from 'node:path';
import type { ServerConfig } from '@toolyard/mcp-host';
import { McpHost, unseenPin } from '@toolyard/mcp-host';
import type { ResolvedAgentConfiguration } from '@toolyard/protocol';
import { defined, formatToolReference, VERSION } from '@toolyard/protocol';
import type { RunServers, ServerWait } from '../services.ts';
import { ChangeSignal } from './change-signal.ts';
import type { ServerStates } from './editable-servers.ts';
import { EditableServers } from './editable-servers.ts';
import { NO_USER_HANDLERS } from './no-user-handlers.ts';
import type { AskHolder, Servers } from './operations.ts';
import { askHere } from './operations.ts';
import { createOwnTransports } from './own-transports.ts';
import { ResourceFollows } from './resource-follows.ts';
import { Selections } from './selections.ts';
import { ServerConnections } from './server-connections.ts';
import { ServerList } from './server-list.ts';
import { ServerRequests } from './server-requests.ts';
import type { ServersOptions } from './servers-options.ts';
import { createSignInFetches } from './sign-in-fetches.ts';
import type { StoredPins } from './stored-pins.ts';
import { loadPins } from './stored-pins.ts';

/** Creates the MCP servers of this process. Enabled servers start connecting at once, in the background. */
export async function createServers(options: ServersOptions): Promise<ConnectedServers> {
  const { settings, owner, clock } = options;
  const serverList = await ServerList.open({ settings, owner, now: () => clock.now() });
  const servers = new ConnectedServers(options, serverList, await loadPins(options));
  await servers.start();
  return servers;
}

/** The MCP servers of a process with its own connections. */
export class ConnectedServers implements Servers {
  readonly editable: EditableServers;
  readonly lists: ServerRequests;
  readonly ask: AskHolder;
  /** For processes that offer these servers to others. */
  readonly host: McpHost;
  readonly #options: ServersOptions;
  readonly #pins: StoredPins;
  readonly #signInFetches = createSignInFetches();
  readonly #connections: ServerConnections;
  readonly #signal: ChangeSignal;
  readonly #follows: ResourceFollows;
  readonly #selections: Selections;
  readonly #wantsSignIn = new Set<string>();
  #onSignedIn: (serverId: string) => void = () => undefined;

  constructor(options: ServersOptions, serverList: ServerList, pins: StoredPins) {
    const { clock, hub, ownership, signIns } = options;
    this.#options = options;
    this.#pins = pins;
    this.editable = new EditableServers({
      ...options,
      serverList,
      isShared: ownership !== undefined,
      isVisible: (config) => ownership?.isVisible(config) !== false,
      connections: {
        updated: (differences) => {
          for (const id of [...differences.removed, ...differences.changed]) this.#follows.forget(id);
          this.#connections.update(differences);
        },
        switched: (id) => this.#connections.switched(id),
        changed: (id = '') => this.#signal.changed(id),
        forgetSignIn: (_principal, id) => this.host.signOut(id),
        states: () => Promise.resolve(this.#states()),
      },
    });
    const { fetches, hosted, pluginSettings } = this.editable;
    const clientInfo = { name: 'toolyard', version: VERSION };
    const own = createOwnTransports({
      fetches,
      hosted,
      pluginSettings: (id, config) => pluginSettings.values(id, config),
      ...defined({ functions: options.functions }),
      dataFolder: dirname(options.file),
      isListed: (id) => serverList.find(id)?.origin !== 'flag',
      servers: () => serverList.usable,
    });
    const createTransport = ownership?.transports(own) ?? own;
    const signIn = {
      store: signIns,
      fetchFor: (config: ServerConfig) => this.#signInFetches.for(config),
      introduction: { name: 'Toolyard' },
    };
    const host = new McpHost({
      servers: [],
      createTransport,
      clock,
      clientInfo,
      handlers: NO_USER_HANDLERS,
      callerRoots: true,
      pins,
      signIn,
    });
    this.host = host;
    const connections = new ServerConnections({ ...options, host, serverList });
    this.#connections = connections;
    this.#signal = new ChangeSignal(clock, (id) => hub.changed(null, 'servers', ...(id === '' ? [] : [id])));
    host.onChange((id) => {
      this.#selections.changed(id);
      this.#signal.changed(id);
      this.#watchSignIn(id);
    });
    this.#selections = new Selections({
      host,
      serverList,
      connectWaitMs: options.connectWaitMs,
      connectTemporarily: (id) => connections.connectTemporarily(id),
      // A storage error must not block a run; sign-ins of other processes are missing then.
      reloadSignIns: () => this.reloadSignIns().catch(() => undefined),
      onUse: (id, calls) => connections.use(id, calls),
    });
    this.#follows = new ResourceFollows({
      clock,
      follow: (id, uri, listener) => host.resources.follow(id, uri, listener),
      changed: (id) => hub.changed(null, 'resources', id),
    });
    this.lists = new ServerRequests({
      host,
      clock,
      editable: this.editable,
      connections,
      follows: this.#follows,
      inspect: { createTransport, clientInfo, signIn },
    });
    this.ask = askHere(this.lists);
  }

  async start(): Promise<void> {
    await this.editable.start({ watch: this.#options.eager !== false });
  }

  /** Downloads during a test are also shown on the page of the server. */
  #states(): ServerStates {
    const { host } = this;
    const all = new Map(host.health().map((each) => [each.id, each]));
    const lastHealth: ServerStates['lastHealth'] = (id) => {
      const health = all.get(id);
      return health && { ...health, ...defined({ launch: health.launch ?? this.lists.launchOfTest(id) }) };
    };
    return {
      lastHealth,
      health: ({ id }) => lastHealth(id),
      tools: host.tools(),
      templates: (id) => host.resources.templates(id).length,
      findChange: (tool) => host.trust.findChange(tool),
    };
  }

  select(
    configuration: ResolvedAgentConfiguration,
    signal: AbortSignal,
    wait?: ServerWait,
  ): ReturnType<RunServers['select']> {
    return this.#selections.select(configuration, signal, wait);
  }

  connectAll(): Promise<void> {
    return this.#connections.connectAll();
  }

  approve({ tool, definition = this.host.findDefinition(tool) }: Parameters<RunServers['approve']>[0]): void {
    const config = this.host.configurations.get(tool.serverId);
    if (config?.builtIn === true) return;
    if (config !== undefined && definition !== undefined) return this.host.approveTool(tool, definition);
    // The tool is not available, so any definition that appears later needs approval.
    const key = formatToolReference(tool);
    if (this.#pins.get(key) === undefined) this.#pins.set(key, unseenPin(definition ?? ''));
  }

  unsandboxed: RunServers['unsandboxed'] = (chosen) => this.editable.unsandboxed(chosen);

  /** Reads changes and approvals made by another process with the same database. */
  async reload(): Promise<void> {
    for (const id of await this.editable.serverList.reload()) await this.#connections.switched(id);
    for (const tool of await this.#pins.reload()) this.host.trust.reviewAgain(tool);
    await this.editable.reloadApprovals();
  }

  /** Connects an enabled server or disconnects a disabled one, if this process is responsible for it. */
  follow(id: string): Promise<void> {
    return this.#connections.follow(id);
  }

  /** Connects the server if needed, waits up to a limit, and keeps the connection for a while. */
  async ready(id: string, signal?: AbortSignal): Promise<void> {
    this.editable.getConfig(id);
    await this.#connections.ready(id, signal);
    this.#connections.use(id, 0);
  }

  /** Reads sign-ins made by another process with the same database. */
  reloadSignIns(): Promise<void> {
    return this.host.reloadSignIns();
  }

  onSignedIn(listener: (serverId: string) => void): void {
    this.#onSignedIn = listener;
  }

  async close(): Promise<void> {
    this.#connections.close();
    this.#follows.close();
    await this.editable.close();
    await this.host.close();
    await this.#pins.close();
    this.#signal.close();
    await this.editable.fetches.close();
    await this.#signInFetches.close();
  }

  #watchSignIn(id: string): void {
    const state = this.#connections.findState(id);
    if (state === 'needs_sign_in') this.#wantsSignIn.add(id);
    if (state === 'ready' && this.#wantsSignIn.delete(id)) this.#onSignedIn(id);
  }
}
