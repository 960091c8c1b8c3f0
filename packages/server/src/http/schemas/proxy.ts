import type { CheckPreflight, CreateProxyTicket, PreflightView, ProxyTicket } from '@toolyard/protocol';
import { z } from 'zod';
import { named } from './common.ts';
import { exactly } from './exactly.ts';

const address = z.string().max(8_000);
const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,200}$/, 'it is not the name of a header');
const headerValue = z
  .string()
  .max(16_000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'it has characters a header cannot carry');

export const createProxyTicket = named(
  'CreateProxyTicket',
  exactly<CreateProxyTicket>()(
    z.strictObject({
      target: address.refine((text) => /^(https?|wss?):/i.test(text) && URL.canParse(text), 'it is no web address'),
      headers: z.record(headerName, headerValue).exactOptional(),
    }),
  ),
);

export const proxyTicket = named(
  'ProxyTicket',
  exactly<ProxyTicket>()(z.strictObject({ ticket: z.string(), expiresAt: z.int() })),
);

export const preflightRequest = named(
  'CheckPreflight',
  exactly<CheckPreflight>()(
    z.strictObject({
      url: address.refine((text) => /^https?:/i.test(text) && URL.canParse(text), 'it is no http or https address'),
      headers: z.array(headerName).max(50).exactOptional(),
    }),
  ),
);

export const preflightView = named(
  'PreflightView',
  exactly<PreflightView>()(
    z.strictObject({
      ok: z.boolean(),
      problems: z.array(z.strictObject({ header: z.string().nullable(), message: z.string() })),
    }),
  ),
);
