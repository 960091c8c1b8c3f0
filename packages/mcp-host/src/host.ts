import type { Implementation } from '@modelcontextprotocol/client';
import type { Clock, JsonObject, ToolReference, ToolResult } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { notSent } from './call-failure.ts';
import { McpConnection } from './connection.ts';
import type { EraMemory } from './era-memory.ts';
import { createEraMemory } from './era-memory.ts';
import { SelectedTools } from './selected-tools.ts';
import { ServerSlot } from './server-slot.ts';
import type { CreateTransport } from './transport.ts';
import type { CallToolOptions, IndexedTool, LogEntry, ServerConfig, ServerHealth, ToolHost } from './types.ts';

/** How long closing waits for calls that were stopped to be answered, in milliseconds. */
const FAREWELL_MS = 2_000;

export type McpHostOptions = {
  servers: readonly ServerConfig[];
  createTransport: CreateTransport;
  clock: Clock;
  /** How Toolyard introduces itself to servers. */
  clientInfo: Implementation;
  /** Where the protocol generation of each server is remembered; by default in memory. */
  eraMemory?: EraMemory;
  /** Hears every log line of every server as it is written. */
  log?(serverId: string, entry: LogEntry): void;
};

/**
 * Connects to MCP servers, keeps what they offer in one index, and makes calls. One server's trouble is never
 * another's: it shows in that server's health and nowhere else.
 *
 * @example
 * await using host = new McpHost({ servers, createTransport: createNodeTransports({ fetch }), clock, clientInfo });
 * await host.connectAll();
 * const tool = host.resolve('echo');
 * if (tool) await host.callTool(tool.tool, { message: 'hello' });
 *
 * @throws ToolyardError `bad_config` from the constructor if two servers have the same id, or an id is empty or has a
 * slash.
 */
export class McpHost implements ToolHost {
  readonly #options: McpHostOptions;
  readonly #clock: Clock;
  readonly #eraMemory: EraMemory;
  readonly #slots = new Map<string, ServerSlot>();
  /** Servers that were removed and are still being left. */
  readonly #leaving = new Set<Promise<void>>();
  readonly #listeners = new Set<(serverId: string) => void>();
  readonly #idle = new Set<() => void>();
  readonly #all: SelectedTools;
  #activeFlows = 0;
  #closing: Promise<void> | undefined;

  constructor(options: McpHostOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#eraMemory = options.eraMemory ?? createEraMemory();
    for (const config of options.servers) this.#place(config);
    this.#all = this.#selectWhere(() => true);
  }

  /** Calls being made right now. */
  get activeFlows(): number {
    return this.#activeFlows;
  }

  /**
   * Connects every server that is not ready, all at once. Resolves when each is ready or has failed; failures stand
   * in {@link McpHost.health} and are not thrown.
   */
  async connectAll(): Promise<void> {
    if (this.#closing !== undefined) return;
    await Promise.allSettled([...this.#slots.values()].map((slot) => slot.connect()));
  }

  /** Takes one more server, which is not connected yet. @throws ToolyardError `bad_config` for its id. */
  add(config: ServerConfig): void {
    this.#refuseWhenClosed();
    this.#place(config);
    this.#changed(config.id);
  }

  /** Leaves a server and forgets it. Resolves when nothing of it is left; does nothing where there is none. */
  async remove(id: string): Promise<void> {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#slots.delete(id);
    const left = slot.disconnect();
    this.#leaving.add(left);
    this.#changed(id);
    await left.finally(() => this.#leaving.delete(left));
  }

  /**
   * Connects one server, also one that was left. Does nothing on one that is ready; joins an attempt under way.
   *
   * @throws ToolyardError saying why it failed, which also stands in {@link McpHost.health}; `not_found` where there
   * is no such server.
   */
  async connect(id: string): Promise<void> {
    this.#refuseWhenClosed();
    await this.#slot(id).connect();
  }

  /** Leaves one server: its calls are stopped, its process or session ended. It can be connected again. */
  async disconnect(id: string): Promise<void> {
    await this.#slot(id).disconnect();
  }

  /** Leaves one server and connects it anew. @throws as {@link McpHost.connect} does. */
  async reconnect(id: string): Promise<void> {
    this.#refuseWhenClosed();
    const slot = this.#slot(id);
    void slot.disconnect();
    await slot.connect();
  }

  /**
   * Resolves when none of these servers is connecting any more, after `ms`, or when the signal is aborted, whatever
   * comes first.
   */
  async whenSettled(serverIds: Iterable<string>, signal: AbortSignal, ms: number): Promise<void> {
    const ids = [...serverIds];
    const settled = (): boolean => !ids.some((id) => this.#slots.get(id)?.isConnecting === true);
    if (settled() || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        callOff();
        stopHearing();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const callOff = this.#clock.after(ms, end);
      const stopHearing = this.onChange(() => {
        if (settled()) end();
      });
      signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Every server, in the configured order. */
  health(): ServerHealth[] {
    return [...this.#slots.values()].map(({ connection }) => connection.health());
  }

  /** Calls back after anything in health or tools of a server has changed; returns what ends that. */
  onChange(listener: (serverId: string) => void): () => void {
    // A listener may be given twice and then stands for two.
    const entry = (serverId: string): void => listener(serverId);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  tools(): readonly IndexedTool[] {
    return this.#all.tools();
  }

  resolve(name: string): IndexedTool | undefined {
    return this.#all.resolve(name);
  }

  /**
   * A view of some servers, but for hidden tools; whatever else is called is not sent. It follows their changes, and
   * may be asked at every turn. A server added later belongs to it if its id does.
   */
  select(serverIds: ReadonlySet<string>, hidden?: (tool: ToolReference) => boolean): ToolHost {
    return this.#selectWhere((id) => serverIds.has(id), hidden);
  }

  async callTool(tool: ToolReference, args: JsonObject, options?: CallToolOptions): Promise<ToolResult> {
    if (this.#closing !== undefined) return notSent({ code: 'server_closed', message: 'Toolyard is shutting down.' });
    const slot = this.#slots.get(tool.serverId);
    if (slot === undefined) {
      return notSent({ code: 'tool_not_found', message: `There is no server "${tool.serverId}".` });
    }
    this.#activeFlows++;
    try {
      return await slot.connection.callTool(tool.name, args, options);
    } finally {
      this.#activeFlows--;
      if (this.#activeFlows === 0) for (const wake of this.#idle) wake();
    }
  }

  /**
   * Takes no more calls, stops those under way (each is answered, its outcome unknown), and leaves all servers at
   * once. Resolves when nothing of them is left; safe to repeat.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const slots = [...this.#slots.values()];
    for (const { connection } of slots) connection.abortCalls();
    await this.#allAnswered();
    await Promise.allSettled([...slots.map((slot) => slot.disconnect()), ...this.#leaving]);
    this.#listeners.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #allAnswered(): Promise<void> {
    if (this.#activeFlows === 0) return;
    await new Promise<void>((resolve) => {
      const callOff = this.#clock.after(FAREWELL_MS, () => wake());
      const wake = (): void => {
        callOff();
        this.#idle.delete(wake);
        resolve();
      };
      this.#idle.add(wake);
    });
  }

  #changed(serverId: string): void {
    for (const listener of this.#listeners) listener(serverId);
  }

  #place(config: ServerConfig): void {
    checkId(config.id, this.#slots);
    const { createTransport, clock, clientInfo } = this.#options;
    const makeConnection = (): McpConnection =>
      new McpConnection({
        config,
        createTransport,
        clock,
        clientInfo,
        eraMemory: this.#eraMemory,
        onChange: () => this.#changed(config.id),
        onLog: (entry) => this.#options.log?.(config.id, entry),
      });
    this.#slots.set(config.id, new ServerSlot(config, makeConnection));
  }

  #slot(id: string): ServerSlot {
    const slot = this.#slots.get(id);
    if (slot === undefined) throw new ToolyardError({ code: 'not_found', message: `There is no server "${id}".` });
    return slot;
  }

  #selectWhere(chosen: (id: string) => boolean, hidden?: (tool: ToolReference) => boolean): SelectedTools {
    return new SelectedTools({
      sources: () =>
        [...this.#slots.values()].filter(({ config }) => chosen(config.id)).map(({ connection }) => connection),
      hidden,
      callTool: (tool, args, options) => this.callTool(tool, args, options),
    });
  }

  #refuseWhenClosed(): void {
    if (this.#closing === undefined) return;
    throw new ToolyardError({ code: 'server_closed', message: 'Toolyard is shutting down.' });
  }
}

function checkId(id: string, taken: ReadonlyMap<string, unknown>): void {
  const problem =
    id === '' ? 'is empty' : id.includes('/') ? 'has a slash in it' : taken.has(id) ? 'is used twice' : null;
  if (problem === null) return;
  throw new ToolyardError({
    code: 'bad_config',
    message: `The server id "${id}" ${problem}.`,
    hint: 'Give every server an id of its own, without slashes.',
  });
}
