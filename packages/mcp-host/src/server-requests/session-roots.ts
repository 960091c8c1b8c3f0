import type { Root } from '@modelcontextprotocol/client';
import type { Clock } from '@toolyard/protocol';
import { pause } from '@toolyard/protocol';
import type { TransportConfig } from '../types.ts';

/** How long a call waits for a server to ask for its roots, in milliseconds. */
const ASK_MS = 1_000;
/** Time for a server to process its roots, which often means to look at each folder, in milliseconds. */
const SETTLE_MS = 100;
/** A busy server needs longer: it then answers pings later as well. */
const SETTLE_PINGS = 3;
const PING_MS = 2_000;

/** What is known about one server, over all its connections. */
export type RootsHabit = {
  /** It has asked for roots. */
  asks: boolean;
  /** It asks right after `initialize`, not first during a call. */
  asksAtStart: boolean;
};

export type SessionRootsOptions = {
  clock: Clock;
  habit: RootsHabit;
  /** `file:` URIs. */
  initial: readonly string[];
  /** Called when these roots are sent to the server. */
  onTold: (uris: readonly string[]) => void;
};

/** Messages to the server; they never reject. */
export type RootsMessages = {
  /** `notifications/roots/list_changed` */
  announce: () => Promise<void>;
  ping: (timeoutMs: number) => Promise<void>;
};

/**
 * The roots of one connection to a legacy server, which may ask for them at any time and keeps the answer. They are those
 * of the conversation that the connection is reserved for; a connection that conversations share has none.
 */
export class SessionRoots {
  readonly #options: SessionRootsOptions;
  #uris: readonly string[];
  #hasAsked = false;
  #hadCall = false;
  /** It received its roots, and may not have processed them yet. */
  #isSettling = false;
  /** Resolves waiting calls when the server asks. */
  #onAsked: (() => void)[] = [];
  /** Pending changes, one after the other; undefined if there are none. */
  #pending: Promise<void> | undefined;

  constructor(options: SessionRootsOptions) {
    this.#options = options;
    this.#uris = options.initial;
  }

  /** Answers `roots/list`. */
  answer(): Root[] {
    const { habit } = this.#options;
    habit.asks = true;
    if (!this.#hadCall) habit.asksAtStart = true;
    this.#hasAsked = true;
    this.#isSettling = this.#uris.length > 0;
    if (this.#uris.length > 0) this.#options.onTold(this.#uris);
    for (const resolve of this.#onAsked.splice(0)) resolve();
    return toRoots(this.#uris);
  }

  /** Sets the roots without announcing them, for the answer to a request in progress. */
  set(uris: readonly string[]): void {
    this.#uris = uris;
  }

  /**
   * Makes these the roots before a call; a server that has asked for the previous ones is notified and asks again.
   * Undefined if the call does not have to wait.
   */
  use(uris: readonly string[], messages: RootsMessages): Promise<void> | undefined {
    const isSame = isEqual(uris, this.#uris);
    const isFirst = !this.#hadCall;
    this.#hadCall = true;
    // A server that asks at the start may not have asked on this connection yet.
    const isAskExpected = isSame ? isFirst && !this.#hasAsked && this.#options.habit.asksAtStart : this.#hasAsked;
    this.#uris = uris;
    if (!isAskExpected && !this.#isSettling) return this.#pending;
    const before = this.#pending ?? Promise.resolve();
    const asked = isAskExpected ? this.#nextAsk() : undefined;
    const pending = before
      .then(async () => {
        if (!isSame && isAskExpected) await messages.announce();
        await asked;
        await this.#settle(messages);
      })
      .finally(() => {
        if (this.#pending === pending) this.#pending = undefined;
      });
    this.#pending = pending;
    return pending;
  }

  /** Resolves when the server asks, or after a limited time. */
  #nextAsk(): Promise<void> {
    return new Promise((resolve) => {
      const cancelTimer = this.#options.clock.after(ASK_MS, resolve);
      this.#onAsked.push(() => {
        cancelTimer();
        resolve();
      });
    });
  }

  async #settle({ ping }: RootsMessages): Promise<void> {
    if (!this.#isSettling) return;
    await pause(this.#options.clock, SETTLE_MS);
    for (let pings = 0; pings < SETTLE_PINGS; pings += 1) await ping(PING_MS);
    this.#isSettling = false;
  }
}

/** Roots with the names of their folders. */
export function toRoots(uris: readonly string[]): Root[] {
  return uris.map((uri) => {
    const name = lastSegment(uri);
    return { uri, ...(name === '' ? {} : { name }) };
  });
}

/** The paths of roots that the sandbox of a local server does not include, as far as its settings tell. */
export function rootsOutsideSandbox(transport: TransportConfig, uris: readonly string[]): string[] {
  if (transport.type !== 'stdio' || transport.sandbox === undefined || transport.sandbox === false) return [];
  const { read = [], write = [] } = transport.sandbox;
  const folders = [...read, ...write, ...(transport.cwd === undefined ? [] : [transport.cwd])];
  // What "~" is depends on the machine.
  if (folders.some((folder) => folder.startsWith('~'))) return [];
  const isIncluded = (path: string): boolean =>
    folders.some((folder) => `${path}/`.startsWith(`${folder.replace(/\/+$/, '')}/`));
  return uris.map((uri) => decodeURIComponent(new URL(uri).pathname)).filter((path) => !isIncluded(path));
}

function lastSegment(uri: string): string {
  const segment = uri.replace(/\/+$/, '').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((uri, at) => uri === other[at]);
}
