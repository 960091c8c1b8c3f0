import { randomBytes } from 'node:crypto';
import type { Clock, CreateProxyTicket, Owner, Principal, ProxyTicket } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

/** How long a ticket may be used, in milliseconds. */
const LIFETIME_MS = 30_000;
/** Of one owner that were not used yet. */
const MOST = 100;

/** `principal` is who created the ticket. */
type Redeemed = { target: string; headers: Record<string, string>; principal: Principal };

/** One-time keys to one address, for who can send no headers: a browser's WebSocket. */
export type Tickets = {
  /** @throws ToolyardError `rate_limited` where too many were made and not used */
  create(principal: Principal, wish: CreateProxyTicket): ProxyTicket;
  /** Null for one that is used, too old, somebody else's, or none at all. Without a principal, anybody's counts. */
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
          message: `${String(MOST)} tickets for the proxy were made and not used.`,
          hint: 'Use them, or wait until they are no longer valid.',
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
