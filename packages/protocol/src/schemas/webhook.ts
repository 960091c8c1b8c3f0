import { z } from 'zod';
import { WEBHOOK_EVENTS } from '../webhook.ts';
import { errorInfo, named, namedObject } from './common.ts';

const event = z.enum(WEBHOOK_EVENTS);
const view = namedObject('WebhookView', {
  url: z.string(),
  events: z.array(event),
  /** `file`: it is configured in `config.json` and changed there. */
  origin: z.enum(['file', 'settings']),
  /** Number of notifications that were not delivered yet; if it does not drop, the endpoint does not respond. */
  pendingDeliveries: z.int(),
});
/** The webhook; the secret that signs deliveries is not returned. */
export type WebhookView = z.output<typeof view>;
/** A URL that may receive webhooks. */
export const webhookUrl = z
  .string()
  .max(2_000)
  .refine(isHttp, 'expected a URL that begins with http:// or https://, without a password in it');
/** Minimum length, so that it cannot be guessed. */
export const webhookSecret = z.string().min(16, 'expected at least 16 characters').max(500);
export const webhookEvents = z.array(event).min(1);

export const webhookState = namedObject('WebhookState', { webhook: view.nullable() });
export type WebhookState = z.output<typeof webhookState>;
export const setWebhookBody = namedObject('SetWebhook', {
  url: webhookUrl,
  secret: webhookSecret.exactOptional(),
  events: webhookEvents.exactOptional(),
});
/** Without a `secret` the existing one stays, or one is created. Without `events` it is `interrupt.opened`. */
export type SetWebhook = z.output<typeof setWebhookBody>;
export const setWebhookAnswer = namedObject('SetWebhookAnswer', { webhook: view, secret: z.string().exactOptional() });
/** `secret`: the created secret; it is returned only here. */
export type SetWebhookAnswer = z.output<typeof setWebhookAnswer>;
export const testedWebhook = named(
  'TestedWebhook',
  z.discriminatedUnion('ok', [
    z.strictObject({ ok: z.literal(true), status: z.int() }),
    z.strictObject({ ok: z.literal(false), error: errorInfo }),
  ]),
);
export type TestedWebhook = z.output<typeof testedWebhook>;

export const runWebhookView = z.strictObject({
  url: z.string(),
  /** `waiting`: nothing to deliver yet. `failed`: no more attempts. */
  state: z.enum(['waiting', 'retrying', 'delivered', 'failed']),
  /** Failed attempts since the last delivery. */
  failures: z.int(),
  error: z.string().nullable(),
});
/** The webhook of one run, and whether its notifications were delivered. */
export type RunWebhookView = z.output<typeof runWebhookView>;

function isHttp(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
