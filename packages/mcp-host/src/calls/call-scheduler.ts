import type { Clock } from '@toolyard/protocol';
import type { Caller } from '../types.ts';

/** How long a call waits before its caller is notified, in milliseconds. */
const NOTIFY_AFTER_MS = 1_000;
/** How long a call waits at most. What it waits for may itself wait for a user. Milliseconds. */
export const QUEUE_TIMEOUT_MS = 5 * 60_000;
/** How long an idle connection is kept for its conversation, in milliseconds. */
export const IDLE_MS = 5 * 60_000;

/** A connection of one conversation, in addition to the first one. */
export type ExtraConnection = {
  /** True when it accepts no more requests. */
  readonly isGone: boolean;
  close(): Promise<void>;
};

export type CallSchedulerOptions<C extends ExtraConnection> = {
  clock: Clock;
  /** The most calls in flight at once, over all connections. */
  maxCalls: () => number;
  /** The most connections at once, including the first. */
  maxConnections: number;
  /** Opens a connection for a caller after `after` settles. */
  open: (after: Promise<unknown>, caller: Caller | undefined) => C;
  /** True if the server asks for roots, so that conversations with different ones cannot share a connection. */
  asksForRoots: () => boolean;
};

export type ScheduledCall = {
  caller: Caller | undefined;
  /** A call that becomes a task uses the first connection, because a task outlives the other connections. */
  isTask: boolean;
  signal: AbortSignal | undefined;
  /**
   * Called with the calls in progress when the wait takes longer and whenever they change; with null when the call is
   * admitted.
   */
  onWait: (waitsFor: readonly Caller[] | null) => void;
};

export type CallTurn<C> =
  /** The call may be made on this connection; undefined: on the first one. */
  | {
      kind: 'admitted';
      connection: C | undefined;
      /** The roots of the conversation that the connection is reserved for; none if it is shared. */
      roots: readonly string[];
      release: () => void;
    }
  /** The call was not made. */
  | { kind: 'timed_out' | 'aborted' | 'closed' };

/** A connection and the calls in flight on it. */
type Slot<C> = {
  /** Undefined for the first connection. */
  connection: C | undefined;
  /** The conversation it is reserved for. */
  conversation: string | undefined;
  /** The first connection only: the server received the roots of that conversation. */
  hasRoots: boolean;
  calls: Set<ScheduledCall>;
  lastUsed: number;
  stopIdleTimer: () => void;
};

type WaitingCall<C> = ScheduledCall & {
  settle: (turn: CallTurn<C>) => void;
  isNotified: boolean;
  notifiedJson: string;
};

/**
 * Decides when a call to one server is made, and on which connection. All calls share the first connection until the
 * server turns out to be interactive. Then every conversation has its own, so that a request from the server on that
 * connection belongs to that conversation.
 */
export class CallScheduler<C extends ExtraConnection> {
  readonly #options: CallSchedulerOptions<C>;
  readonly #first: Slot<C>;
  #extras: Slot<C>[] = [];
  readonly #inFlight = new Set<ScheduledCall>();
  #waiting: WaitingCall<C>[] = [];
  #isInteractive = false;
  /** Settles when all connections being closed are closed; they count against the limit until then. */
  #closing: Promise<unknown> = Promise.resolve();

  constructor(options: CallSchedulerOptions<C>) {
    this.#options = options;
    this.#first = this.#newSlot(undefined, undefined);
  }

  get isInteractive(): boolean {
    return this.#isInteractive;
  }

  get extras(): C[] {
    return this.#extras.flatMap(({ connection }) => connection ?? []);
  }

  /** From now on every conversation gets its own connection. */
  becomeInteractive(): void {
    this.#isInteractive = true;
  }

  /**
   * Reserves the first connection, until it is replaced, for the conversation of a call on it whose roots the server
   * receives. False if calls of others are in flight there, or it is reserved for another one.
   */
  reserveFirst(call: Pick<ScheduledCall, 'caller'>): boolean {
    const key = getKey(call);
    const { conversation, calls } = this.#first;
    if (this.#options.maxConnections === 1 || (conversation !== undefined && conversation !== key)) return false;
    if (![...calls].every((other) => getKey(other) === key)) return false;
    this.#reserve(this.#first, key).hasRoots = true;
    return true;
  }

  /** The first connection was replaced by a new one, which knows nothing of any conversation. */
  firstReplaced(): void {
    if (this.#first.hasRoots) this.#first.conversation = undefined;
    this.#first.hasRoots = false;
  }

  /** A promise only if the call has to wait; it resolves when the call is admitted or rejected. */
  enter(call: ScheduledCall): CallTurn<C> | Promise<CallTurn<C>> {
    if (call.signal?.aborted === true) return { kind: 'aborted' };
    const slot = this.#slotFor(call);
    return slot === null ? this.#wait(call) : this.#admit(call, slot);
  }

  /** Removes a lost connection; the next call of its conversation opens another one. */
  removeConnection(connection: C): void {
    const slot = this.#extras.find((each) => each.connection === connection);
    if (slot === undefined) return;
    slot.stopIdleTimer();
    this.#extras = this.#extras.filter((each) => each !== slot);
    this.#closeLater(connection);
    this.#admitWaiting();
  }

  /** Rejects all waiting calls. */
  rejectWaiting(): void {
    for (const waiting of this.#waiting) waiting.settle({ kind: 'closed' });
  }

  /** Rejects waiting calls and closes all connections but the first. */
  close(): Promise<unknown> {
    this.rejectWaiting();
    this.#first.stopIdleTimer();
    for (const { connection } of this.#extras) if (connection !== undefined) this.removeConnection(connection);
    return this.#closing;
  }

  /** The connection the call can use now; null if it has to wait. */
  #slotFor(call: ScheduledCall): Slot<C> | null {
    const { maxCalls, maxConnections } = this.#options;
    if (this.#inFlight.size >= maxCalls()) return null;
    if (call.isTask) return this.#first;
    // With one connection for all conversations a server gets no roots.
    const needsRoots = this.#options.asksForRoots() && getRoots(call).length > 0 && maxConnections > 1;
    const isSeparate = this.#isInteractive || needsRoots;
    if (!isSeparate && this.#first.conversation === undefined) return this.#first;
    const key = getKey(call);
    const slots = [this.#first, ...this.#extras];
    const own = slots.find(({ conversation }) => conversation === key);
    if (own !== undefined) return own;
    // Calls made before the server became interactive may still be in flight on the first connection.
    const isFirstFree = [...this.#first.calls].every((other) => getKey(other) === key);
    // Servers may keep the roots of a conversation, so they are never sent on the connection that others use later.
    if (this.#first.conversation === undefined && isFirstFree && !needsRoots) return this.#reserve(this.#first, key);
    if (slots.length < maxConnections) return this.#open(key, call);
    const isReusable = ({ calls, connection, hasRoots }: Slot<C>): boolean =>
      calls.size === 0 && !hasRoots && (connection !== undefined || !needsRoots);
    const [idle] = slots.filter(isReusable).sort((one, other) => one.lastUsed - other.lastUsed);
    if (idle === undefined) return null;
    if (idle.connection === undefined) return this.#reserve(idle, key);
    this.removeConnection(idle.connection);
    return this.#open(key, call);
  }

  #reserve(slot: Slot<C>, key: string): Slot<C> {
    slot.conversation = key;
    return slot;
  }

  #open(key: string, { caller }: ScheduledCall): Slot<C> {
    const slot = this.#newSlot(this.#options.open(this.#closing, caller), key);
    this.#extras.push(slot);
    return slot;
  }

  #newSlot(connection: C | undefined, conversation: string | undefined): Slot<C> {
    return { connection, conversation, hasRoots: false, calls: new Set(), lastUsed: 0, stopIdleTimer: () => undefined };
  }

  #admit(call: ScheduledCall, slot: Slot<C>): CallTurn<C> {
    this.#inFlight.add(call);
    if (!call.isTask) slot.calls.add(call);
    slot.stopIdleTimer();
    const release = (): void => {
      if (!this.#inFlight.delete(call)) return;
      slot.calls.delete(call);
      if (slot.calls.size === 0) this.#startIdleTimer(slot);
      this.#admitWaiting();
    };
    const roots = (slot.connection === undefined && !slot.hasRoots) || call.isTask ? [] : getRoots(call);
    return { kind: 'admitted', connection: slot.connection, roots, release };
  }

  #startIdleTimer(slot: Slot<C>): void {
    const { clock } = this.#options;
    slot.lastUsed = clock.monotonic();
    if (slot.conversation === undefined || slot.hasRoots) return;
    slot.stopIdleTimer();
    slot.stopIdleTimer = clock.after(IDLE_MS, () => {
      if (slot.connection === undefined) slot.conversation = undefined;
      else this.removeConnection(slot.connection);
    });
  }

  #wait(call: ScheduledCall): Promise<CallTurn<C>> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const settle = (turn: CallTurn<C>): void => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        cancelNotify();
        cancelTimeout();
        call.signal?.removeEventListener('abort', onAbort);
        if (waiting.isNotified && turn.kind === 'admitted') call.onWait(null);
        resolve(turn);
      };
      const onAbort = (): void => settle({ kind: 'aborted' });
      const waiting: WaitingCall<C> = { ...call, settle, isNotified: false, notifiedJson: '' };
      const cancelNotify = clock.after(NOTIFY_AFTER_MS, () => {
        waiting.isNotified = true;
        this.#notify(waiting);
      });
      const cancelTimeout = clock.after(QUEUE_TIMEOUT_MS, () => settle({ kind: 'timed_out' }));
      call.signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiting);
    });
  }

  /** In order of arrival; a waiting call does not block later calls whose connection is free. */
  #admitWaiting(): void {
    for (const waiting of this.#waiting) {
      const slot = this.#slotFor(waiting);
      if (slot !== null) waiting.settle(this.#admit(waiting, slot));
    }
    for (const waiting of this.#waiting) if (waiting.isNotified) this.#notify(waiting);
  }

  #notify(waiting: WaitingCall<C>): void {
    const callers = [...this.#inFlight].flatMap(({ caller }) => caller ?? []);
    const notifiedJson = JSON.stringify(callers);
    if (notifiedJson === waiting.notifiedJson) return;
    waiting.notifiedJson = notifiedJson;
    waiting.onWait(callers);
  }

  #closeLater(connection: C): void {
    this.#closing = Promise.allSettled([this.#closing, connection.close()]);
  }
}

function getRoots({ caller }: Pick<ScheduledCall, 'caller'>): readonly string[] {
  return caller?.roots ?? [];
}

/** Without its workspace a conversation does not use the connection that it had with it: servers may keep roots. */
function getKey({ caller }: Pick<ScheduledCall, 'caller'>): string {
  return JSON.stringify([caller?.principal ?? null, caller?.conversationId ?? null, getRoots({ caller }).length > 0]);
}
