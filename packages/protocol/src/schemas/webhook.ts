import { z } from 'zod';
import { WEBHOOK_EVENTS } from '../webhook.ts';
import { errorInfo, named } from './common.ts';

const event = z.enum(WEBHOOK_EVENTS);
const view = named(
  'WebhookView',
  z.strictObject({
    url: z.string(),
    events: z.array(event),
    /** `file`: it stands in `config.json`, and is changed there. */
    origin: z.enum(['file', 'settings']),
    /** How much is yet to be told: more than a moment says that nobody answers there. */
    pendingDeliveries: z.int(),
  }),
);
/** Where the owner is told of what happens; the secret that signs it is not told again. */
export type WebhookView = z.output<typeof view>;
/** An address Toolyard may be told to speak to. */
export const webhookUrl = z
  .string()
  .max(2_000)
  .refine(isHttp, 'expected an address that begins with http:// or https://, without a password in it');
/** A shorter one could be guessed. */
export const webhookSecret = z.string().min(16, 'expected at least 16 characters').max(500);
export const webhookEvents = z.array(event).min(1);

export const webhookState = named('WebhookState', z.strictObject({ webhook: view.nullable() }));
export type WebhookState = z.output<typeof webhookState>;
export const setWebhookBody = named(
  'SetWebhook',
  z.strictObject({
    url: webhookUrl,
    secret: webhookSecret.exactOptional(),
    events: webhookEvents.exactOptional(),
  }),
);
/** Without a `secret` the one that is there stays, or one is made. Without `events` it is `interrupt.opened`. */
export type SetWebhook = z.output<typeof setWebhookBody>;
export const setWebhookAnswer = named(
  'SetWebhookAnswer',
  z.strictObject({ webhook: view, secret: z.string().exactOptional() }),
);
/** `secret`: the one that was made, told this once. */
export type SetWebhookAnswer = z.output<typeof setWebhookAnswer>;
export const testedWebhook = named(
  'TestedWebhook',
  z.discriminatedUnion('ok', [
    z.strictObject({ ok: z.literal(true), status: z.int() }),
    z.strictObject({ ok: z.literal(false), error: errorInfo }),
  ]),
);
export type TestedWebhook = z.output<typeof testedWebhook>;

function isHttp(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
