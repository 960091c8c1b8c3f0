import type { JsonObject, JsonValue } from './json.ts';
import type { ToolReference } from './schemas/common.ts';
import type { Message } from './schemas/messages.ts';
import type { RunEventBody } from './schemas/run-events.ts';
import type { LedgerEntry } from './schemas/ledger.ts';
import type { TaskHandle } from './tools.ts';

/** Time, injected so that tests control it. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never decrease; only differences have a meaning. */
  monotonic(): number;
  /** Runs `callback` once after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
};

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms` on this clock. Rejects with an `AbortError` when the signal is aborted. */
export function pause(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel();
      reject(new DOMException('The wait was cancelled.', 'AbortError'));
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
  });
}

/** Unique identifiers, injected so that tests are repeatable. */
export type IdSource = { next(): string };

/** A named place where a test may pause, fail or kill the process. Does nothing unless a test sets it. */
export type Failpoint = (name: string) => void | Promise<void>;

/** The `fetch` that is passed to a package; the caller decides which checks it applies. */
export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Where a run writes its events. The journal in memory publishes them at once; the one of a database commits first, so
 * that no reader sees an event that is not committed.
 */
export type RunJournal = {
  /** Which attempt of the current step this is, from 1; a step is retried after its process crashed. */
  readonly attempt: number;
  /** Adds an event of the current step; the journal adds the envelope. */
  append(event: RunEventBody): void;
  /** Begins the next step. */
  beginStep(step: number): void;
  /**
   * Commits all appended events together with `point`: plain JSON from which the run can continue. Resolves when the
   * run may proceed: after the commit, or at once if nothing can take effect before a later commit that contains it.
   */
  commit(point: object): void | Promise<void>;
};

/** A call that is about to be made, as the ledger stores it. */
export type PlannedCall = {
  callId: string;
  tool: ToolReference;
  arguments: JsonObject;
  /** A user edited the arguments. */
  edited?: true;
};

/**
 * What is known of a run's calls, so that none is repeated without the user's knowledge. Entries are committed with the
 * events around them; only {@link ToolLedger.sent} waits for the disk.
 */
export type ToolLedger = {
  /** The entry of an earlier attempt; undefined if the call was never planned. */
  find(callId: string): LedgerEntry | undefined;
  plan(call: PlannedCall): void;
  /** Resolves once it is on disk that the call will be made; only then it is made. */
  sent(callId: string): void | Promise<void>;
  /** The server continues the call as a task. Resolves once the handle for fetching its result is on disk. */
  task(callId: string, handle: TaskHandle): void | Promise<void>;
  /** The call was answered (`done`, `failed`), or its outcome is unknown (`in_doubt`); `detail` is stored with it. */
  settle(callId: string, to: 'done' | 'failed' | 'in_doubt', detail: JsonValue): void;
  /** The server did not execute the call and needs something else first: the call will be made again. */
  unsend(callId: string): void;
};

/** The messages of one branch of a conversation. */
export type ConversationPort = {
  readonly id: string;
  /** From the first message to the current leaf. */
  messages(): readonly Message[];
  /** Appends a message to the current leaf. */
  add(message: Message): void;
};
