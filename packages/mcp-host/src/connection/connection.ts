import type { Client, Implementation } from '@modelcontextprotocol/client';
import type { Clock, ErrorInfo } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import { CancelledCalls } from '../calls/cancelled-calls.ts';
import { OfferCatalogue } from '../catalogue/catalogue.ts';
import { ChangeWatch } from './change-watch.ts';
import { explainEnd, explainFailedConnect } from './connect-failure.ts';
import { closedByHost, connectionClosed } from './connection-errors.ts';
import type { EraMemory } from './era-memory.ts';
import { handshake } from './handshake.ts';
import { defaultConnectTimeout, findLauncher } from './launcher.ts';
import { capabilitiesIn, serverIdentity } from './server-identity.ts';
import type { ServerAuth } from '../oauth/server-auth.ts';
import type { ServerRequestHandlers } from '../server-requests/answer-request.ts';
import { ServerRequestRouter } from '../server-requests/server-request-router.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import { collectServerLog } from '../log/server-messages.ts';
import { McpSession, getTimeout } from './mcp-session.ts';
import { withClientMeta, openTaskWire } from '../tasks/task-wire.ts';
import type { CreateTransport, HostTransport } from '../transports/transport.ts';
import type { OpenRequests } from '../server-requests/open-requests.ts';
import type { RootsHabit } from '../server-requests/session-roots.ts';
import { rootsOutsideSandbox, SessionRoots } from '../server-requests/session-roots.ts';
import type { Caller, ConnectionPhase, Era, LogEntry, LogLevel, ServerConfig, ServerHealth } from '../types.ts';
import type { OpenRequest } from '../calls/track-request.ts';
import type { ConnectionLoss } from './connection-loss.ts';
import { connectionLoss } from './connection-loss.ts';
import type { WireLog } from '../log/wire-log.ts';

/** How often `onChange` is called for output of a launcher, in milliseconds. */
const LAUNCH_UPDATE_MS = 500;

export type McpConnectionOptions = {
  config: ServerConfig;
  createTransport: CreateTransport;
  clock: Clock;
  clientInfo: Implementation;
  eraMemory: EraMemory;
  handlers: ServerRequestHandlers;
  wire: WireLog;
  /** The minimum level the server should log; undefined leaves it to the server. */
  logLevel: LogLevel | undefined;
  /** The server's tools, for an additional connection, which lists and subscribes to nothing. */
  tools?: () => ReadonlyMap<string, ListedTool>;
  note(entry: LogEntry, source?: 'server'): void;
  /** Undefined if the server needs no sign-in. */
  auth: ServerAuth | undefined;
  /** Called after every change of phase or offer. */
  onChange(): void;
  /** Called at most once, and only if the connection was open. */
  onLost(error: ErrorInfo, by: ConnectionLoss): void;
  /** The server sent a request that may belong to several calls. */
  /** The open requests of the server, over all its connections. */
  requests: OpenRequests;
  onAmbiguous(): void;
  /** A subscribed resource has changed. */
  onUpdated(uri: string): void;
  /** Set for a server that gets the folders of conversations as roots; those at the start, and {@link SessionRoots}. */
  roots?: { habit: RootsHabit; initial: readonly string[]; reserve?: (caller: Caller) => boolean };
};

/** One connection: initialize, list what the server offers, send requests, then close or be lost. */
export class McpConnection {
  readonly #options: McpConnectionOptions;
  readonly #id: string;
  readonly #open = new Set<OpenRequest>();
  readonly #ending = new AbortController();
  #phase: ConnectionPhase = 'disconnected';
  #phases: ServerHealth['phases'] = [];
  #isReady = false;
  #hasLaunchUpdate = false;
  #error: ErrorInfo | undefined;
  #era: Era | undefined;
  #client: Client | undefined;
  #transport: HostTransport | undefined;
  #catalogue: OfferCatalogue | undefined;
  #watch: ChangeWatch | undefined;
  #session: McpSession | undefined;
  #loss: { error: ErrorInfo; by: ConnectionLoss } | undefined;
  #connecting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: McpConnectionOptions) {
    this.#options = options;
    this.#id = options.config.id;
  }

  /** By the server's own names, in the order of its list. */
  get tools(): ReadonlyMap<string, ListedTool> {
    return this.#catalogue?.tools ?? new Map<string, ListedTool>();
  }

  get catalogue(): OfferCatalogue | undefined {
    return this.#catalogue;
  }

  /** Sends requests; undefined unless the connection is open. */
  get session(): McpSession | undefined {
    return this.#isReady ? this.#session : undefined;
  }

  /** Set if the connection was open and was lost, rather than closed. */
  get loss(): { error: ErrorInfo; by: ConnectionLoss } | undefined {
    return this.#loss;
  }

  /** Its part of the server's health. */
  report(): Partial<ServerHealth> & Pick<ServerHealth, 'phase' | 'phases' | 'skipped'> {
    const { resources, prompts, skipped = [] } = this.#catalogue ?? {};
    return {
      phase: this.#phase,
      phases: [...this.#phases],
      ...this.#launch(),
      ...(this.#transport?.isolation === undefined ? {} : { isolation: this.#transport.isolation }),
      ...defined({ era: this.#era }),
      ...(this.#client === undefined || this.#era === undefined ? {} : serverIdentity(this.#client)),
      ...(this.#client === undefined || this.#era === undefined ? {} : { capabilities: capabilitiesIn(this.#client) }),
      ...(resources === undefined || !this.#isReady ? {} : { resourceCount: resources.length }),
      ...(prompts === undefined || !this.#isReady ? {} : { promptCount: prompts.length }),
      skipped,
    };
  }

  #launch(): Pick<ServerHealth, 'launch'> {
    const launcher = findLauncher(this.#options.config.transport);
    const [first] = this.#phases;
    if (launcher === undefined || first === undefined || !LAUNCHING.has(this.#phase)) return {};
    return { launch: { launcher, since: first.at, stderr: [...(this.#transport?.lastStderr ?? [])] } };
  }

  /**
   * Connects and lists the tools; resources and prompts are listed in the background. Call it once.
   *
   * @throws ToolyardError that names the server, the phase and the remedy
   */
  connect(): Promise<void> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  async #connect(): Promise<void> {
    const { config, clock } = this.#options;
    const timeoutMs = config.connectTimeoutMs ?? defaultConnectTimeout(config.transport);
    const stop = new AbortController();
    let timedOut = false;
    const cancelTimer = clock.after(timeoutMs, () => {
      timedOut = true;
      stop.abort();
    });
    const onEnding = (): void => stop.abort();
    this.#ending.signal.addEventListener('abort', onEnding, { once: true });
    try {
      if (this.#closing !== undefined) throw new Error('The connection was closed before it was opened.');
      await this.#initialize(stop.signal, timeoutMs);
      if (this.#options.tools === undefined) {
        this.#set('listing');
        await this.#catalogue?.listTools(stop.signal);
      }
      if (this.#error !== undefined || stop.signal.aborted) throw new Error('The connection was lost.');
      this.#isReady = true;
      this.#set('connected');
    } catch (thrown) {
      throw await this.#failure(thrown, timedOut, timeoutMs);
    } finally {
      cancelTimer();
      this.#ending.signal.removeEventListener('abort', onEnding);
    }
    if (this.#options.tools === undefined) void this.#catalogue?.listTheRest(this.#ending.signal);
    void this.#session?.setLogLevel(this.#options.logLevel);
  }

  async #initialize(signal: AbortSignal, timeoutMs: number): Promise<void> {
    const { config, createTransport, clock, clientInfo, eraMemory, handlers, wire, auth } = this.#options;
    const cancelled = new CancelledCalls(clock);
    const { roots: given } = this.#options;
    const roots =
      given === undefined
        ? undefined
        : {
            ofSession: new SessionRoots({ clock, ...given, onTold: (uris) => this.#warnOfSandbox(uris) }),
            reserve: given.reserve ?? (() => false),
          };
    const requestRouter = new ServerRequestRouter({
      serverId: this.#id,
      handlers,
      open: this.#open,
      cancelled,
      requests: this.#options.requests,
      onAmbiguous: () => this.#options.onAmbiguous(),
      ...defined({ roots }),
    });
    const { client, era, transport, capabilities } = await handshake({
      config: config.transport,
      createTransport,
      context: {
        serverId: this.#id,
        clock,
        log: (level, text, source) => this.#note(level, text, source),
        ...(auth === undefined ? {} : { sign: (fetch) => auth.sign(fetch) }),
      },
      clientInfo,
      eraMemory,
      requestRouter,
      wire,
      signal,
      timeoutMs,
      onPhase: (phase) => this.#set(phase),
      onTransport: (transport) => {
        this.#transport = transport;
        transport.onblocked = () => this.#options.onChange();
      },
    });
    this.#client = client;
    this.#era = era;
    client.onclose = () => this.#lost();
    client.onerror = (error) => this.#note('info', `The MCP SDK reports: ${error.message}`);
    collectServerLog(client, (level, text) => this.#note(level, text, 'server'));
    const catalogue = new OfferCatalogue({
      client,
      timeoutMs: getTimeout(config),
      note: (level, text) => this.#note(level, text),
      onChange: () => this.#options.onChange(),
    });
    const watch = new ChangeWatch({
      client,
      era,
      clock,
      refresh: async (kind) => {
        await this.#connecting?.catch(() => undefined);
        if (this.#isReady && this.#options.tools === undefined) await catalogue.refresh(kind, this.#ending.signal);
      },
      onUpdated: (uri) => this.#options.onUpdated(uri),
      onFailed: (thrown) => this.#onFailed(thrown),
      warn: (text) => this.#note('warning', text),
    });
    this.#catalogue = catalogue;
    this.#watch = watch;
    this.#session = new McpSession({
      config,
      client,
      era,
      clock,
      handlers,
      requestRouter,
      roots: roots?.ofSession,
      open: this.#open,
      cancelled,
      catalogue,
      tools: this.#options.tools ?? (() => catalogue.tools),
      watch,
      logLevel: this.#options.logLevel,
      signal: this.#ending.signal,
      warn: (text) => this.#note('warning', text),
      relays: transport.relays,
      lastRequestId: () => transport.lastRequestId,
      ask: (method, params, signal) =>
        transport.ask(
          method,
          withClientMeta({ client, era, clientInfo, clientCapabilities: capabilities }, params),
          signal,
        ),
      openTask: (taskId) =>
        openTaskWire(
          { serverId: this.#id, client, era, transport, clientInfo, clientCapabilities: capabilities },
          taskId,
        ),
      whyLost: () => (this.#isReady ? undefined : (this.#error ?? closedByHost(this.#id))),
      onFailed: (thrown) => this.#onFailed(thrown),
    });
    if (this.#transport !== undefined) {
      this.#transport.onopened = (isFirst) => (isFirst ? watch.refreshAnnounced() : watch.refreshAll());
    }
    this.#set('capabilities_exchanged');
  }

  async #failure(thrown: unknown, timedOut: boolean, timeoutMs: number): Promise<ToolyardError> {
    const transport = this.#transport;
    this.#watch?.stop();
    if (this.#client !== undefined) this.#client.onclose = () => undefined;
    if (this.#closing !== undefined) {
      await transport?.close();
      return new ToolyardError(closedByHost(this.#id));
    }
    const error = explainFailedConnect({
      config: this.#options.config,
      phase: this.#phase,
      thrown,
      timedOut,
      timeoutMs,
      end: transport?.end,
      noiseLines: transport?.noiseLines ?? 0,
      stderr: transport?.lastStderr ?? [],
      isolation: transport?.isolation,
    });
    await transport?.close();
    this.#end(error);
    return new ToolyardError(error, { cause: thrown });
  }

  /** Stops all requests in progress; calls among them end with an unknown outcome. */
  abortCalls(): void {
    for (const request of this.#open) request.stop();
  }

  /** Stops all requests and closes the process or session. Final and idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isReady = false;
    this.#ending.abort();
    this.abortCalls();
    this.#watch?.stop();
    if (this.#client !== undefined) this.#client.onclose = () => undefined;
    await this.#connecting?.catch(() => undefined);
    await this.#transport?.close();
    if (this.#error === undefined) this.#set('disconnected');
  }

  #warnOfSandbox(uris: readonly string[]): void {
    for (const path of rootsOutsideSandbox(this.#options.config.transport, uris)) {
      const text = `The server received the workspace ${path} as a root, which its sandbox does not include. It can open files there after the folder was added to "read" or "write" of its sandbox.`;
      this.#note('warning', text);
    }
  }

  /** Checks whether a failed request means that the connection is lost. */
  #onFailed(thrown: unknown): void {
    const loss = connectionLoss(thrown, this.#id, this.#transport?.sessionId !== undefined);
    // Other requests in progress may still be answered; they are not cut off for this.
    if (loss === null || (loss.by === 'lost' && this.#open.size > 0)) return;
    this.#drop(loss.error, loss.by);
  }

  /** The transport closed although we did not close it. */
  #lost(): void {
    const end = this.#transport?.end;
    const error = end === undefined ? connectionClosed(this.#id) : explainEnd(this.#id, this.#phase, end);
    // While connecting, connect() itself rejects with the reason.
    if (this.#isReady) this.#drop(error, 'lost');
  }

  #drop(error: ErrorInfo, by: ConnectionLoss): void {
    if (!this.#isReady) return;
    this.#end(error);
    this.#loss = { error, by };
    // The owner reads `session` and `loss`, then closes the connection.
    this.#options.onLost(error, by);
  }

  #end(error: ErrorInfo): void {
    this.#isReady = false;
    this.#error = error;
    if (this.#client !== undefined) this.#client.onclose = () => undefined;
    this.#note('error', error.message);
    this.#set('error');
  }

  #set(phase: ConnectionPhase): void {
    if (phase === this.#phase) return;
    const at = this.#options.clock.now();
    if (phase === 'transport_creating') this.#phases = [];
    this.#phase = phase;
    this.#phases.push({ phase, at });
    if (phase !== 'error') this.#note('info', phase.replaceAll('_', ' '));
    this.#options.onChange();
  }

  #note(level: LogEntry['level'], text: string, source?: 'server'): void {
    const { clock } = this.#options;
    this.#options.note({ at: clock.now(), phase: this.#phase, level, text }, source);
    if (source !== 'server' || this.#hasLaunchUpdate || this.#launch().launch === undefined) return;
    this.#hasLaunchUpdate = true;
    clock.after(LAUNCH_UPDATE_MS, () => {
      this.#hasLaunchUpdate = false;
      if (this.#launch().launch !== undefined) this.#options.onChange();
    });
  }
}

/** The phases before the server's first answer. */
const LAUNCHING: ReadonlySet<ConnectionPhase> = new Set(['transport_creating', 'transport_ready', 'initializing']);
