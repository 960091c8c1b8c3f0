import type { RunEventBody } from './events.ts';
import type { Message } from './messages.ts';

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
  /** Adds one event of the step under way; the journal gives it its envelope. */
  append(event: RunEventBody): void;
  /** Opens the next step. */
  beginStep(step: number): void;
  /** Resolves once everything appended so far, and the state after the step, is committed. */
  commit(state: unknown): void | Promise<void>;
};

/** The messages of one branch of a conversation, as the loop needs them. */
export type ConversationPort = {
  readonly id: string;
  /** From the first message to the current leaf. */
  messages(): readonly Message[];
  /** Puts a message behind the current leaf. */
  add(message: Message): void;
};
