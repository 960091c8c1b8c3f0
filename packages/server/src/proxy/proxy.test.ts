import type { Principal } from '@toolyard/protocol';
import { SCOPES } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { createProxy } from './proxy.ts';
import { createTickets } from './tickets.ts';

test('limits the number of concurrent connections', async () => {
  const proxy = createProxy({ clock: createFakeClock() });
  const leave = Array.from({ length: 250 }, () => proxy.enter());
  expect(() => proxy.enter()).toThrow(expect.objectContaining({ code: 'overloaded' }) as Error);
  leave[0]?.();
  // Idempotent.
  leave[0]?.();
  proxy.enter();
  expect(() => proxy.enter()).toThrow();
  await proxy.close();
});

test('unused tickets are limited per owner', async () => {
  const clock = createFakeClock();
  const tickets = createTickets(clock);
  const body = { target: 'https://mcp.example.com/' };
  const of = (ownerId: string): Principal => ({ ownerId, via: 'session', scopes: SCOPES });
  const anne = of('anne');
  for (let made = 0; made < 100; made += 1) tickets.create(anne, body);
  expect(() => tickets.create(anne, body)).toThrow(expect.objectContaining({ code: 'rate_limited' }) as Error);
  tickets.create(of('bert'), body);
  await clock.advance(30_000);
  const { ticket, expiresAt } = tickets.create(anne, body);
  expect(expiresAt).toBe(clock.now() + 30_000);
  expect(tickets.redeem(anne, ticket)).toEqual({ target: body.target, headers: {}, principal: anne });
});
