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
import type { ServerMachine, ServerEvent, Stage } from './server-states.ts';
import { reconnectWait, shownState, transition } from './server-states.ts';
import type { Session } from '../connection/session.ts';
import type { ServerConfig, ServerHealth } from '../types.ts';
import type { WireLog } from '../log/wire-log.ts';
import type { ConnectionLoss } from '../connection/connection-loss.ts';

/** A connection that has stood so long counts as sound, and its next loss as the first one. Milliseconds. */
const SETTLED_MS = 60_000;

const NO_TOOLS: ReadonlyMap<string, ListedTool> = new Map();

export type ManagedServerOptions = {
  config: ServerConfig;
  /** What has to be over before it connects for the first time. */
  after: Promise<unknown>;
  clock: Clock;
  log: ServerLog;
  /** The last messages exchanged with it. */
  wire: WireLog;
  /** Absent for a server that nobody signs in to. */
  auth: ServerAuth | undefined;
  maxReconnects: number;
  /** 0 up to 1: how much of a wait chance takes off. */
  jitter: () => number;
  /** A fresh connection; `onLost` is called at most once, if it stood and is gone. */
  makeConnection(onLost: (error: ErrorInfo, by: ConnectionLoss) => void): McpConnection;
  /** A fresh connection beside the first one; `onLost` is called at most once, if it stood and is gone. */
  makeExtraConnection(onLost: () => void): McpConnection;
  onChange(): void;
  /** A connection stands, the first or another one. */
  onReady(): void;
};

/**
 * One configured server: its state machine (`server-states.ts`) and its current connection. A connection has one life; every
 * attempt makes a fresh one, when nothing of the old one is left.
 */
export class ManagedServer {
  readonly config: ServerConfig;
  readonly log: ServerLog;
  readonly wire: WireLog;
  /** Decides when calls are made, and on which connection. */
  readonly calls: CallScheduler<ConversationConnection>;
  readonly #options: ManagedServerOptions;
  #machine: ServerMachine;
  #connection: McpConnection | undefined;
  #error: ErrorInfo | undefined;
  /** Kept while reconnecting, so that what a model is offered does not flicker. */
  #lastTools = NO_TOOLS;
  /** Grows with every wish to leave: an attempt that finds it grown is no longer wanted. */
  #departures = 0;
  #attempting: Promise<void> | undefined;
  #cleared: Promise<unknown>;
  #callOff: () => void = () => undefined;
  #dueAt: number | undefined;
  #renewing = false;

  constructor(options: ManagedServerOptions) {
    this.config = options.config;
    this.log = options.log;
    this.wire = options.wire;
    this.#options = options;
    this.#cleared = options.after;
    const enabled = options.config.disabled !== true;
    this.#machine = { stage: enabled ? 'idle' : 'disabled', enabled, spent: 0 };
    this.calls = new CallScheduler({
      clock: options.clock,
      maxCalls: () => (this.session?.relays === true ? Infinity : (this.config.maxConcurrentCalls ?? Infinity)),
      maxConnections: maxConnectionsOf(options.config),
      open: (after) => {
        const extra: ConversationConnection = new ConversationConnection(
          (onLost) => options.makeExtraConnection(onLost),
          after,
          () => this.calls.dropped(extra),
        );
        return extra;
      },
    });
  }

  get stage(): Stage {
    return this.#machine.stage;
  }

  /** What the server can be asked, while it is ready. */
  get session(): Session | undefined {
    return this.#machine.stage === 'ready' ? this.#connection?.session : undefined;
  }

  /** What it offers, while it is ready. */
  get catalogue(): OfferCatalogue | undefined {
    return this.#machine.stage === 'ready' ? this.#connection?.catalogue : undefined;
  }

  get error(): ErrorInfo | undefined {
    return this.#error;
  }

  /** By the server's own names, in the order it lists them. */
  get tools(): ReadonlyMap<string, ListedTool> {
    if (this.#machine.stage === 'ready') return this.#connection?.tools ?? NO_TOOLS;
    return this.isReconnecting ? this.#lastTools : NO_TOOLS;
  }

  /** True while it is not known yet whether an attempt to connect succeeds. */
  get isConnecting(): boolean {
    return this.#machine.stage === 'connecting' || this.isReconnecting;
  }

  get isReconnecting(): boolean {
    return this.#machine.stage === 'waiting' || this.#machine.stage === 'trying';
  }

  /** True while a new session is being opened in place of one the server has forgotten. */
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
      ...(this.isReconnecting
        ? {
            reconnect: {
              attempt: this.#machine.spent + 1,
              of: maxReconnects,
              ...defined({ at: this.#dueAt }),
            },
          }
        : {}),
      ...(this.calls.isInteractive ? { interactive: true as const } : {}),
      ...defined({ signIn }),
      log: this.log.entries(),
    };
  }

  /** Joins an attempt under way. @throws ToolyardError saying why it failed, or that it was left meanwhile. */
  connect(): Promise<void> {
    if (this.#machine.stage === 'ready') return Promise.resolve();
    this.#apply('connect');
    return this.#attempting ?? Promise.resolve();
  }

  /** Somebody has signed in: if that was what it waited for, it connects. What goes wrong stands in its health. */
  signedIn(): void {
    if (this.#machine.stage === 'needs_sign_in') this.connect().catch(() => undefined);
  }

  /** Resolves when nothing of the connection is left. */
  disconnect(): Promise<void> {
    this.#departures++;
    this.#leave();
    this.#leaveExtras();
    this.#apply('disconnect');
    return this.#cleared.then(() => undefined);
  }

  /** Switched off, it is left; switched on, it waits for somebody to connect it. */
  async setEnabled(enabled: boolean): Promise<void> {
    if (enabled) return void this.#apply('enable');
    this.#departures++;
    this.#leave();
    this.#leaveExtras();
    this.#apply('disable');
    await this.#cleared;
  }

  abortCalls(): void {
    this.calls.refuseWaiting();
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
    this.#callOff();
    this.#callOff = () => undefined;
    this.#dueAt = undefined;
    switch (stage) {
      case 'connecting':
      case 'trying':
        this.#attempting = this.#attempt();
        // Whoever asked hears of it; a reconnect of our own has nobody to tell.
        this.#attempting.catch(() => undefined);
        return;
      case 'waiting': {
        const wait = reconnectWait(this.#machine.spent, jitter());
        this.#dueAt = clock.now() + wait;
        this.#callOff = clock.after(wait, () => this.#apply('due'));
        return;
      }
      case 'ready':
        this.#error = undefined;
        if (this.#machine.spent > 0) this.#callOff = clock.after(SETTLED_MS, () => this.#apply('settled'));
        return;
      case 'idle':
      case 'disabled':
      case 'failed':
      case 'needs_sign_in':
        return;
    }
  }

  async #attempt(): Promise<void> {
    const departures = this.#departures;
    const isReconnect = this.#machine.stage === 'trying';
    await this.#cleared;
    if (departures !== this.#departures) throw new ToolyardError(closedByHost(this.config.id));
    const connection = this.#options.makeConnection((error, by) => this.#lost(connection, error, by));
    this.#connection = connection;
    try {
      await connection.connect();
    } catch (thrown) {
      if (departures !== this.#departures) throw new ToolyardError(closedByHost(this.config.id));
      this.#leave();
      this.#error = toErrorInfo(thrown);
      this.#apply(outcomeOf(this.#error, isReconnect));
      throw thrown;
    }
    if (departures !== this.#departures) throw new ToolyardError(closedByHost(this.config.id));
    this.#renewing = false;
    this.#apply('opened');
    // It may be gone again before anybody was told that it stands.
    const { loss } = connection;
    if (loss === undefined) this.#options.onReady();
    else this.#lost(connection, loss.error, loss.by);
  }

  #lost(connection: McpConnection, error: ErrorInfo, by: ConnectionLoss): void {
    if (connection !== this.#connection || this.#machine.stage !== 'ready') return;
    this.#lastTools = connection.tools;
    this.#renewing = by === 'session_lost';
    this.#error = error;
    this.#leave();
    this.#apply(by);
  }

  #leaveExtras(): void {
    this.#cleared = Promise.allSettled([this.#cleared, this.calls.close()]);
  }

  /** The connection stays where it can tell what became of it; nothing more comes of it. */
  #leave(): void {
    const closing = this.#connection?.close();
    if (closing !== undefined) this.#cleared = Promise.allSettled([this.#cleared, closing]);
  }
}

/** A process is dear, a session is not. */
const MOST_PROCESSES = 4;
const MOST_SESSIONS = 16;

function maxConnectionsOf({ processes, transport }: ServerConfig): number {
  if (processes === 'one') return 1;
  return transport.type === 'stdio' ? MOST_PROCESSES : MOST_SESSIONS;
}

/** What no waiting cures. A server that has been there before is believed to come back from anything else. */
const LASTING = new Set<ErrorInfo['code']>(['bad_config', 'command_not_found', 'address_refused', 'internal']);

function outcomeOf(error: ErrorInfo, isReconnect: boolean): ServerEvent {
  if (error.code === 'needs_sign_in') return 'sign_in';
  if (isReconnect) return LASTING.has(error.code) ? 'refused' : 'unreachable';
  return error.retryable === true ? 'unreachable' : 'refused';
}
