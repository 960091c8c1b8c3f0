import type { JsonObject, JsonValue } from './json.ts';
import type { ToolReference } from './schemas/common.ts';
import type { Message } from './schemas/messages.ts';
import type { RunEventBody } from './schemas/runs.ts';
import type { LedgerEntry } from './schemas/ledger.ts';
import type { TaskHandle } from './tools.ts';

/** Time, injected so that tests own it. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never run backwards; only differences mean anything. */
  monotonic(): number;
  /** Runs `callback` once after `ms`; the returned function calls it off. */
  after(ms: number, callback: () => void): () => void;
};

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms` on this clock. Rejects with an `AbortError` as soon as the signal is aborted. */
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

/** Fresh identifiers, injected so that tests are repeatable. */
export type IdSource = { next(): string };

/** A named place where a test may stop, fail or kill the process. A no-op unless a test sets it. */
export type Failpoint = (name: string) => void | Promise<void>;

/** The fetch a room was handed: the owner decides what stands in front of it. */
export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Where a run writes what happens. In memory it publishes at once; a database commits first and publishes then:
 * nobody sees an event that is not committed.
 */
export type RunJournal = {
  /** Which try of the step under way this is, from 1; a step is tried again after its process has died. */
  readonly attempt: number;
  /** Adds one event of the step under way; the journal gives it its envelope. */
  append(event: RunEventBody): void;
  /** Opens the next step. */
  beginStep(step: number): void;
  /**
   * Commits everything appended so far together with `point`: plain JSON from which the run can go on. Resolves when
   * it may: once it is committed, or at once where nothing can take effect before a later commit that holds it.
   */
  commit(point: object): void | Promise<void>;
};

/** A call about to be made, as the ledger keeps it. */
export type PlannedCall = {
  callId: string;
  tool: ToolReference;
  arguments: JsonObject;
  /** The arguments are a person's, not the model's. */
  edited?: true;
};

/**
 * What is known of the calls of a run, so that none is made twice in silence. Everything written here is committed
 * with the events around it; only {@link ToolLedger.sent} waits for the disk.
 */
export type ToolLedger = {
  /** What an earlier attempt left of a call; undefined for one that was never planned. */
  find(callId: string): LedgerEntry | undefined;
  plan(call: PlannedCall): void;
  /** Resolves when it is on the disk that the call is about to be made: it is made only then. */
  sent(callId: string): void | Promise<void>;
  /** The server goes on with the call by itself. Resolves when it is on the disk how to ask for its result. */
  task(callId: string, handle: TaskHandle): void | Promise<void>;
  /** The call was answered (`done`, `failed`), or is of unknown outcome (`in_doubt`); `detail` is kept with it. */
  settle(callId: string, to: 'done' | 'failed' | 'in_doubt', detail: JsonValue): void;
  /** The server has not carried the call out and waits for something else: it is to be made again. */
  unsend(callId: string): void;
};

/** The messages of one branch of a conversation, as the loop needs them. */
export type ConversationPort = {
  readonly id: string;
  /** From the first message to the current leaf. */
  messages(): readonly Message[];
  /** Puts a message behind the current leaf. */
  add(message: Message): void;
};
