import type { Duplex } from 'node:stream';
import { createGuardedFetch, type GuardedFetch, type Upgraded } from '@toolyard/guarded-fetch';
import type { Clock } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { readAllowList } from './allow-list.ts';
import type { Tickets } from './tickets.ts';
import { createTickets } from './tickets.ts';

/** So many requests and WebSockets at once; more is no page of anybody's. */
const MOST_AT_ONCE = 250;

/** What goes to MCP servers for a page, which may not go there itself. */
export type Proxy = {
  tickets: Tickets;
  /** Redirects are followed by the rules of the guard. Fails with a ToolyardError that says why. */
  fetch(target: string, init: RequestInit & { duplex?: 'half' }): Promise<Response>;
  upgrade(target: string, headers: Record<string, string>, signal: AbortSignal): Promise<Upgraded>;
  /** Counts one more under way; what is returned counts it off. @throws ToolyardError `overloaded` */
  enter(): () => void;
  /** Cuts everything off. */
  close(): Promise<void>;
};

export type ProxyOptions = {
  /** Origins, and the word `public`; nothing said is `public`. */
  allow?: readonly string[] | undefined;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Takes the place of the real guard in tests. */
  guard?: GuardedFetch;
};

/** @throws ToolyardError `bad_config` for an allow-list that cannot be read */
export function createProxy({ allow, clock, guard }: ProxyOptions): Proxy {
  const list = readAllowList(allow);
  // A stream of announcements may be quiet for hours: it ends with whoever reads it.
  const guarded = guard ?? createGuardedFetch({ trust: list.names, allow: list.allows, quietMs: 0 });
  let underWay = 0;

  return {
    tickets: createTickets(clock),
    fetch: (target, init) => explain(target, () => guarded(target, init)),
    upgrade: (target, headers, signal) => explain(target, () => guarded.upgrade(target, { headers, signal })),
    enter() {
      if (underWay >= MOST_AT_ONCE) {
        throw new ToolyardError({
          code: 'overloaded',
          message: `The proxy has ${String(MOST_AT_ONCE)} connections already.`,
          hint: 'Close some of the pages that use it.',
        });
      }
      underWay += 1;
      let isIn = true;
      return () => {
        if (isIn) underWay -= 1;
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
    if (ToolyardError.isInstance(thrown)) throw withWayOut(thrown, target);
    throw new ToolyardError(
      {
        code: 'server_unreachable',
        message: `The proxy cannot reach ${originOf(target)}: ${reasonOf(thrown)}.`,
        hint: 'Check the address, and whether the server runs.',
      },
      { cause: thrown },
    );
  }
}

/** Here it is known what the owner can do about a refused address, if anything. */
function withWayOut(error: ToolyardError, target: string): ToolyardError {
  if (error.code !== 'address_refused' || !mayBeAllowed(target)) return error;
  const hint = `If the proxy may go there, start Toolyard with --proxy-allow ${originOf(target)} (and --proxy-allow public for all of the internet).`;
  return new ToolyardError({ code: error.code, message: error.message, hint }, { cause: error });
}

/** No allow-list opens what is no web address, or names a user. */
function mayBeAllowed(target: string): boolean {
  const url = URL.canParse(target) ? new URL(target) : null;
  return url !== null && /^(http|ws)s?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

function originOf(target: string): string {
  return URL.canParse(target) ? new URL(target).origin.replace('null', target.slice(0, 80)) : target.slice(0, 80);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'it hung up',
  UND_ERR_SOCKET: 'it hung up, or did not agree to a WebSocket',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name could not be looked up',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
};

function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return REASONS[code] ?? (/cert|TLS|SSL/i.test(code) ? 'its certificate is not valid' : 'the connection failed');
}

/** Both ways, until either side ends; nothing is read faster than it is taken. */
export function pipeBoth(near: Duplex, far: Duplex): void {
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
    // A connection may be ended by halves; a WebSocket may not.
    one.on('end', () => one.end());
    one.pipe(other);
  }
}
