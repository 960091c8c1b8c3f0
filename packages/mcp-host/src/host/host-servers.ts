import type { ErrorInfo } from '@toolyard/protocol';
import type { HostParts } from './host-parts.ts';
import type { NumberedEntry } from '../log/server-log.ts';
import { isListed } from './server-set.ts';
import type { LogLevel, ServerConfig, ServerHealth } from '../types.ts';
import type { WireEntry } from '../log/wire-log.ts';

/** How long closing waits for calls that were stopped to be answered, in milliseconds. */
const FAREWELL_MS = 2_000;
/** How long shutting down waits for what is under way to end by itself, in milliseconds. */
const SHUTDOWN_MS = 10_000;

/** The servers of a host and what becomes of them: which there are, how each is, from connecting to the farewell. */
export class HostServers implements AsyncDisposable {
  readonly #parts: HostParts;
  #closing: Promise<void> | undefined;

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  /** Requests being made right now, and flows that were acquired. */
  get activeFlows(): number {
    return this.#parts.flows.active;
  }

  /** True while a server is connecting for the first time. */
  get isInitializing(): boolean {
    return this.#parts.servers.all.some(({ stage }) => stage === 'connecting');
  }

  /** What is wrong with the first server that has failed; each server's own stands in its health. */
  get error(): ErrorInfo | undefined {
    return this.#parts.servers.all.find(({ stage }) => stage === 'failed' || stage === 'needs_sign_in')?.error;
  }

  get toolCount(): number {
    return this.#parts.servers.all.reduce((sum, { tools }) => sum + tools.size, 0);
  }

  get connectedServers(): string[] {
    return this.#parts.servers.all.filter(({ stage }) => stage === 'ready').map(({ config }) => config.id);
  }

  get configurations(): ReadonlyMap<string, ServerConfig> {
    return new Map(this.#parts.servers.all.map(({ config }) => [config.id, config]));
  }

  /**
   * Connects every server that is not ready or switched off, all at once. Resolves when each is ready or has failed;
   * failures stand in {@link HostServers.health} and are not thrown.
   */
  async connectAll(): Promise<void> {
    if (this.#parts.flows.isClosed) return;
    await Promise.allSettled(
      this.#parts.servers.all.filter(({ stage }) => stage !== 'disabled').map((slot) => slot.connect()),
    );
  }

  /** Takes one more server, which is not connected yet. @throws ToolyardError `bad_config` for its id. */
  add(config: ServerConfig): void {
    this.#parts.flows.refuseWhenClosed();
    this.#parts.servers.add(config);
    this.#parts.servers.tell(config.id);
  }

  /** Leaves a server and forgets it. Resolves when nothing of it is left; does nothing where there is none. */
  async remove(id: string): Promise<void> {
    this.#parts.resources.forget(id);
    await this.#parts.servers.remove(id);
    if (this.#parts.servers.find(id) === undefined) this.#parts.signIns.forget(id);
  }

  /**
   * Leaves a server and takes this one of the same id instead, which is not connected yet; no other is touched.
   *
   * @throws ToolyardError `not_found`
   */
  replace(config: ServerConfig): void {
    this.#parts.flows.refuseWhenClosed();
    this.#parts.servers.replace(config);
    this.#parts.resources.forget(config.id);
  }

  /**
   * Connects one server, also one that was left or is switched off. Does nothing on one that is ready; joins an
   * attempt under way.
   *
   * @throws ToolyardError saying why it failed, which also stands in {@link HostServers.health}; `not_found` where there
   * is no such server.
   */
  async connect(id: string): Promise<void> {
    this.#parts.flows.refuseWhenClosed();
    await this.#parts.servers.get(id).connect();
  }

  /** Leaves one server: its calls are stopped, its process or session ended. It can be connected again. */
  async disconnect(id: string): Promise<void> {
    await this.#parts.servers.get(id).disconnect();
  }

  /** Leaves one server and connects it anew. @throws as {@link HostServers.connect} does. */
  async reconnect(id: string): Promise<void> {
    this.#parts.flows.refuseWhenClosed();
    const slot = this.#parts.servers.get(id);
    // Ending a launcher in the middle of its download would make it begin again: its attempt is joined.
    if (slot.health().launch === undefined) void slot.disconnect();
    await slot.connect();
  }

  /** Switches a server off, which leaves it, or on, which does not connect it yet. */
  async setEnabled(id: string, enabled: boolean): Promise<void> {
    await this.#parts.servers.get(id).setEnabled(enabled);
  }

  /**
   * Resolves when none of these servers is connecting any more, after `ms`, or when the signal is aborted, whatever
   * comes first.
   */
  async whenSettled(serverIds: Iterable<string>, signal: AbortSignal | undefined, ms: number): Promise<void> {
    await this.#parts.servers.whenSettled(serverIds, signal, ms);
  }

  /**
   * Resolves when a ready server has listed its resources and prompts, which follow its tools; after `ms`, or when
   * the signal is aborted; at once for one that is not ready.
   */
  async whenListed(id: string, signal: AbortSignal | undefined, ms: number): Promise<void> {
    await this.#parts.servers.when(() => isListed(this.#parts.servers.find(id)?.health()), signal, ms);
  }

  /**
   * Resolves when the tools of a server are listed again, if it has announced others; after a few seconds at most.
   * Undefined where they are known now.
   */
  whenToolsAreKnown(id: string): Promise<void> | undefined {
    return this.#parts.servers.find(id)?.session?.whenToolsAreKnown();
  }

  /** Every server, in the configured order. */
  health(): ServerHealth[] {
    return this.#parts.servers.all.map((slot) => slot.health());
  }

  /** What happened with a server, oldest first; bounded. */
  log(id: string): NumberedEntry[] {
    return this.#parts.servers.log(id);
  }

  /** The last messages exchanged with a server, oldest first, cut and without secrets. */
  wireLog(id: string): WireEntry[] {
    return this.#parts.servers.wireLog(id);
  }

  /** Calls back after anything in health or offer of a server has changed; returns what ends that. */
  onChange(listener: (serverId: string) => void): () => void {
    return this.#parts.servers.onChange(listener);
  }

  /** From which level on all servers are to log what they do. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#parts.logLevel = level;
    await Promise.all(this.#parts.servers.all.map(async (slot) => slot.session?.setLogLevel(level)));
  }

  /** Tells servers that the folders the handler for roots gives are others now. */
  async rootsChanged(): Promise<void> {
    await Promise.all(this.#parts.servers.all.map(async (slot) => slot.session?.rootsChanged()));
  }

  /**
   * Begins something that {@link HostServers.shutdown} waits for; what is returned ends it and may be called twice.
   *
   * @throws ToolyardError `server_closed` when shutting down has begun
   */
  acquire(): () => void {
    this.#parts.flows.refuseWhenClosed();
    return this.#parts.flows.acquire();
  }

  /** Begins nothing new, waits (bounded) for what is under way to end by itself, then closes. */
  async shutdown(waitMs = SHUTDOWN_MS): Promise<void> {
    this.#parts.flows.close();
    await this.#parts.flows.whenIdle(waitMs);
    await this.close();
  }

  /**
   * Takes no more calls, stops those under way (each is answered, its outcome unknown), and leaves all servers at
   * once. Resolves when nothing of them is left; safe to repeat.
   */
  close(): Promise<void> {
    this.#parts.flows.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const slot of this.#parts.servers.all) slot.abortCalls();
    await this.#parts.flows.whenIdle(FAREWELL_MS);
    await this.#parts.servers.close();
    this.#parts.resources.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
