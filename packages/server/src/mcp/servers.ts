import type { IndexedTool, ServerState, TransportConfig } from '@toolyard/mcp-host';
import { HostedServers, McpHost, redactorFor, serviceAddress } from '@toolyard/mcp-host';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import type { Clock, JsonObject, McpServerView, Principal, ResolvedAgentConfiguration } from '@toolyard/protocol';
import { isJsonObject, ToolyardError, VERSION } from '@toolyard/protocol';
import type { PermissionRepository, SettingsRepository } from '@toolyard/storage';
import { createOwnerFetches } from '../config/owner-fetches.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { LiveHub, Servers, ToolSelection } from '../services.ts';
import { BorrowedServers } from './borrowed-servers.ts';
import { ChangeSignal } from './change-signal.ts';
import type { ConfiguredServer } from './configured-servers.ts';
import { createHostedStore } from './hosted-store.ts';
import { Selection } from './selection.ts';
import { toServerView } from './server-view.ts';

/** How long a run, or whoever has asked for a connection, waits for servers that are connecting, in milliseconds. */
const PATIENCE_MS = 10_000;

/** In these states nobody knows yet whether a server will have tools. */
const ON_ITS_WAY: ReadonlySet<string> = new Set(['connecting', 'reconnecting']);

/** How many selections are kept; a conversation without choices of its own shares that of all others. */
const SELECTIONS_KEPT = 100;

/** The settings key under which it is kept which servers were switched on and off. Written here only. */
const ENABLED_KEY = 'mcp.enabled';

export type ServersOptions = {
  servers: readonly ConfiguredServer[];
  /** Whoever runs this server: the only one who switches its MCP servers. */
  owner: Principal;
  settings: SettingsRepository;
  permissions: PermissionRepository;
  secrets: Pick<Secrets, 'get' | 'set' | 'remove'>;
  hub: Pick<LiveHub, 'changed'>;
  clock: Clock;
  log: (line: string) => void;
};

/** The MCP servers of this process. Those that are switched on begin to connect at once; nobody waits for them. */
export async function createServers(options: ServersOptions): Promise<Servers> {
  const stored = await options.settings.get(options.owner, ENABLED_KEY);
  return new OwnServers(options, isJsonObject(stored) ? stored : {});
}

class OwnServers implements Servers {
  readonly #options: ServersOptions;
  /** Every server there is, by id. */
  readonly #enabled: Map<string, boolean>;
  /** What was switched by hand, also of servers that are not configured just now. */
  #switched: JsonObject;
  readonly #fetches = createOwnerFetches();
  readonly #host: McpHost;
  readonly #borrowed: BorrowedServers;
  readonly #signal: ChangeSignal;
  readonly #selections = new Map<string, ToolSelection>();
  /** On their way for longer than a run waits: one run has waited in vain, the others need not. */
  readonly #outwaited = new Set<string>();
  #changes = 0;

  constructor(options: ServersOptions, switched: JsonObject) {
    const { clock, hub } = options;
    this.#options = options;
    this.#switched = switched;
    this.#enabled = new Map(
      options.servers.map(({ config: { id }, enabled }) => {
        const wish = switched[id];
        return [id, typeof wish === 'boolean' ? wish : enabled];
      }),
    );
    const hosted = new HostedServers({
      // Only the services themselves are asked through it, and their addresses are the owner's.
      fetch: (input, init) => this.#fetches.for(String(input))(input, init),
      store: createHostedStore(options.secrets, options.owner),
    });
    this.#host = new McpHost({
      servers: options.servers.map(({ config }) => config),
      createTransport: (config, context) => {
        const address = addressOf(config);
        return createNodeTransports({
          hosted,
          fetch: (input, init) => this.#fetches.for(address)(input, init),
          openWebSocket: (url, init) => this.#fetches.for(address).openWebSocket(url, init),
        })(config, context);
      },
      clock,
      clientInfo: { name: 'toolyard', version: VERSION },
    });
    this.#borrowed = new BorrowedServers(clock, (id) => void this.#host.disconnect(id));
    this.#signal = new ChangeSignal(clock, (id) => hub.changed(null, 'servers', id));
    this.#host.onChange((id) => {
      this.#changes++;
      if (this.#outwaited.has(id) && !ON_ITS_WAY.has(this.#states().get(id) ?? '')) this.#outwaited.delete(id);
      this.#signal.changed(id);
    });
    for (const [id, isEnabled] of this.#enabled) if (isEnabled) this.#connect(id);
  }

  async list(principal: Principal): Promise<McpServerView[]> {
    const decided = await this.#options.permissions.list(principal);
    const permissions = decided.filter(({ conversationId }) => conversationId === null);
    const health = new Map(this.#host.health().map((each) => [each.id, each]));
    const tools = Map.groupBy(this.#host.tools(), ({ tool }: IndexedTool) => tool.serverId);
    return this.#options.servers.flatMap((server) => {
      const { id } = server.config;
      const known = health.get(id);
      if (known === undefined) return [];
      const enabled = this.#enabled.get(id) === true;
      return [toServerView({ server, enabled, health: known, tools: tools.get(id) ?? [], permissions })];
    });
  }

  async change(principal: Principal, id: string, { enabled }: { enabled: boolean }): Promise<McpServerView> {
    this.#check(principal, id);
    const { settings, owner, clock } = this.#options;
    this.#enabled.set(id, enabled);
    this.#borrowed.forget(id);
    this.#switched = { ...this.#switched, [id]: enabled };
    await settings.set(owner, ENABLED_KEY, this.#switched, clock.now());
    if (enabled) this.#connect(id);
    else await this.#host.disconnect(id);
    this.#signal.changed(id);
    return this.#view(principal, id);
  }

  async reconnect(principal: Principal, id: string): Promise<McpServerView> {
    this.#check(principal, id);
    if (this.#enabled.get(id) !== true) {
      throw new ToolyardError({
        code: 'conflict',
        message: `The server "${id}" is switched off.`,
        hint: 'Switch it on first; it connects by itself then.',
      });
    }
    this.#outwaited.delete(id);
    // What goes wrong stands in the view.
    this.#host.reconnect(id).catch(() => undefined);
    await this.#host.whenSettled([id], new AbortController().signal, PATIENCE_MS);
    return this.#view(principal, id);
  }

  async select(configuration: ResolvedAgentConfiguration, signal: AbortSignal): Promise<ToolSelection> {
    signal.throwIfAborted();
    const serverIds = [...this.#enabled.keys()].filter(
      (id) => configuration.servers[id] ?? this.#enabled.get(id) === true,
    );
    const states = this.#states();
    for (const id of serverIds) {
      if (this.#enabled.get(id) === true) continue;
      this.#borrowed.borrow(id);
      const state = states.get(id);
      if (state === 'idle') this.#connect(id);
    }
    await this.#waitFor(serverIds, signal);
    return this.#selection(serverIds, configuration.disabledTools);
  }

  async close(): Promise<void> {
    this.#borrowed.close();
    await this.#host.close();
    this.#signal.close();
    await this.#fetches.close();
  }

  async #waitFor(serverIds: readonly string[], signal: AbortSignal): Promise<void> {
    const awaited = serverIds.filter((id) => !this.#outwaited.has(id));
    await this.#host.whenSettled(awaited, signal, PATIENCE_MS);
    signal.throwIfAborted();
    const states = this.#states();
    for (const id of awaited) if (ON_ITS_WAY.has(states.get(id) ?? '')) this.#outwaited.add(id);
  }

  #states(): Map<string, ServerState> {
    return new Map(this.#host.health().map(({ id, state }) => [id, state]));
  }

  #selection(serverIds: readonly string[], disabledTools: readonly string[]): ToolSelection {
    const key = JSON.stringify([serverIds, disabledTools]);
    const known = this.#selections.get(key);
    if (known !== undefined) return known;
    const selection = new Selection({
      host: this.#host,
      serverIds,
      disabledTools,
      changes: () => this.#changes,
      onUse: (id, calls) => this.#borrowed.use(id, calls),
    });
    const [oldest] = this.#selections.keys();
    if (oldest !== undefined && this.#selections.size >= SELECTIONS_KEPT) this.#selections.delete(oldest);
    this.#selections.set(key, selection);
    return selection;
  }

  /** In the background: what goes wrong stands in the health of the server, and in the log. */
  #connect(id: string): void {
    const config = this.#options.servers.find((server) => server.config.id === id)?.config;
    this.#host.connect(id).catch((thrown: unknown) => {
      if (!ToolyardError.isInstance(thrown) || thrown.code === 'server_closed' || config === undefined) return;
      this.#options.log(`MCP server ${id}: ${redactorFor(config)(thrown.message)}`);
    });
  }

  async #view(principal: Principal, id: string): Promise<McpServerView> {
    const view = (await this.list(principal)).find((server) => server.id === id);
    if (view === undefined) throw noServer(id);
    return view;
  }

  #check(principal: Principal, id: string): void {
    if (!this.#enabled.has(id)) throw noServer(id);
    if (principal.ownerId === this.#options.owner.ownerId) return;
    throw new ToolyardError({
      code: 'forbidden',
      message: 'MCP servers are switched on and off by whoever runs this Toolyard.',
      hint: 'In a conversation you can still choose which of them it uses.',
    });
  }
}

function noServer(id: string): ToolyardError {
  return new ToolyardError({ code: 'not_found', message: `There is no server "${id}".` });
}

/** What the owner typed, which may be on this machine; whatever else a server names may not. */
function addressOf(transport: TransportConfig): string {
  if (transport.type === 'hosted') return serviceAddress(transport);
  return 'url' in transport ? transport.url.replace(/^ws(s?):/i, 'http$1:') : '';
}
