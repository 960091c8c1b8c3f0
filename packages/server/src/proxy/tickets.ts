import { randomBytes } from 'node:crypto';
import type { Clock, CreateProxyTicket, Owner, Principal, ProxyTicket } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

/** Lifetime of a ticket, in milliseconds. */
const LIFETIME_MS = 30_000;
/** Maximum number of unused tickets per owner. */
const MOST = 100;

/** `principal`: the creator of the ticket. */
type Redeemed = { target: string; headers: Record<string, string>; principal: Principal };

/** One-time credentials for one URL, for clients that cannot send headers: a browser's WebSocket. */
export type Tickets = {
  /** @throws ToolyardError `rate_limited` if there are too many unused tickets */
  create(principal: Principal, wish: CreateProxyTicket): ProxyTicket;
  /**
   * Null for a ticket that was used, has expired, belongs to another user, or is invalid. Without a principal, tickets
   * of any owner are accepted.
   */
  redeem(principal: Owner | null, ticket: string): Redeemed | null;
};

export function createTickets(clock: Pick<Clock, 'now' | 'monotonic'>): Tickets {
  const made = new Map<string, Redeemed & { until: number }>();

  function forgetOld(): void {
    for (const [ticket, { until }] of made) if (until <= clock.monotonic()) made.delete(ticket);
  }

  return {
    create(principal, { target, headers = {} }) {
      forgetOld();
      const { ownerId } = principal;
      if ([...made.values()].filter((one) => one.principal.ownerId === ownerId).length >= MOST) {
        throw new ToolyardError({
          code: 'rate_limited',
          message: `The limit of ${String(MOST)} unused proxy tickets is reached.`,
          hint: 'Use them, or wait until they expire.',
        });
      }
      const ticket = randomBytes(32).toString('base64url');
      made.set(ticket, { target, headers, principal, until: clock.monotonic() + LIFETIME_MS });
      return { ticket, expiresAt: clock.now() + LIFETIME_MS };
    },
    redeem(principal, ticket) {
      forgetOld();
      const found = made.get(ticket);
      if (found === undefined || (principal !== null && principal.ownerId !== found.principal.ownerId)) return null;
      made.delete(ticket);
      return { target: found.target, headers: found.headers, principal: found.principal };
    },
  };
}
