import type { McpHost, ServerState } from '@toolyard/mcp-host';
import { redactorFor } from '@toolyard/mcp-host';
import { ToolyardError } from '@toolyard/protocol';
import { retryUntilStored } from '../retry-until-stored.ts';
import type { ConfiguredServer } from './configured-servers.ts';
import type { Differences, ServerList } from './server-list.ts';
import type { ServersOptions } from './servers-options.ts';

/** How long a caller that needs a connection waits for it, in milliseconds. */
export const CONNECT_WAIT_MS = 10_000;
/** How long a disabled server stays connected after its last use, in milliseconds. */
const IDLE_MS = 10 * 60_000;

/** The connection of a disabled server that a conversation has chosen. */
type TemporaryConnection = { lastUse: number; calls: number };

export type ServerConnectionsOptions = Pick<ServersOptions, 'clock' | 'log' | 'eager' | 'ownership'> & {
  host: McpHost;
  serverList: ServerList;
};

/** Connects enabled servers, and disabled ones while they are in use. */
export class ServerConnections {
  readonly #options: ServerConnectionsOptions;
  readonly #temporary = new Map<string, TemporaryConnection>();
  #cancelTimer: (() => void) | undefined;
  readonly #stop = new AbortController();

  constructor(options: ServerConnectionsOptions) {
    this.#options = options;
  }

  /** Applies a change of the configuration; unchanged servers are not affected. */
  update({ removed, added, changed, switched }: Differences): void {
    const { host, serverList, eager } = this.#options;
    for (const id of [...removed, ...changed]) this.#temporary.delete(id);
    for (const id of removed) void host.remove(id);
    for (const id of [...added, ...changed]) {
      const server = serverList.find(id);
      if (server !== undefined) this.#place(server);
    }
    for (const id of switched) void this.switched(id);
    if (eager === false) return;
    for (const id of [...added, ...changed]) if (serverList.isEnabled(id)) this.connect(id);
  }

  /** A user enabled or disabled the server, here or in another process. */
  async switched(id: string): Promise<void> {
    const { host, serverList, eager } = this.#options;
    this.#temporary.delete(id);
    const server = serverList.find(id);
    if (server === undefined || 'fault' in server) return;
    if (!serverList.isEnabled(id)) await host.disconnect(id);
    else if (eager !== false) this.connect(id);
  }

  /** Connects an enabled server or disconnects a disabled one, if this process is responsible for it. */
  async follow(id: string): Promise<void> {
    const { host, serverList, ownership } = this.#options;
    if (ownership?.mayConnect(id) === false) await host.disconnect(id);
    else if (serverList.isEnabled(id)) this.connect(id);
  }

  /** Connects the server if needed and waits up to a limit; the caller's next request shows what went wrong. */
  async ready(id: string, signal?: AbortSignal): Promise<void> {
    this.connectTemporarily(id);
    const state = this.findState(id);
    if (state === 'idle' || state === 'disabled') this.connect(id);
    await this.#options.host.whenSettled([id], signal, CONNECT_WAIT_MS);
    signal?.throwIfAborted();
  }

  /** Connects all enabled servers and waits for them, up to a limit. */
  async connectAll(): Promise<void> {
    const { host, serverList } = this.#options;
    const ids = serverList.all.flatMap((server) =>
      'config' in server && serverList.isEnabled(server.id) ? [server.id] : [],
    );
    for (const id of ids) this.connect(id);
    await host.whenSettled(ids, undefined, CONNECT_WAIT_MS);
  }

  /** Connects a disabled server while it is in use; it is disconnected after it was unused for a while. */
  connectTemporarily(id: string): void {
    if (this.#options.serverList.isEnabled(id)) return;
    if (!this.#temporary.has(id)) this.#temporary.set(id, { lastUse: 0, calls: 0 });
    this.use(id, 0);
    this.#cancelTimer ??= this.#options.clock.after(IDLE_MS, () => this.#disconnectIdle());
    if (this.findState(id) === 'idle') this.connect(id);
  }

  /** Does nothing for a server that is not connected temporarily. */
  use(id: string, calls: -1 | 0 | 1): void {
    const used = this.#temporary.get(id);
    if (used === undefined) return;
    used.lastUse = this.#options.clock.monotonic();
    used.calls = Math.max(0, used.calls + calls);
  }

  #disconnectIdle(): void {
    const { clock, host } = this.#options;
    this.#cancelTimer = undefined;
    const now = clock.monotonic();
    let nextMs = IDLE_MS;
    for (const [id, { lastUse, calls }] of this.#temporary) {
      const leftMs = calls > 0 ? IDLE_MS : lastUse + IDLE_MS - now;
      if (leftMs > 0) {
        nextMs = Math.min(nextMs, leftMs);
        continue;
      }
      this.#temporary.delete(id);
      void host.disconnect(id);
    }
    if (this.#temporary.size > 0) this.#cancelTimer = clock.after(nextMs, () => this.#disconnectIdle());
  }

  findState(id: string): ServerState | undefined {
    return this.#options.host.health().find((each) => each.id === id)?.state;
  }

  /** In the background; errors are in the health of the server and in the log. */
  connect(id: string): void {
    const { clock, serverList } = this.#options;
    const { signal } = this.#stop;
    // A storage error is temporary; the server must not stay in the state `failed`.
    const isStillWanted = (): boolean => !signal.aborted && this.findState(id) === 'failed' && serverList.isEnabled(id);
    retryUntilStored(() => this.#connectLogged(id), { clock, signal, isStillWanted }).catch(() => undefined);
  }

  close(): void {
    this.#stop.abort();
    this.#cancelTimer?.();
    this.#temporary.clear();
  }

  async #connectLogged(id: string): Promise<void> {
    const { host, serverList, ownership, log } = this.#options;
    const server = serverList.find(id);
    if (ownership?.mayConnect(id) === false) return;
    try {
      await host.connect(id);
    } catch (thrown) {
      const isKnown = server !== undefined && 'config' in server;
      if (isKnown && ToolyardError.isInstance(thrown) && thrown.code !== 'server_closed') {
        log(`MCP server "${id}": ${redactorFor(server.config)(thrown.message)}`);
      }
      throw thrown;
    }
  }

  #place(server: ConfiguredServer): void {
    const { host } = this.#options;
    const isConnected = host.configurations.has(server.id);
    if ('fault' in server) {
      if (isConnected) void host.remove(server.id);
    } else if (isConnected) host.replace(server.config);
    else host.add(server.config);
  }
}
