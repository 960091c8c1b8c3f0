import type { Duplex } from 'node:stream';
import { createGuardedFetch, type GuardedFetch, type Upgraded } from '@toolyard/guarded-fetch';
import type { Clock } from '@toolyard/protocol';
import { ToolyardError, messageText } from '@toolyard/protocol';
import { readAllowList } from './allow-list.ts';
import type { Tickets } from './tickets.ts';
import { createTickets } from './tickets.ts';

/** Maximum number of concurrent requests and WebSockets; no page needs more. */
const MOST_AT_ONCE = 250;

/** Connects to MCP servers for a page whose policy forbids it. */
export type Proxy = {
  tickets: Tickets;
  /** Follows redirects under the rules of the guard. Rejects with a ToolyardError that gives the reason. */
  fetch(target: string, init: RequestInit & { duplex?: 'half' }): Promise<Response>;
  upgrade(target: string, headers: Record<string, string>, signal: AbortSignal): Promise<Upgraded>;
  /** Counts a connection; the returned function releases it. @throws ToolyardError `overloaded` */
  enter(): () => void;
  /** Closes all connections. */
  close(): Promise<void>;
};

export type ProxyOptions = {
  /** Origins, and the keyword `public`; default: `public`. */
  allow?: readonly string[] | undefined;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Replaces the guard in tests. */
  guard?: GuardedFetch;
};

/** @throws ToolyardError `bad_config` for an invalid allow-list */
export function createProxy({ allow, clock, guard }: ProxyOptions): Proxy {
  const list = readAllowList(allow);
  // A notification stream may be silent for hours: it ends when its reader disconnects.
  const guarded = guard ?? createGuardedFetch({ trust: list.names, allow: list.allows, quietMs: 0 });
  let inProgress = 0;

  return {
    tickets: createTickets(clock),
    fetch: (target, init) => explain(target, () => guarded(target, init)),
    upgrade: (target, headers, signal) => explain(target, () => guarded.upgrade(target, { headers, signal })),
    enter() {
      if (inProgress >= MOST_AT_ONCE) {
        throw new ToolyardError({
          code: 'overloaded',
          message: `The proxy has reached its limit of ${String(MOST_AT_ONCE)} connections.`,
          hint: 'Close pages that use it.',
        });
      }
      inProgress += 1;
      let isIn = true;
      return () => {
        if (isIn) inProgress -= 1;
        isIn = false;
      };
    },
    close: () => guarded.close(),
  };
}

async function explain<T>(target: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (ToolyardError.isInstance(thrown)) throw toHintedError(thrown, target);
    throw new ToolyardError(
      {
        code: 'server_unreachable',
        message: `The proxy cannot reach ${getOrigin(target)}: ${getReason(thrown)}.`,
        hint: 'Check the URL, and whether the server is running.',
      },
      { cause: thrown },
    );
  }
}

/** Adds how the operator can allow a rejected URL, if that is possible. */
function toHintedError(error: ToolyardError, target: string): ToolyardError {
  if (error.code !== 'address_refused' || !mayBeAllowed(target)) return error;
  const hint =
    `If the proxy may connect to it, start Toolyard with --proxy-allow ${getOrigin(target)} (and ` +
    '--proxy-allow public for the whole internet).';
  return new ToolyardError({ code: error.code, message: messageText(error), hint }, { cause: error });
}

/** No allow-list permits a URL that is invalid or contains a user name. */
function mayBeAllowed(target: string): boolean {
  const url = URL.canParse(target) ? new URL(target) : null;
  return url !== null && /^(http|ws)s?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

function getOrigin(target: string): string {
  return URL.canParse(target) ? new URL(target).origin.replace('null', target.slice(0, 80)) : target.slice(0, 80);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  UND_ERR_SOCKET: 'connection closed, or WebSocket not supported',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'DNS lookup failed',
  ETIMEDOUT: 'no response',
  UND_ERR_CONNECT_TIMEOUT: 'no response',
};

function getReason(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return REASONS[code] ?? (/cert|TLS|SSL/i.test(code) ? 'invalid TLS certificate' : 'connection failed');
}

/** Relays both ways until either side ends, with backpressure. */
export function pipeBoth(near: Duplex, far: Duplex): void {
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
    // TCP connections can be half-closed; WebSockets cannot.
    one.on('end', () => one.end());
    one.pipe(other);
  }
}
