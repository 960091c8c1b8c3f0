import { randomBytes } from 'node:crypto';
import type {
  IdSource,
  NewRunWebhook,
  Owner,
  Principal,
  RunWebhookView,
  SetWebhook,
  SetWebhookAnswer,
  StartRun,
  TestedWebhook,
  WebhookEvent,
  WebhookView,
} from '@toolyard/protocol';
import { ToolyardError, WEBHOOK_EVENTS } from '@toolyard/protocol';
import { createGuardedFetch } from '@toolyard/guarded-fetch';
import { createConflictError, createNotFoundError } from '../errors.ts';
import { createOwnerFetches } from '../config/owner-fetches.ts';
import type { EmailChannel } from '../email/email-channel.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { sendWebhook } from './send-webhook.ts';
import type { DeliveryServices } from './webhook-delivery.ts';
import { secretOfRun, startDelivery, WEBHOOK_SECRET } from './webhook-delivery.ts';

/** The webhook that notifies the owner of events. */
export type Webhooks = {
  get(principal: Owner): Promise<WebhookView | null>;
  set(principal: Owner, webhook: SetWebhook): Promise<SetWebhookAnswer>;
  remove(principal: Owner): Promise<void>;
  /** Sends a test message. */
  test(principal: Owner): Promise<TestedWebhook>;
  /** Prepares the webhook of one run. `secret`: the generated one, the same each time. */
  forRun(
    principal: Principal,
    runId: string,
    webhook: RunWebhook,
  ): Promise<{ webhook: NewRunWebhook; secret?: string }>;
  /** The run was not started. */
  forgetRun(principal: Owner, runId: string): Promise<void>;
  /** Null if the run has none. */
  ofRun(principal: Owner, runId: string): Promise<RunWebhookView | null>;
};

type RunWebhook = NonNullable<StartRun['webhook']>;

/** A webhook in `config.json`. */
export type FileWebhook = { url: string; secret: string; events: readonly WebhookEvent[] };

export type WebhooksOptions = Omit<DeliveryServices, 'secrets' | 'fetches' | 'guardedFetch' | 'email'> & {
  email: EmailChannel | null;
  secrets: Pick<Secrets, 'get' | 'set' | 'remove'>;
  ids: IdSource;
  owner: Owner;
  file: FileWebhook | null;
};

const STANDARD_EVENTS: readonly WebhookEvent[] = ['interrupt.opened'];

/** A webhook in the file replaces one set through the API, and is deleted when it is removed from the file. */
export async function createWebhooks(
  options: WebhooksOptions,
): Promise<Webhooks & { start: () => void; close: () => Promise<void> }> {
  const { storage, secrets, clock, ids, owner, file, email } = options;
  const fetches = createOwnerFetches();
  const guarded = createGuardedFetch({ trust: () => false });
  let stop: (() => Promise<void>) | null = null;

  const known = await storage.webhooks.get(owner);
  if (file !== null) {
    await secrets.set(owner, WEBHOOK_SECRET, file.secret);
    await storage.webhooks.put(owner, { url: file.url, events: file.events, origin: 'file' }, clock.now());
  } else if (known?.origin === 'file') {
    await storage.webhooks.remove(owner);
    await secrets.remove(owner, WEBHOOK_SECRET);
  }

  await storage.webhooks.setEmailEvents(owner, email?.settings.events ?? null);

  async function get(principal: Owner): Promise<WebhookView | null> {
    const webhook = await storage.webhooks.get(principal);
    if (webhook === null) return null;
    const { url, origin } = webhook;
    const events = WEBHOOK_EVENTS.filter((event) => webhook.events.includes(event));
    return { url, events, origin, pendingDeliveries: await storage.webhooks.countPending(principal) };
  }

  async function existing(principal: Owner): Promise<WebhookView> {
    const webhook = await get(principal);
    if (webhook) return webhook;
    throw createNotFoundError('No webhook is set.');
  }

  /** The URL may be on one of the owner's machines, so no one else may set it. */
  async function checkChange(principal: Owner): Promise<void> {
    if (principal.ownerId !== owner.ownerId) {
      throw new ToolyardError({
        code: 'forbidden',
        message: 'Only the owner of this server can change the webhook.',
      });
    }
    if ((await storage.webhooks.get(principal))?.origin !== 'file') return;
    throw createConflictError(
      'The webhook is set in config.json.',
      'Change it there, or remove it and restart the server.',
    );
  }

  return {
    get,
    async set(principal, { url, secret, events = STANDARD_EVENTS }) {
      await checkChange(principal);
      const stays = secret === undefined && (await secrets.get(principal, WEBHOOK_SECRET)) !== null;
      const made = secret ?? newSecret();
      if (!stays) await secrets.set(principal, WEBHOOK_SECRET, made);
      await storage.webhooks.put(principal, { url, events, origin: 'settings' }, clock.now());
      // Pending deliveries that failed at the old URL are retried at the new one now.
      await storage.webhooks.makeDue(principal, clock.now());
      return { webhook: await existing(principal), ...(stays || secret !== undefined ? {} : { secret: made }) };
    },
    async remove(principal) {
      await existing(principal);
      await checkChange(principal);
      await storage.webhooks.remove(principal);
      await secrets.remove(principal, WEBHOOK_SECRET);
    },
    async test(principal) {
      const { url } = await existing(principal);
      const secret = (await secrets.get(principal, WEBHOOK_SECRET)) ?? '';
      const message = { type: 'test', timestamp: new Date(clock.now()).toISOString(), data: {} } as const;
      const sent = await sendWebhook(
        { url, secret, id: `test:${ids.next()}`, message },
        { fetch: fetches.for(url), clock },
      );
      return sent.ok ? sent : { ok: false, error: sent.error.toJSON() };
    },
    async forRun(principal, runId, { url, secret }) {
      const name = secretOfRun(runId);
      const known = secret ?? (await secrets.get(principal, name)) ?? newSecret();
      await secrets.set(principal, name, known);
      // A URL that a program sends may not be on a private network, unless it has the rights of the server's owner.
      const trusted = principal.ownerId === owner.ownerId && principal.via !== 'api_key';
      return { webhook: { url, trusted }, ...(secret === undefined ? { secret: known } : {}) };
    },
    forgetRun: (principal, runId) => secrets.remove(principal, secretOfRun(runId)),
    async ofRun(principal, runId) {
      const webhook = await storage.webhooks.ofRun(principal, runId);
      if (webhook === null) return null;
      const { url, state, failures, error } = webhook;
      return { url, state, failures, error };
    },
    start() {
      stop ??= startDelivery({ ...options, fetches, guardedFetch: guarded });
    },
    async close() {
      const stopping = stop?.();
      // The next process repeats deliveries in progress.
      await Promise.all([fetches.close(), guarded.close()]);
      await stopping;
      await fetches.close();
    },
  };
}

/** Generated secrets begin as those of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
