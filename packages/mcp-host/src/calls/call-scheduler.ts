import type { Clock } from '@toolyard/protocol';
import type { Caller } from '../types.ts';

/** How long a call waits before its caller is told, in milliseconds. */
const TOLD_MS = 1_000;
/** How long a call waits in all: what it waits for may wait for a person. Milliseconds. */
export const QUEUE_TIMEOUT_MS = 5 * 60_000;
/** How long a connection is kept for a conversation that makes no calls, in milliseconds. */
export const IDLE_MS = 5 * 60_000;

/** A connection beside the first one, for one conversation. */
export type ExtraConnection = {
  /** True when nothing can be asked on it any more. */
  readonly isGone: boolean;
  close(): Promise<void>;
};

export type CallSchedulerOptions<C extends ExtraConnection> = {
  clock: Clock;
  /** How many calls may be in flight at once, over all connections. */
  maxCalls: () => number;
  /** How many connections there may be at once, with the first. */
  maxConnections: number;
  /** Opens a connection when `after` is settled. */
  open: (after: Promise<unknown>) => C;
};

export type ScheduledCall = {
  caller: Caller | undefined;
  /** A call that becomes a task is made on the first connection: a task outlives the others. */
  isTask: boolean;
  signal: AbortSignal | undefined;
  /** Told what the call waits for when it takes a while, whenever that changes; with null when the wait is over. */
  onWait: (waitsFor: readonly Caller[] | null) => void;
};

export type CallTurn<C> =
  /** The call may be made: on this connection, or on the first one where there is none. */
  | { kind: 'admitted'; connection: C | undefined; release: () => void }
  /** It was not made. */
  | { kind: 'timed_out' | 'aborted' | 'closed' };

/** A connection and the calls in flight on it. */
type Seat<C> = {
  /** Undefined for the first one. */
  connection: C | undefined;
  /** The conversation it is kept for. */
  conversation: string | undefined;
  calls: Set<ScheduledCall>;
  lastUsed: number;
  stopIdling: () => void;
};

type Waiting<C> = ScheduledCall & { end: (turn: CallTurn<C>) => void; isTold: boolean; told: string };

/**
 * Decides when a call of one server is made, and on which of its connections. All calls share the first connection,
 * until the server turns out to be interactive: then every conversation has one of its own, so that what the server
 * asks on it belongs to that conversation.
 */
export class CallScheduler<C extends ExtraConnection> {
  readonly #options: CallSchedulerOptions<C>;
  readonly #first: Seat<C>;
  #extras: Seat<C>[] = [];
  readonly #inFlight = new Set<ScheduledCall>();
  #waiting: Waiting<C>[] = [];
  #isInteractive = false;
  /** What is being closed counts until it is. */
  #closing: Promise<unknown> = Promise.resolve();

  constructor(options: CallSchedulerOptions<C>) {
    this.#options = options;
    this.#first = this.#seat(undefined, undefined);
  }

  get isInteractive(): boolean {
    return this.#isInteractive;
  }

  get extras(): C[] {
    return this.#extras.flatMap(({ connection }) => connection ?? []);
  }

  /** From now on every conversation has a connection of its own. */
  becomeInteractive(): void {
    this.#isInteractive = true;
  }

  /** A promise only where the call has to wait; it resolves when the call may be made, or will not be. */
  enter(call: ScheduledCall): CallTurn<C> | Promise<CallTurn<C>> {
    if (call.signal?.aborted === true) return { kind: 'aborted' };
    const seat = this.#place(call);
    return seat === null ? this.#wait(call) : this.#admit(call, seat);
  }

  /** A connection is gone: its conversation gets another one with its next call. */
  dropped(connection: C): void {
    const seat = this.#extras.find((each) => each.connection === connection);
    if (seat === undefined) return;
    seat.stopIdling();
    this.#extras = this.#extras.filter((each) => each !== seat);
    this.#closeLater(connection);
    this.#admitWaiting();
  }

  /** What waits is not made. */
  refuseWaiting(): void {
    for (const waiting of this.#waiting) waiting.end({ kind: 'closed' });
  }

  /** Nobody waits any more, and no connection but the first is left. */
  close(): Promise<unknown> {
    this.refuseWaiting();
    this.#first.stopIdling();
    for (const { connection } of this.#extras) if (connection !== undefined) this.dropped(connection);
    return this.#closing;
  }

  /** Where it can be made now; null where it has to wait. */
  #place(call: ScheduledCall): Seat<C> | null {
    const { maxCalls, maxConnections } = this.#options;
    if (this.#inFlight.size >= maxCalls()) return null;
    if (!this.#isInteractive || call.isTask) return this.#first;
    const key = keyOf(call);
    const seats = [this.#first, ...this.#extras];
    const own = seats.find(({ conversation }) => conversation === key);
    if (own !== undefined) return own;
    // Calls made before it was known to be interactive may still be in flight on the first.
    const isFirstFree = [...this.#first.calls].every((other) => keyOf(other) === key);
    if (this.#first.conversation === undefined && isFirstFree) return this.#take(this.#first, key);
    if (seats.length < maxConnections) return this.#open(key);
    const [idle] = seats.filter(({ calls }) => calls.size === 0).sort((one, other) => one.lastUsed - other.lastUsed);
    if (idle === undefined) return null;
    if (idle.connection === undefined) return this.#take(idle, key);
    this.dropped(idle.connection);
    return this.#open(key);
  }

  #take(seat: Seat<C>, key: string): Seat<C> {
    seat.conversation = key;
    return seat;
  }

  #open(key: string): Seat<C> {
    const seat = this.#seat(this.#options.open(this.#closing), key);
    this.#extras.push(seat);
    return seat;
  }

  #seat(connection: C | undefined, conversation: string | undefined): Seat<C> {
    return { connection, conversation, calls: new Set(), lastUsed: 0, stopIdling: () => undefined };
  }

  #admit(call: ScheduledCall, seat: Seat<C>): CallTurn<C> {
    this.#inFlight.add(call);
    if (!call.isTask) seat.calls.add(call);
    seat.stopIdling();
    const release = (): void => {
      if (!this.#inFlight.delete(call)) return;
      seat.calls.delete(call);
      if (seat.calls.size === 0) this.#idle(seat);
      this.#admitWaiting();
    };
    return { kind: 'admitted', connection: seat.connection, release };
  }

  #idle(seat: Seat<C>): void {
    const { clock } = this.#options;
    seat.lastUsed = clock.monotonic();
    if (seat.conversation === undefined) return;
    seat.stopIdling();
    seat.stopIdling = clock.after(IDLE_MS, () => {
      if (seat.connection === undefined) seat.conversation = undefined;
      else this.dropped(seat.connection);
    });
  }

  #wait(call: ScheduledCall): Promise<CallTurn<C>> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const end = (turn: CallTurn<C>): void => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        callOffTelling();
        callOffTimeout();
        call.signal?.removeEventListener('abort', onAbort);
        if (waiting.isTold && turn.kind === 'admitted') call.onWait(null);
        resolve(turn);
      };
      const onAbort = (): void => end({ kind: 'aborted' });
      const waiting: Waiting<C> = { ...call, end, isTold: false, told: '' };
      const callOffTelling = clock.after(TOLD_MS, () => {
        waiting.isTold = true;
        this.#tell(waiting);
      });
      const callOffTimeout = clock.after(QUEUE_TIMEOUT_MS, () => end({ kind: 'timed_out' }));
      call.signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiting);
    });
  }

  /** In the order they came; one that waits for its turn holds up nobody whose own connection is free. */
  #admitWaiting(): void {
    for (const waiting of this.#waiting) {
      const seat = this.#place(waiting);
      if (seat !== null) waiting.end(this.#admit(waiting, seat));
    }
    for (const waiting of this.#waiting) if (waiting.isTold) this.#tell(waiting);
  }

  #tell(waiting: Waiting<C>): void {
    const callers = [...this.#inFlight].flatMap(({ caller }) => caller ?? []);
    const told = JSON.stringify(callers);
    if (told === waiting.told) return;
    waiting.told = told;
    waiting.onWait(callers);
  }

  #closeLater(connection: C): void {
    this.#closing = Promise.allSettled([this.#closing, connection.close()]);
  }
}

function keyOf({ caller }: ScheduledCall): string {
  return JSON.stringify([caller?.principal ?? null, caller?.conversationId ?? null]);
}
