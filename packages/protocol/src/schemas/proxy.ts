import { z } from 'zod';
import { namedObject } from './common.ts';

const address = z.string().max(8_000);
const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,200}$/, 'it is not a valid header name');
const headerValue = z
  .string()
  .max(16_000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'it has characters that are not allowed in a header');

export const createProxyTicketBody = namedObject('CreateProxyTicket', {
  target: address.refine(
    (text) => /^(https?|wss?):/i.test(text) && URL.canParse(text),
    'it must be a URL that begins with http:, https:, ws: or wss:',
  ),
  headers: z.record(headerName, headerValue).exactOptional(),
});
/** A one-time ticket for proxying one URL, for clients that cannot send headers. */
export type CreateProxyTicket = z.output<typeof createProxyTicketBody>;

export const proxyTicket = namedObject('ProxyTicket', { ticket: z.string(), expiresAt: z.int() });
export type ProxyTicket = z.output<typeof proxyTicket>;

const webAddress = address.refine(
  (text) => /^https?:/i.test(text) && URL.canParse(text),
  'it must be a URL that begins with http: or https:',
);

/** An image that the page shows: the server fetches it, so that its host learns nothing about the user's browser. */
export const fetchImageBody = namedObject('FetchImage', { url: webAddress });

export const preflightRequest = namedObject('CheckPreflight', {
  url: webAddress,
  headers: z.array(headerName).max(50).exactOptional(),
});
/**
 * Checks whether a page of this server can call an MCP server directly; `headers` are the names of the headers it would
 * send.
 */
export type CheckPreflight = z.output<typeof preflightRequest>;

export const preflightView = namedObject('PreflightView', {
  /** True if no browser would block the calls. */
  ok: z.boolean(),
  /** What the other server's response lacks, with the name of the CORS header; null for any other problem. */
  problems: z.array(z.strictObject({ header: z.string().nullable(), message: z.string() })),
});
export type PreflightView = z.output<typeof preflightView>;
