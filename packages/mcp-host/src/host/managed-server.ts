import type { Clock, ErrorInfo } from '@toolyard/protocol';
import { defined, ToolyardError, toErrorInfo } from '@toolyard/protocol';
import { CallScheduler } from '../calls/call-scheduler.ts';
import { ConversationConnection } from '../calls/extra-connection.ts';
import type { OfferCatalogue } from '../catalogue/catalogue.ts';
import type { McpConnection } from '../connection/connection.ts';
import { closedByHost } from '../connection/connection-errors.ts';
import type { ServerAuth } from '../oauth/server-auth.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import type { ServerLog } from '../log/server-log.ts';
import type { RootsHabit } from '../server-requests/session-roots.ts';
import type { ServerMachine, ServerEvent, Stage } from './server-states.ts';
import { reconnectWait, shownState, transition, waitNumber } from './server-states.ts';
import type { McpSession } from '../connection/mcp-session.ts';
import type { ServerConfig, ServerHealth } from '../types.ts';
import { KnownTasks } from '../tasks/known-tasks.ts';
import type { WireLog } from '../log/wire-log.ts';
import type { ConnectionLoss } from '../connection/connection-loss.ts';

/** After this time a connection counts as stable: its loss is followed by the shortest wait. Milliseconds. */
const SETTLED_MS = 20_000;

const NO_TOOLS: ReadonlyMap<string, ListedTool> = new Map();

export type ManagedServerOptions = {
  config: ServerConfig;
  /** What must settle before it connects for the first time. */
  after: Promise<unknown>;
  clock: Clock;
  log: ServerLog;
  /** The last messages exchanged with it. */
  wire: WireLog;
  /** Undefined if the server needs no sign-in. */
  auth: ServerAuth | undefined;
  maxReconnects: number;
  /** Random number from 0 up to 1 that shortens a wait. */
  jitter: () => number;
  /** Creates a connection; `onLost` is called at most once, if the connection was open and was lost. */
  makeConnection(onLost: (error: ErrorInfo, by: ConnectionLoss) => void): McpConnection;
  /** The same for an additional connection of one conversation. */
  makeExtraConnection(onLost: () => void, roots: readonly string[]): McpConnection;
  onChange(): void;
  /** A connection was opened, the first or a later one. */
  onReady(): void;
};

/**
 * One configured server: its state machine (`server-states.ts`) and its current connection. A connection is used once;
 * every attempt creates another one after the old one is closed.
 */
export class ManagedServer {
  readonly config: ServerConfig;
  readonly log: ServerLog;
  readonly wire: WireLog;
  /** The tasks that its calls became. */
  readonly tasks: KnownTasks;
  /** Decides when calls are made, and on which connection. */
  readonly calls: CallScheduler<ConversationConnection>;
  /** Whether it asks for roots; learned by its connections. */
  readonly rootsHabit: RootsHabit = { asks: false, asksAtStart: false };
  readonly #options: ManagedServerOptions;
  #machine: ServerMachine;
  #connection: McpConnection | undefined;
  #error: ErrorInfo | undefined;
  /** Kept while reconnecting, so that the tools offered to a model stay the same. */
  #lastTools = NO_TOOLS;
  /** Counts disconnects: an attempt started before the last one is outdated. */
  #disconnects = 0;
  #attempting: Promise<void> | undefined;
  #closed: Promise<unknown>;
  #cancelTimer: () => void = () => undefined;
  #retryAt: number | undefined;
  #renewing = false;
  /** The last attempt that ended has failed. */
  #hasFailed = false;

  constructor(options: ManagedServerOptions) {
    this.config = options.config;
    this.log = options.log;
    this.wire = options.wire;
    this.tasks = new KnownTasks(options.clock);
    this.#options = options;
    this.#closed = options.after;
    const enabled = options.config.disabled !== true;
    this.#machine = { stage: enabled ? 'idle' : 'disabled', enabled, spent: 0, losses: 0 };
    this.calls = new CallScheduler({
      clock: options.clock,
      maxCalls: () => (this.session?.relays === true ? Infinity : (this.config.maxConcurrentCalls ?? Infinity)),
      maxConnections: getMaxConnections(options.config),
      asksForRoots: () => this.rootsHabit.asks,
      open: (after, caller) => {
        const extra: ConversationConnection = new ConversationConnection(
          (onLost) => options.makeExtraConnection(onLost, caller?.roots ?? []),
          after,
          () => this.calls.removeConnection(extra),
        );
        return extra;
      },
    });
  }

  get stage(): Stage {
    return this.#machine.stage;
  }

  /** Sends requests; undefined unless the server is ready. */
  get session(): McpSession | undefined {
    return this.#machine.stage === 'ready' ? this.#connection?.session : undefined;
  }

  /** What it offers; undefined unless the server is ready. */
  get catalogue(): OfferCatalogue | undefined {
    return this.#machine.stage === 'ready' ? this.#connection?.catalogue : undefined;
  }

  get error(): ErrorInfo | undefined {
    return this.#error;
  }

  /** By the server's own names, in the order of its list. */
  get tools(): ReadonlyMap<string, ListedTool> {
    if (this.#machine.stage === 'ready') return this.#connection?.tools ?? NO_TOOLS;
    return this.isReconnecting ? this.#lastTools : NO_TOOLS;
  }

  /**
   * True while runs wait for it: it connects, for the first time or after it was disconnected. Nothing waits for a
   * server whose last attempt failed or timed out, or whose connection was lost.
   */
  get isAwaited(): boolean {
    return this.#machine.stage === 'connecting' && !this.#hasFailed;
  }

  /** True while it connects or reconnects. */
  get isConnecting(): boolean {
    return this.#machine.stage === 'connecting' || this.isReconnecting;
  }

  get isReconnecting(): boolean {
    return this.#machine.stage === 'waiting' || this.#machine.stage === 'trying';
  }

  /** True while a session is being opened in place of an expired one. */
  get isRenewing(): boolean {
    return this.#renewing && this.#machine.stage === 'trying';
  }

  health(): ServerHealth {
    const { maxReconnects, auth } = this.#options;
    const signIn = auth?.health();
    const isResting = this.#machine.stage === 'idle' || this.#machine.stage === 'disabled';
    return {
      id: this.config.id,
      state: shownState(this.#machine.stage),
      phase: 'disconnected',
      phases: [],
      skipped: [],
      ...this.#connection?.report(),
      toolCount: this.tools.size,
      ...(this.#error === undefined || isResting ? {} : { error: this.#error }),
      ...(this.isReconnecting || this.#machine.stage === 'unreached'
        ? {
            reconnect: {
              attempt: this.#machine.spent + 1,
              of: maxReconnects,
              ...defined({ at: this.#retryAt }),
            },
          }
        : {}),
      ...(this.calls.isInteractive ? { interactive: true as const } : {}),
      ...defined({ signIn }),
      log: this.log.entries(),
    };
  }

  /**
   * Joins an attempt in progress. @throws ToolyardError why it failed, or that the server was disconnected meanwhile
   */
  connect(): Promise<void> {
    if (this.#machine.stage === 'ready') return Promise.resolve();
    this.#apply('connect');
    return this.#attempting ?? Promise.resolve();
  }

  /** Connects if the server was waiting for a sign-in. A failure is reported in its health. */
  signedIn(): void {
    if (this.#machine.stage === 'needs_sign_in') this.connect().catch(() => undefined);
  }

  /** Resolves when the connections are closed. */
  disconnect(): Promise<void> {
    this.#disconnects++;
    this.#closeConnection();
    this.#closeExtras();
    this.#apply('disconnect');
    return this.#closed.then(() => undefined);
  }

  /** Disabling disconnects the server; enabling does not connect it. */
  async setEnabled(enabled: boolean): Promise<void> {
    if (enabled) return void this.#apply('enable');
    this.#disconnects++;
    this.#closeConnection();
    this.#closeExtras();
    this.#apply('disable');
    await this.#closed;
  }

  abortCalls(): void {
    this.calls.rejectWaiting();
    this.#connection?.abortCalls();
    for (const extra of this.calls.extras) extra.abortCalls();
  }

  #apply(event: ServerEvent): void {
    const before = this.#machine;
    this.#machine = transition(before, event, this.#options.maxReconnects);
    if (this.#machine === before) return;
    if (this.#machine.stage !== before.stage || event === 'settled') this.#enter(this.#machine.stage);
    this.#options.onChange();
  }

  #enter(stage: Stage): void {
    const { clock, jitter } = this.#options;
    this.#cancelTimer();
    this.#cancelTimer = () => undefined;
    this.#retryAt = undefined;
    switch (stage) {
      case 'connecting':
      case 'trying':
        this.#attempting = this.#attempt();
        // A caller of connect() gets the rejection; an automatic reconnect has none.
        this.#attempting.catch(() => undefined);
        return;
      case 'waiting':
      case 'unreached': {
        const wait = reconnectWait(waitNumber(this.#machine), jitter());
        this.#retryAt = clock.now() + wait;
        this.#cancelTimer = clock.after(wait, () => this.#apply('due'));
        return;
      }
      case 'ready':
        this.#error = undefined;
        this.#hasFailed = false;
        if (this.#machine.losses > 0) this.#cancelTimer = clock.after(SETTLED_MS, () => this.#apply('settled'));
        return;
      case 'idle':
      case 'disabled':
      case 'failed':
      case 'needs_sign_in':
        return;
    }
  }

  async #attempt(): Promise<void> {
    const disconnects = this.#disconnects;
    const wasReady = this.#machine.stage === 'trying';
    await this.#closed;
    if (disconnects !== this.#disconnects) throw new ToolyardError(closedByHost(this.config.id));
    const connection = this.#options.makeConnection((error, by) => this.#lost(connection, error, by));
    this.#connection = connection;
    try {
      await connection.connect();
    } catch (thrown) {
      if (disconnects !== this.#disconnects) throw new ToolyardError(closedByHost(this.config.id));
      this.#closeConnection();
      this.#error = toErrorInfo(thrown);
      // A server that asks for a sign-in has answered.
      this.#hasFailed = this.#error.code !== 'needs_sign_in';
      this.#apply(toServerEvent(this.#error, wasReady));
      throw thrown;
    }
    if (disconnects !== this.#disconnects) throw new ToolyardError(closedByHost(this.config.id));
    this.#renewing = false;
    this.#apply('opened');
    // The connection may be lost again already.
    const { loss } = connection;
    if (loss === undefined) this.#options.onReady();
    else this.#lost(connection, loss.error, loss.by);
  }

  #lost(connection: McpConnection, error: ErrorInfo, by: ConnectionLoss): void {
    if (connection !== this.#connection || this.#machine.stage !== 'ready') return;
    this.#lastTools = connection.tools;
    this.#renewing = by === 'session_lost';
    this.#error = error;
    this.#closeConnection();
    this.#apply(by);
  }

  #closeExtras(): void {
    this.#closed = Promise.allSettled([this.#closed, this.calls.close()]);
  }

  /** Closes the connection but keeps it, because it still reports how it was lost. */
  #closeConnection(): void {
    const closing = this.#connection?.close();
    if (closing !== undefined) this.#closed = Promise.allSettled([this.#closed, closing]);
  }
}

/** A process is expensive, a session is not. */
const MAX_PROCESSES = 4;
const MAX_SESSIONS = 16;

function getMaxConnections({ processes, transport }: ServerConfig): number {
  if (processes === 'one') return 1;
  return transport.type === 'stdio' ? MAX_PROCESSES : MAX_SESSIONS;
}

/**
 * Errors that waiting does not resolve. A server that was connected before is expected to recover from all others; one
 * that never was is retried if its error says that it may be temporary.
 */
const PERMANENT_ERRORS = new Set<ErrorInfo['code']>(['bad_config', 'command_not_found', 'address_refused', 'internal']);

function toServerEvent(error: ErrorInfo, wasReady: boolean): ServerEvent {
  if (error.code === 'needs_sign_in') return 'sign_in';
  if (wasReady) return PERMANENT_ERRORS.has(error.code) ? 'refused' : 'unreachable';
  return error.retryable === true ? 'unreachable' : 'refused';
}
