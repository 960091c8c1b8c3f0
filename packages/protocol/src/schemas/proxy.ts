import { z } from 'zod';
import { named } from './common.ts';

const address = z.string().max(8_000);
const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,200}$/, 'it is not the name of a header');
const headerValue = z
  .string()
  .max(16_000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'it has characters a header cannot carry');

export const createProxyTicketBody = named(
  'CreateProxyTicket',
  z.strictObject({
    target: address.refine((text) => /^(https?|wss?):/i.test(text) && URL.canParse(text), 'it is no web address'),
    headers: z.record(headerName, headerValue).exactOptional(),
  }),
);
/** A one-time key to the proxy for one address, for who can send no headers. */
export type CreateProxyTicket = z.output<typeof createProxyTicketBody>;

export const proxyTicket = named('ProxyTicket', z.strictObject({ ticket: z.string(), expiresAt: z.int() }));
export type ProxyTicket = z.output<typeof proxyTicket>;

export const preflightRequest = named(
  'CheckPreflight',
  z.strictObject({
    url: address.refine((text) => /^https?:/i.test(text) && URL.canParse(text), 'it is no http or https address'),
    headers: z.array(headerName).max(50).exactOptional(),
  }),
);
/** Whether a page of this server may speak with an MCP server directly; `headers` are names of those it would send. */
export type CheckPreflight = z.output<typeof preflightRequest>;

export const preflightView = named(
  'PreflightView',
  z.strictObject({
    /** True where no browser would be in the way. */
    ok: z.boolean(),
    /** What the other server lacks, by the header that would say so; null where it is something else. */
    problems: z.array(z.strictObject({ header: z.string().nullable(), message: z.string() })),
  }),
);
export type PreflightView = z.output<typeof preflightView>;
