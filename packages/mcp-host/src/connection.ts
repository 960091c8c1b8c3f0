import type { Client, Implementation } from '@modelcontextprotocol/client';
import type { Clock, ErrorInfo, JsonObject, ToolResult } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { callTool } from './call-tool.ts';
import { explainEnd, explainFailedConnect } from './connect-failure.ts';
import { closedByUs, connectionClosed, notReady, sessionEnded } from './connection-errors.ts';
import type { EraMemory } from './era-memory.ts';
import { notSent } from './call-failure.ts';
import { sayHello } from './handshake.ts';
import { introductionOf } from './introduction.ts';
import type { ToolListing } from './list-tools.ts';
import { fetchToolList } from './fetch-tool-list.ts';
import type { ListedTool, SkippedTool } from './read-tool.ts';
import { ServerLog } from './server-log.ts';
import { watchToolList } from './tool-list-watch.ts';
import type { CreateTransport, HostTransport } from './transport.ts';
import type {
  CallToolOptions,
  ConnectionPhase,
  Era,
  LogEntry,
  ServerConfig,
  ServerHealth,
  ServerState,
} from './types.ts';

const DEFAULT_CALL_TIMEOUT_MS = 60_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 30_000;

export type ConnectionOptions = {
  config: ServerConfig;
  createTransport: CreateTransport;
  clock: Clock;
  clientInfo: Implementation;
  eraMemory: EraMemory;
  /** Called after every change of state, phase or tools. */
  onChange?(): void;
  onLog?(entry: LogEntry): void;
};

/** One server: connecting to it, what it offers, calling its tools, losing it, leaving it. */
export class McpConnection {
  readonly config: ServerConfig;
  readonly #options: ConnectionOptions;
  readonly #log = new ServerLog();
  readonly #calls = new Set<() => void>();
  #state: ServerState = 'idle';
  #phase: ConnectionPhase = 'disconnected';
  #error: ErrorInfo | undefined;
  #era: Era | undefined;
  #client: Client | undefined;
  #transport: HostTransport | undefined;
  #tools: ReadonlyMap<string, ListedTool> = new Map();
  #skipped: SkippedTool[] = [];
  #connecting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #stop: AbortController | undefined;
  /** Transports that failed and are being cleared away behind the scenes. */
  #clearing: Promise<unknown> = Promise.resolve();
  #stopWatching: (() => void) | undefined;

  constructor(options: ConnectionOptions) {
    this.config = options.config;
    this.#options = options;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** By the server's own names, in the order it lists them; empty unless the state is `ready`. */
  get tools(): ReadonlyMap<string, ListedTool> {
    return this.#tools;
  }

  health(): ServerHealth {
    return {
      id: this.config.id,
      state: this.#state,
      phase: this.#phase,
      toolCount: this.#tools.size,
      ...(this.#era === undefined ? {} : { era: this.#era }),
      ...(this.#client === undefined ? {} : introductionOf(this.#client)),
      ...(this.#error === undefined ? {} : { error: this.#error }),
      skipped: [...this.#skipped],
      log: this.#log.entries(),
    };
  }

  /**
   * Connects and lists the tools. Does nothing on a server that is ready; joins an attempt under way.
   *
   * @throws ToolyardError saying which server failed, where, and what to do; the state is `failed` by then.
   */
  connect(): Promise<void> {
    if (this.#state === 'ready') return Promise.resolve();
    if (this.#closing !== undefined) return Promise.reject(new ToolyardError(closedByUs(this.config.id)));
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<void> {
    const { clock } = this.#options;
    const timeoutMs = this.config.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
    const stop = new AbortController();
    let outOfTime = false;
    const cancelTimer = clock.after(timeoutMs, () => {
      outOfTime = true;
      stop.abort();
    });
    this.#stop = stop;
    this.#error = undefined;
    this.#era = undefined;
    this.#client = undefined;
    this.#transport = undefined;
    this.#set('connecting', 'transport_creating');
    try {
      const { client, era } = await sayHello({
        config: this.config.transport,
        createTransport: this.#options.createTransport,
        context: {
          serverId: this.config.id,
          clock,
          log: (level, text, source) => this.#note(level, text, source),
        },
        clientInfo: this.#options.clientInfo,
        eraMemory: this.#options.eraMemory,
        signal: stop.signal,
        timeoutMs,
        onPhase: (phase) => this.#set('connecting', phase),
        onTransport: (transport) => {
          this.#transport = transport;
        },
      });
      this.#client = client;
      this.#era = era;
      this.#set('connecting', 'capabilities_exchanged');
      client.onclose = () => this.#lost(client);
      client.onerror = (error) => this.#note('info', `The protocol library says: ${error.message}`);
      this.#stopWatching = watchToolList({
        client,
        era,
        clock,
        refresh: () => this.#refresh(client),
        warn: (text) => this.#note('warning', text),
      });

      this.#set('connecting', 'listing');
      const listing = await fetchToolList(client, stop.signal);
      if (this.#client !== client || stop.signal.aborted) throw new Error('The connection was lost.');
      this.#adopt(listing);
      this.#set('ready', 'connected');
    } catch (thrown) {
      await this.#giveUp(thrown, outOfTime, timeoutMs);
    } finally {
      cancelTimer();
      this.#stop = undefined;
    }
  }

  async #giveUp(thrown: unknown, outOfTime: boolean, timeoutMs: number): Promise<never> {
    const transport = this.#transport;
    if (this.#closing !== undefined) {
      this.#stopWatching?.();
      await transport?.close();
      throw new ToolyardError(closedByUs(this.config.id));
    }
    const error = explainFailedConnect({
      config: this.config,
      phase: this.#phase,
      thrown,
      outOfTime,
      timeoutMs,
      end: transport?.end,
      noiseLines: transport?.noiseLines ?? 0,
    });
    if (this.#client !== undefined) this.#client.onclose = () => undefined;
    await transport?.close();
    this.#fail(error);
    throw new ToolyardError(error, { cause: thrown });
  }

  /** One call; see {@link ToolHost.callTool} for the promise it makes. */
  async callTool(name: string, args: JsonObject, options: CallToolOptions = {}): Promise<ToolResult> {
    const reference = { serverId: this.config.id, name };
    const client = this.#client;
    if (this.#closing !== undefined) return notSent(closedByUs(this.config.id));
    if (this.#state !== 'ready' || client === undefined) {
      return notSent(this.#error ?? notReady(this.config.id, this.#state));
    }
    const tool = this.#tools.get(name);
    if (tool === undefined) {
      return notSent({ code: 'tool_not_found', message: `The server "${this.config.id}" offers no tool "${name}".` });
    }
    return callTool({
      client,
      tool,
      reference,
      args,
      options,
      timeoutMs: options.timeoutMs ?? this.config.callTimeoutMs ?? DEFAULT_CALL_TIMEOUT_MS,
      mirrorsHeaders: this.config.transport.type === 'http' && this.#era === 'modern',
      calls: this.#calls,
      whyLost: () => this.#error,
      onNotFound: () => this.#sessionLost(client),
    });
  }

  /** Stops every call under way; each is answered with an unknown outcome. */
  abortCalls(): void {
    for (const stop of this.#calls) stop();
  }

  /** Leaves the server: calls are stopped, the process or session is ended. Final, and safe to repeat. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop?.abort();
    this.abortCalls();
    this.#stopWatching?.();
    this.#tools = new Map();
    this.#options.onChange?.();
    if (this.#client !== undefined) this.#client.onclose = () => undefined;
    await this.#connecting?.catch(() => undefined);
    await Promise.allSettled([this.#transport?.close(), this.#clearing]);
    this.#set('closed', 'disconnected');
  }

  async #refresh(client: Client): Promise<void> {
    await this.#connecting?.catch(() => undefined);
    if (this.#client !== client || this.#state !== 'ready') return;
    try {
      const listing = await fetchToolList(client);
      if (this.#client !== client || this.#state !== 'ready') return;
      this.#adopt(listing);
      this.#note('info', `The server changed its tools: ${this.#tools.size} now.`);
      this.#options.onChange?.();
    } catch {
      if (this.#state === 'ready')
        this.#note('warning', 'The changed tool list could not be read; the old one is kept.');
    }
  }

  #adopt(listing: ToolListing): void {
    this.#tools = new Map(listing.tools.map((tool) => [tool.name, tool]));
    this.#skipped = listing.skipped;
    for (const warning of listing.warnings) this.#note('warning', warning);
    for (const { name, reason } of listing.skipped) this.#note('warning', `Tool "${name}" is set aside: ${reason}`);
  }

  /** The connection ended without being asked to. */
  #lost(client: Client): void {
    if (this.#client !== client) return;
    const end = this.#transport?.end;
    const error = end === undefined ? connectionClosed(this.config.id) : explainEnd(this.config.id, this.#phase, end);
    // While connecting, the attempt itself fails and says why.
    if (this.#state === 'ready') this.#drop(client, error);
  }

  /** A legacy HTTP server that answers 404 has forgotten the session: nothing can come of this connection any more. */
  #sessionLost(client: Client): void {
    if (this.#client !== client || this.#state !== 'ready' || this.#transport?.sessionId === undefined) return;
    this.#drop(client, sessionEnded(this.config.id));
  }

  #drop(client: Client, error: ErrorInfo): void {
    client.onclose = () => undefined;
    const closing = this.#transport?.close();
    this.#clearing = Promise.allSettled([this.#clearing, closing]);
    this.#fail(error);
  }

  #fail(error: ErrorInfo): void {
    this.#error = error;
    this.#tools = new Map();
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#note('error', error.message);
    this.#set('failed', 'error');
  }

  #set(state: ServerState, phase: ConnectionPhase): void {
    if (state === this.#state && phase === this.#phase) return;
    this.#state = state;
    if (phase !== this.#phase) {
      this.#phase = phase;
      if (phase !== 'error') this.#note('info', phase.replaceAll('_', ' '));
    }
    this.#options.onChange?.();
  }

  #note(level: LogEntry['level'], text: string, source?: 'server'): void {
    const entry: LogEntry = { at: this.#options.clock.now(), phase: this.#phase, level, text };
    this.#log.add(entry, source);
    this.#options.onLog?.(entry);
  }
}
