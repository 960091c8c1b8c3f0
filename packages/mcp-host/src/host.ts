import type { Implementation } from '@modelcontextprotocol/client';
import type { Clock, ErrorInfo, JsonObject, ToolReference, ToolResult } from '@toolyard/protocol';
import { ToolyardError, toErrorInfo } from '@toolyard/protocol';
import { notSent } from './call-failure.ts';
import { McpConnection } from './connection.ts';
import { notReady } from './connection-errors.ts';
import type { EraMemory } from './era-memory.ts';
import { createEraMemory } from './era-memory.ts';
import { Flows } from './flows.ts';
import type { QuestionHandlers } from './questions.ts';
import type { ListedTool } from './read-tool.ts';
import { redactorFor } from './redact.ts';
import { ResourceStore } from './resource-store.ts';
import { SelectedTools } from './selected-tools.ts';
import { ServerLog } from './server-log.ts';
import { ServerSlot } from './server-slot.ts';
import { shownState } from './server-states.ts';
import type { CreateTransport } from './transport.ts';
import type { PinStore } from './trust.ts';
import { ToolTrust } from './trust.ts';
import type {
  CallToolOptions,
  Completion,
  CompletionTarget,
  FilledPrompt,
  IndexedTool,
  ListedPrompt,
  LogEntry,
  LogLevel,
  RequestOptions,
  ServerConfig,
  ServerHealth,
  ToolHost,
} from './types.ts';
import type { WireEntry } from './wire-log.ts';
import { WireLog } from './wire-log.ts';

/** How long closing waits for calls that were stopped to be answered, in milliseconds. */
const FAREWELL_MS = 2_000;
/** How long shutting down waits for what is under way to end by itself, in milliseconds. */
const SHUTDOWN_MS = 10_000;
/** How long whoever needs a server that is reconnecting waits for it, in milliseconds. */
const PATIENCE_MS = 10_000;
const MAX_RECONNECTS = 10;

export type McpHostOptions = {
  servers: readonly ServerConfig[];
  createTransport: CreateTransport;
  clock: Clock;
  /** How Toolyard introduces itself to servers. */
  clientInfo: Implementation;
  /** Where the protocol generation of each server is remembered; by default in memory. */
  eraMemory?: EraMemory;
  /** Who answers what servers ask; what has no handler is not offered to them. */
  handlers?: QuestionHandlers;
  /** How often in a row a lost server is connected again; default 10. */
  maxReconnects?: number;
  /** 0 up to 1: how much of its share chance takes off a wait. Default `Math.random`. */
  jitter?: () => number;
  /** From which level on servers are to log what they do; by default as they like. */
  logLevel?: LogLevel;
  /** What people approved of tools, kept by the owner; by default for as long as the process lives. */
  pins?: PinStore;
  /** Hears every log line of every server as it is written. */
  log?(serverId: string, entry: LogEntry): void;
};

/** The prompts of all connected servers, and the servers whose list failed. */
export type AllPrompts = {
  prompts: (ListedPrompt & { serverId: string })[];
  failures: { serverId: string; error: ErrorInfo }[];
};

type Place = { slot: ServerSlot; wire: WireLog };

/**
 * Connects to MCP servers and keeps them connected, keeps what they offer in one index, and asks them for things. One
 * server's trouble is never another's: it shows in that server's health and nowhere else.
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
  readonly #places = new Map<string, Place>();
  /** Servers that were removed and are still being left. */
  readonly #leaving = new Set<Promise<void>>();
  readonly #listeners = new Set<(serverId: string) => void>();
  readonly #flows: Flows;
  readonly #all: SelectedTools;
  /** What is listed of resources, what was read of them, and who follows them. */
  readonly resources: ResourceStore;
  readonly #trust: ToolTrust;
  #logLevel: LogLevel | undefined;
  #isRefusing = false;
  #closing: Promise<void> | undefined;

  constructor(options: McpHostOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#eraMemory = options.eraMemory ?? createEraMemory();
    this.#logLevel = options.logLevel;
    this.#flows = new Flows(options.clock);
    this.#trust = new ToolTrust(options.pins ?? new Map());
    this.resources = new ResourceStore({
      clock: options.clock,
      catalogue: (id) => this.#places.get(id)?.slot.connection?.catalogue,
      read: (id, uri, more) => this.#ask(id, more, (connection) => connection.readResource(uri, more)),
      follow: async (id, wanted, added, removed) =>
        this.#places.get(id)?.slot.connection?.follow(wanted, added, removed),
    });
    for (const config of options.servers) this.#place(config);
    this.#all = this.#selectWhere(() => true);
  }

  /** Requests being made right now, and flows that were acquired. */
  get activeFlows(): number {
    return this.#flows.active;
  }

  /** True while a server is connecting for the first time. */
  get isInitializing(): boolean {
    return this.#slots.some(({ stage }) => stage === 'connecting');
  }

  /** What is wrong with the first server that has failed; each server's own stands in its health. */
  get error(): ErrorInfo | undefined {
    return this.#slots.find(({ stage }) => stage === 'failed' || stage === 'needs_sign_in')?.error;
  }

  get toolCount(): number {
    return this.#slots.reduce((sum, { tools }) => sum + tools.size, 0);
  }

  get connectedServers(): string[] {
    return this.#slots.filter(({ stage }) => stage === 'ready').map(({ config }) => config.id);
  }

  get configurations(): ReadonlyMap<string, ServerConfig> {
    return new Map(this.#slots.map(({ config }) => [config.id, config]));
  }

  /**
   * Connects every server that is not ready or switched off, all at once. Resolves when each is ready or has failed;
   * failures stand in {@link McpHost.health} and are not thrown.
   */
  async connectAll(): Promise<void> {
    if (this.#isRefusing) return;
    await Promise.allSettled(this.#slots.filter(({ stage }) => stage !== 'disabled').map((slot) => slot.connect()));
  }

  /** Takes one more server, which is not connected yet. @throws ToolyardError `bad_config` for its id. */
  add(config: ServerConfig): void {
    this.#refuseWhenClosed();
    this.#place(config);
    this.#changed(config.id);
  }

  /** Leaves a server and forgets it. Resolves when nothing of it is left; does nothing where there is none. */
  async remove(id: string): Promise<void> {
    const slot = this.#places.get(id)?.slot;
    if (slot === undefined) return;
    this.#places.delete(id);
    const left = slot.disconnect();
    this.#leaving.add(left);
    this.#changed(id);
    await left.finally(() => this.#leaving.delete(left));
  }

  /**
   * Connects one server, also one that was left or is switched off. Does nothing on one that is ready; joins an
   * attempt under way.
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

  /** Switches a server off, which leaves it, or on, which does not connect it yet. */
  async setEnabled(id: string, enabled: boolean): Promise<void> {
    await this.#slot(id).setEnabled(enabled);
  }

  /**
   * Resolves when none of these servers is connecting any more, after `ms`, or when the signal is aborted, whatever
   * comes first.
   */
  async whenSettled(serverIds: Iterable<string>, signal: AbortSignal | undefined, ms: number): Promise<void> {
    const ids = [...serverIds];
    const settled = (): boolean => !ids.some((id) => this.#places.get(id)?.slot.isConnecting === true);
    if (settled() || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        callOff();
        stopHearing();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const callOff = this.#clock.after(ms, end);
      const stopHearing = this.onChange(() => {
        if (settled()) end();
      });
      signal?.addEventListener('abort', end, { once: true });
    });
  }

  /** Every server, in the configured order. */
  health(): ServerHealth[] {
    return this.#slots.map((slot) => slot.health());
  }

  /** The last messages exchanged with a server, oldest first, cut and without secrets. */
  wireLog(id: string): WireEntry[] {
    return this.#places.get(id)?.wire.entries() ?? [];
  }

  /** Calls back after anything in health or offer of a server has changed; returns what ends that. */
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

  async callTool(tool: ToolReference, args: JsonObject, options: CallToolOptions = {}): Promise<ToolResult> {
    if (this.#isRefusing) return notSent({ code: 'server_closed', message: 'Toolyard is shutting down.' });
    const slot = this.#places.get(tool.serverId)?.slot;
    if (slot === undefined) {
      return notSent({ code: 'tool_not_found', message: `There is no server "${tool.serverId}".` });
    }
    if (this.#trust.verdict(tool) === 'voided') return notSent(changedSince(tool));
    const release = this.#flows.acquire();
    try {
      if (slot.isReconnecting) await this.#whenBack(slot, options.signal);
      const definition = slot.tools.get(tool.name);
      const result = await callOn(slot, tool, args, options);
      // The session was lost under the call: nobody can say whether it took effect, but some may be made twice.
      if (result.outcome !== 'unknown' || !slot.isRenewing || !mayBeRepeated(slot.config, definition)) return result;
      await this.#whenBack(slot, options.signal);
      return slot.connection === undefined ? result : await callOn(slot, tool, args, options);
    } finally {
      release();
    }
  }

  /** What was approved of tools, and whether it still holds. A tool whose approval is void is not called. */
  get trust(): Pick<ToolTrust, 'verdict' | 'voided' | 'onVoided'> {
    return this.#trust;
  }

  /**
   * Pins a tool as it is offered now: from here on it is called only as long as it stays what it is.
   *
   * @throws ToolyardError `not_found` if it is not offered
   */
  approveTool({ serverId, name }: ToolReference): void {
    const slot = this.#slot(serverId);
    const tool = slot.tools.get(name);
    if (tool !== undefined) return this.#trust.approve(slot.config, tool);
    throw new ToolyardError({ code: 'not_found', message: `The server "${serverId}" offers no tool "${name}".` });
  }

  /** Fills in a prompt. @throws ToolyardError */
  getPrompt(
    serverId: string,
    name: string,
    args: Record<string, string> = {},
    options: RequestOptions = {},
  ): Promise<FilledPrompt> {
    return this.#ask(serverId, options, (connection) => connection.getPrompt(name, args, options));
  }

  /** The prompts of all ready servers, asked in parallel: one that fails hides no other. */
  async getAllPrompts(): Promise<AllPrompts> {
    const all: AllPrompts = { prompts: [], failures: [] };
    const asked = this.connectedServers.map(async (serverId) => {
      const listed = await this.#ask(serverId, {}, (connection) => connection.listPrompts());
      return listed.map((prompt) => ({ serverId, ...prompt }));
    });
    const servers = this.connectedServers;
    for (const [at, outcome] of (await Promise.allSettled(asked)).entries()) {
      if (outcome.status === 'fulfilled') all.prompts.push(...outcome.value);
      else all.failures.push({ serverId: servers[at] ?? '', error: toErrorInfo(outcome.reason) });
    }
    return all;
  }

  /**
   * What an argument of a prompt or a template may become; `others` are the arguments that are filled in already.
   *
   * @throws ToolyardError
   */
  complete(
    serverId: string,
    target: CompletionTarget,
    argument: { name: string; value: string },
    others: Record<string, string> = {},
    options: RequestOptions = {},
  ): Promise<Completion> {
    return this.#ask(serverId, options, (connection) => connection.complete(target, argument, others, options));
  }

  /** From which level on all servers are to log what they do. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level;
    await Promise.all(this.#slots.map(async (slot) => slot.connection?.setLogLevel(level)));
  }

  /** Tells servers that the folders the handler for roots gives are others now. */
  async rootsChanged(): Promise<void> {
    await Promise.all(this.#slots.map(async (slot) => slot.connection?.rootsChanged()));
  }

  /**
   * Begins something that {@link McpHost.shutdown} waits for; what is returned ends it and may be called twice.
   *
   * @throws ToolyardError `server_closed` when shutting down has begun
   */
  acquire(): () => void {
    this.#refuseWhenClosed();
    return this.#flows.acquire();
  }

  /** Begins nothing new, waits (bounded) for what is under way to end by itself, then closes. */
  async shutdown(waitMs = SHUTDOWN_MS): Promise<void> {
    this.#isRefusing = true;
    await this.#flows.whenIdle(waitMs);
    await this.close();
  }

  /**
   * Takes no more calls, stops those under way (each is answered, its outcome unknown), and leaves all servers at
   * once. Resolves when nothing of them is left; safe to repeat.
   */
  close(): Promise<void> {
    this.#isRefusing = true;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const slots = this.#slots;
    for (const slot of slots) slot.abortCalls();
    await this.#flows.whenIdle(FAREWELL_MS);
    await Promise.allSettled([...slots.map((slot) => slot.disconnect()), ...this.#leaving]);
    this.resources.clear();
    this.#listeners.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Asks a server for something that may be asked for twice. */
  async #ask<T>(id: string, options: RequestOptions, ask: (connection: McpConnection) => Promise<T>): Promise<T> {
    this.#refuseWhenClosed();
    const slot = this.#slot(id);
    const release = this.#flows.acquire();
    try {
      if (slot.isReconnecting) await this.#whenBack(slot, options.signal);
      try {
        return await ask(connectionOf(slot));
      } catch (thrown) {
        if (!slot.isRenewing) throw thrown;
        await this.#whenBack(slot, options.signal);
        return await ask(connectionOf(slot));
      }
    } finally {
      release();
    }
  }

  async #whenBack(slot: ServerSlot, signal: AbortSignal | undefined): Promise<void> {
    await this.whenSettled([slot.config.id], signal, PATIENCE_MS);
  }

  #changed(serverId: string): void {
    const slot = this.#places.get(serverId)?.slot;
    if (slot?.stage === 'ready') this.#trust.review(slot.config, slot.tools);
    for (const listener of this.#listeners) listener(serverId);
  }

  #place(config: ServerConfig): void {
    checkId(config.id, this.#places);
    const { createTransport, clock, clientInfo, handlers = {}, maxReconnects = MAX_RECONNECTS } = this.#options;
    const log = new ServerLog();
    const wire = new WireLog(clock, redactorFor(config));
    const slot = new ServerSlot({
      config,
      clock,
      log,
      maxReconnects,
      jitter: this.#options.jitter ?? Math.random,
      onChange: () => this.#changed(config.id),
      onReady: () => void this.resources.followAnew(config.id),
      makeConnection: (onLost) =>
        new McpConnection({
          config,
          createTransport,
          clock,
          clientInfo,
          eraMemory: this.#eraMemory,
          handlers,
          wire,
          logLevel: this.#logLevel,
          note: (entry, source) => {
            log.add(entry, source);
            this.#options.log?.(config.id, entry);
          },
          onChange: () => this.#changed(config.id),
          onLost,
          onUpdated: (uri) => this.resources.updated(config.id, uri),
        }),
    });
    this.#places.set(config.id, { slot, wire });
  }

  get #slots(): ServerSlot[] {
    return [...this.#places.values()].map(({ slot }) => slot);
  }

  #slot(id: string): ServerSlot {
    const slot = this.#places.get(id)?.slot;
    if (slot === undefined) throw new ToolyardError({ code: 'not_found', message: `There is no server "${id}".` });
    return slot;
  }

  #selectWhere(chosen: (id: string) => boolean, hidden?: (tool: ToolReference) => boolean): SelectedTools {
    return new SelectedTools({
      sources: () => this.#slots.filter(({ config }) => chosen(config.id)),
      hidden,
      callTool: (tool, args, options) => this.callTool(tool, args, options),
    });
  }

  #refuseWhenClosed(): void {
    if (!this.#isRefusing) return;
    throw new ToolyardError({ code: 'server_closed', message: 'Toolyard is shutting down.' });
  }
}

function connectionOf(slot: ServerSlot): McpConnection {
  const { connection, config, stage, error } = slot;
  if (connection !== undefined) return connection;
  throw new ToolyardError(error ?? notReady(config.id, shownState(stage)));
}

async function callOn(
  slot: ServerSlot,
  tool: ToolReference,
  args: JsonObject,
  options: CallToolOptions,
): Promise<ToolResult> {
  const { connection, config, stage, error } = slot;
  if (connection === undefined) return notSent(error ?? notReady(config.id, shownState(stage)));
  return connection.callTool(tool.name, args, options);
}

/** What a server says of its own tools counts only if its owner vouches for it. */
function mayBeRepeated(config: ServerConfig, tool: ListedTool | undefined): boolean {
  if (config.builtIn !== true && config.trusted !== true) return false;
  return tool?.annotations?.readOnly === true || tool?.annotations?.idempotent === true;
}

function changedSince({ serverId, name }: ToolReference): ErrorInfo {
  return {
    code: 'tool_refused',
    message: `The tool "${name}" of "${serverId}" is no longer what was approved.`,
    hint: 'Look at what has changed, and approve it again if it is still wanted.',
  };
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
