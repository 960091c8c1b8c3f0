import type { ServerConfig } from '@toolyard/mcp-host';
import type { MissingRole, Clock, Owner } from '@toolyard/protocol';
import { messageOf } from '@toolyard/protocol';
import type { Processes } from '@toolyard/storage';
import type { OwnerFetches } from '../config/owner-fetches.ts';
import { createOwnerFetches } from '../config/owner-fetches.ts';
import type { ConnectedServers } from '../mcp/servers.ts';
import type { ServerOwnership } from '../mcp/servers-options.ts';
import type { LiveHub } from '../services.ts';
import { findOffers, readCatalogue } from './catalogue.ts';
import type { InternalClient } from './internal-client.ts';
import { createInternalClient } from './internal-client.ts';
import type { TabToolCalls } from '../runs/tab/tab-tool-calls.ts';
import { createInternalApi } from './internal-api.ts';
import { ProcessHeartbeat } from './process-heartbeat.ts';
import { createRelayTransports } from './relay-transport.ts';
import { Relays } from './relays.ts';
import type { Role } from './role.ts';
import { isLocal, canHost } from './role.ts';
import type { RemoteServers } from './remote-servers.ts';

const LAST_CALLS_MS = 5_000;
/**
 * How long a process that is leaving still answers that it accepts nothing: a call on a closing connection would have
 * an unknown outcome. By then other processes know, even without notifications.
 */
const DRAIN_MS = 1_200;

const NO_WORKER: MissingRole = {
  role: 'worker',
  message:
    'No worker is running: runs wait until one is started, with toolyard serve --role worker and the same database.',
};
const NO_TOOLS: MissingRole = {
  role: 'tools',
  message:
    'No process with the role "tools" is running: local MCP servers (stdio) cannot be called until one is ' +
    'started, with toolyard serve --role tools and the same database.',
};

export type ClusterMemberOptions = {
  processes: Processes;
  /** Id of this process. */
  id: string;
  role: Role;
  owner: Owner;
  /**
   * Keys with which the processes of this installation authenticate each other, the one to send first; null: this
   * process works alone.
   */
  tokens: [string, ...string[]] | null;
  hub: Pick<LiveHub, 'changed'>;
  clock: Clock;
  log: (line: string) => void;
  /** As in {@link ProcessHeartbeatOptions}. */
  leaseMs?: number;
  /** How long calls of other processes may take when this one stops; default 5 s. */
  lastCallsMs?: number;
};

/**
 * This process as a member of the cluster of processes that share a database: its own share of the work, and how it
 * reaches the others.
 */
export class ClusterMember {
  readonly heartbeat: ProcessHeartbeat;
  readonly client: InternalClient;
  readonly ownership: ServerOwnership;
  /** Receives changes of servers here, and forwards those that concern other processes. */
  readonly hub: Pick<LiveHub, 'changed'>;
  readonly #options: ClusterMemberOptions;
  readonly #fetches: OwnerFetches = createOwnerFetches();
  #own: { servers: ConnectedServers; relays: Relays; handle: (request: Request) => Promise<Response> } | undefined;
  #web: RemoteServers | undefined;
  #tabTools: TabToolCalls | undefined;
  /** By which process a remote local server is reached, and the last attempt. */
  readonly #reached = new Map<string, string>();
  readonly #tried = new Map<string, string>();
  #looking: Promise<void> | undefined;
  #mustReload = false;
  #missed = false;

  constructor(options: ClusterMemberOptions) {
    const { role, clock, hub, tokens } = options;
    this.#options = options;
    this.client = createInternalClient(this.#fetches, () => tokens?.[0] ?? '');
    this.heartbeat = new ProcessHeartbeat({
      ...options,
      mayHave: () =>
        this.#own?.servers.editable.serverList.usable
          .filter((config) => canHost(role, config.transport))
          .map(({ id }) => id) ?? [],
      onHeld: (ids) => this.#follow(ids),
      onLost: (ids) => {
        for (const id of ids) void this.#own?.relays.drop(id);
        this.#follow(ids);
      },
      describe: (id) => this.#describe(id),
      notify: (id) => hub.changed(null, 'servers', id),
      onBeat: () => {
        void this.#followHolders();
        if (this.#missed) this.look();
      },
    });
    this.hub = {
      changed: (ownerId, what, id) => {
        // Changes seen through a relay are published by the process that hosts the server.
        if (role === 'all') hub.changed(ownerId, what, id);
        if (what === 'servers' && id !== undefined) this.heartbeat.changed(id);
      },
    };
    this.ownership = {
      isVisible: ({ transport }) => role !== 'tools' || isLocal(transport),
      mayConnect: (id) => role !== 'tools' || this.heartbeat.holds(id),
      transports: (own) =>
        role === 'worker'
          ? createRelayTransports(own, {
              heartbeat: this.heartbeat,
              client: this.client,
              clock,
              onFound: (id, holder) => this.#reached.set(id, holder),
            })
          : own,
    };
  }

  /** Sets the servers that this process connects to. */
  have(servers: ConnectedServers): void {
    const { clock, log, tokens } = this.#options;
    const relays = new Relays({
      host: servers.host,
      clock,
      log,
      has: (id) => this.heartbeat.holds(id) && isLocalIn(servers.editable.serverList.usable, id),
      ready: (id, signal) => servers.ready(id, signal),
    });
    const handle =
      tokens === null ? undefined : createInternalApi({ servers, relays, tabTools: () => this.#tabTools, tokens, log });
    this.#own = { servers, relays, handle: handle ?? (async () => new Response(null, { status: 404 })) };
  }

  /** From now on this process makes calls of runs in tabs that are connected to other processes. */
  serveTabTools(calls: TabToolCalls): void {
    this.#tabTools = calls;
  }

  /** Sets the servers of a process without connections. */
  show(servers: RemoteServers): void {
    this.#web = servers;
  }

  /** Handles a request of another process. */
  async answer(request: Request): Promise<Response> {
    return this.#own?.handle(request) ?? new Response(null, { status: 404 });
  }

  /** From now on other processes reach this one at this URL. */
  async start(address: string): Promise<void> {
    await this.heartbeat.start(this.#options.tokens === null ? null : address);
  }

  /** The roles that no process has now. */
  async absentRoles(): Promise<MissingRole[]> {
    const roles = (await this.heartbeat.living()).map(({ role }) => role);
    const hasRole = (role: MissingRole['role']): boolean => roles.includes('all') || roles.includes(role);
    const hasPrograms = this.#configured.some(({ transport }) => isLocal(transport));
    return [...(hasRole('worker') ? [] : [NO_WORKER]), ...(hasRole('tools') || !hasPrograms ? [] : [NO_TOOLS])];
  }

  /** True for a local server (stdio), which runs in the process that hosts it. */
  isProgram(serverId: string): boolean {
    return isLocalIn(this.#configured, serverId);
  }

  get #configured(): readonly ServerConfig[] {
    return (this.#own?.servers ?? this.#web)?.editable.serverList.usable ?? [];
  }

  /** Reads changes of servers made by another process. */
  look(): void {
    this.#mustReload = true;
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = undefined;
    });
  }

  /** Accepts nothing new, finishes calls of other processes, and releases its servers to them. */
  async stop(): Promise<void> {
    this.heartbeat.beginLeaving();
    await this.#own?.relays.drain(this.#options.lastCallsMs ?? LAST_CALLS_MS);
    // Another process must not start a local server that still runs here.
    if (this.#options.role === 'tools') await this.#own?.servers.close();
    await this.heartbeat.leave();
    if (this.#own?.relays.wereAsked === true) await this.#pause(DRAIN_MS);
    await this.#own?.relays.close();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(ms, resolve));
  }

  /** Closes connections to other processes, once nothing here uses them. */
  close(): Promise<void> {
    return this.#fetches.close();
  }

  async #lookNow(): Promise<void> {
    while (this.#mustReload) {
      this.#mustReload = false;
      this.#missed = false;
      try {
        await (this.#own?.servers ?? this.#web)?.reload();
        await this.#own?.servers.reloadSignIns();
        this.heartbeat.look();
        await this.#followHolders();
      } catch (thrown) {
        this.#options.log(`roles: ${messageOf(thrown)}`);
        // The change is not announced again, so read it with the next heartbeat.
        this.#missed = true;
      }
    }
  }

  #follow(ids: readonly string[]): void {
    const { role, log } = this.#options;
    if (role !== 'tools') return;
    for (const id of ids) {
      this.#own?.servers.follow(id).catch((thrown: unknown) => {
        log(`MCP server "${id}": ${messageOf(thrown)}`);
      });
    }
  }

  #describe(id: string): string | undefined {
    const { servers } = this.#own ?? {};
    const catalogue = servers && findOffers(servers.host, id, servers.editable.redactor(id));
    return catalogue && JSON.stringify(catalogue);
  }

  /** Connects to the processes that host local servers now, once they are known. */
  async #followHolders(): Promise<void> {
    const { servers } = this.#own ?? {};
    if (this.#options.role !== 'worker' || servers === undefined) return;
    const rows = await this.heartbeat.servers().catch(() => []);
    for (const { serverId: id, holder, catalogue, version } of rows) {
      if (holder === null || !isLocalIn(servers.editable.serverList.usable, id)) continue;
      const state = servers.host.health().find((each) => each.id === id)?.state;
      const before = this.#reached.get(id);
      const hasMoved = before !== undefined && before !== holder.id;
      if (state === 'ready' && hasMoved) {
        this.#reached.set(id, holder.id);
        servers.host.reconnect(id).catch(() => undefined);
      }
      const isComing = state === 'reconnecting' && hasMoved;
      const isBack = state === 'failed' && readCatalogue(catalogue)?.health.state === 'ready';
      const attempt = `${holder.id} ${version}`;
      if ((!isComing && !isBack) || this.#tried.get(id) === attempt) continue;
      this.#tried.set(id, attempt);
      await servers.follow(id);
    }
  }
}

function isLocalIn(configured: readonly ServerConfig[], id: string): boolean {
  return configured.some((config) => config.id === id && isLocal(config.transport));
}
