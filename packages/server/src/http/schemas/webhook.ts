import type { SetWebhook, SetWebhookAnswer, TestedWebhook, WebhookState, WebhookView } from '@toolyard/protocol';
import { WEBHOOK_EVENTS } from '@toolyard/protocol';
import { z } from 'zod';
import { errorInfo, named } from './common.ts';
import { exactly } from './exactly.ts';

const event = z.enum(WEBHOOK_EVENTS);
const view = named(
  'WebhookView',
  exactly<WebhookView>()(
    z.strictObject({
      url: z.string(),
      events: z.array(event),
      origin: z.enum(['file', 'settings']),
      waiting: z.int(),
    }),
  ),
);
/** An address Toolyard may be told to speak to. */
export const webhookUrl = z
  .string()
  .max(2_000)
  .refine(isHttp, 'expected an address that begins with http:// or https://, without a password in it');
/** A shorter one could be guessed. */
export const webhookSecret = z.string().min(16, 'expected at least 16 characters').max(500);
export const webhookEvents = z.array(event).min(1);

export const webhookState = named(
  'WebhookState',
  exactly<WebhookState>()(z.strictObject({ webhook: view.nullable() })),
);
export const setWebhook = named(
  'SetWebhook',
  exactly<SetWebhook>()(
    z.strictObject({
      url: webhookUrl,
      secret: webhookSecret.exactOptional(),
      events: webhookEvents.exactOptional(),
    }),
  ),
);
export const setWebhookAnswer = named(
  'SetWebhookAnswer',
  exactly<SetWebhookAnswer>()(z.strictObject({ webhook: view, secret: z.string().exactOptional() })),
);
export const testedWebhook = named(
  'TestedWebhook',
  exactly<TestedWebhook>()(
    z.discriminatedUnion('ok', [
      z.strictObject({ ok: z.literal(true), status: z.int() }),
      z.strictObject({ ok: z.literal(false), error: errorInfo }),
    ]),
  ),
);

function isHttp(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
