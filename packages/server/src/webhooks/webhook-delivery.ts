import type { Clock, Owner, StoredInterrupt, WebhookEvent, WebhookMessage } from '@toolyard/protocol';
import { formatToolReference, WEBHOOK_EVENTS } from '@toolyard/protocol';
import type { PendingNotification, SharedStorage } from '@toolyard/storage';
import type { OwnerFetches } from '../config/owner-fetches.ts';
import type { EmailChannel } from '../email/email-channel.ts';
import type { SentEmail } from '../email/send-email.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { createLogOnce } from '../log-once.ts';
import type { SentWebhook } from './send-webhook.ts';
import { sendWebhook } from './send-webhook.ts';

export type DeliveryServices = {
  storage: Pick<SharedStorage, 'runs' | 'webhooks'>;
  secrets: Pick<Secrets, 'get'>;
  fetches: Pick<OwnerFetches, 'for'>;
  /** Null: e-mail is not configured. */
  email: Pick<EmailChannel, 'send'> | null;
  clock: Clock;
  log: (line: string) => void;
};

type Sent = SentWebhook | SentEmail;

/** Name of the stored secret. */
export const WEBHOOK_SECRET = 'webhook';

const LOOK_EVERY_MS = 1_000;
const AT_ONCE = 8;
/** How long one process has the delivery; longer than a response or an e-mail may take. */
const CLAIM_MS = 60_000;
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 6 * 3_600_000;
/** With waits that grow fourfold: about two days. */
const MOST_ATTEMPTS = 14;

/**
 * Delivers stored notifications at least once each, until the receiver accepts them. Several processes may do so with
 * one database. Returns a function that stops it.
 */
export function startDelivery(services: DeliveryServices): () => Promise<void> {
  const { storage, clock, log } = services;
  const logFailures = createLogOnce(log);
  let stopped = false;
  let cancel: () => void = () => undefined;
  let working: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    try {
      const now = clock.now();
      const due = await storage.webhooks.claim(now, now + CLAIM_MS, AT_ONCE);
      await Promise.all(due.map((announcement) => deliver(announcement, services)));
      logFailures.worked();
    } catch (error) {
      // The storage is closed afterwards.
      if (!stopped) logFailures.failed('webhook', error);
    }
    if (!stopped) plan();
  }

  function plan(): void {
    cancel = clock.after(LOOK_EVERY_MS, () => {
      working = look();
    });
  }

  plan();
  return async () => {
    stopped = true;
    cancel();
    await working;
  };
}

async function deliver(announcement: PendingNotification, services: DeliveryServices): Promise<void> {
  const { storage, clock, log } = services;
  const { id, channel, attempts } = announcement;
  const sent = await send(announcement, services);
  if (sent === null || sent.ok) return storage.webhooks.complete(id);
  const isHopeless = attempts + 1 >= MOST_ATTEMPTS;
  log(`${channel}: delivery of ${id} failed: ${sent.error.message}${isHopeless ? ' No more retries.' : ''}`);
  if (isHopeless) return storage.webhooks.complete(id);
  const retryAfterMs = 'retryAfterMs' in sent ? (sent.retryAfterMs ?? 0) : 0;
  const wait = Math.max(FIRST_WAIT_MS * 4 ** attempts, retryAfterMs);
  return storage.webhooks.postpone(id, clock.now() + Math.min(wait, LONGEST_WAIT_MS));
}

/** Null if there is nothing to deliver: the channel was removed, or the interrupt was answered. */
async function send(announcement: PendingNotification, services: DeliveryServices): Promise<Sent | null> {
  const { storage, secrets, fetches, email, clock } = services;
  const { id, channel, ownerId } = announcement;
  const principal: Owner = { ownerId };
  const message = await webhookMessage(principal, announcement, storage);
  if (message === null) return null;
  if (channel === 'email') return email === null ? null : email.send(principal, id, message);
  const webhook = await storage.webhooks.get(principal);
  const secret = await secrets.get(principal, WEBHOOK_SECRET);
  if (webhook === null || secret === null) return null;
  const { url } = webhook;
  return sendWebhook({ url, secret, id, message }, { fetch: fetches.for(url), clock });
}

async function webhookMessage(
  principal: Owner,
  { event, runId, interruptId, happenedAt }: PendingNotification,
  storage: Pick<SharedStorage, 'runs'>,
): Promise<WebhookMessage | null> {
  const type = WEBHOOK_EVENTS.find((known) => known === event);
  const run = await storage.runs.getRun(principal, runId);
  if (type === undefined || run === null) return null;
  const asked = interruptId === null ? null : await openInterrupt(principal, runId, interruptId, storage);
  if (interruptId !== null && asked === null) return null;
  const code = type === 'run.failed' ? await failureOf(principal, runId, run.lastSeq, storage) : undefined;
  return {
    type: type satisfies WebhookEvent,
    timestamp: new Date(happenedAt).toISOString(),
    data: {
      runId,
      conversationId: run.conversationId,
      status: run.status,
      ...(asked === null ? {} : { interrupt: shortly(asked) }),
      ...(code === undefined ? {} : { error: { code } }),
    },
  };
}

async function openInterrupt(
  principal: Owner,
  runId: string,
  id: string,
  storage: Pick<SharedStorage, 'runs'>,
): Promise<StoredInterrupt | null> {
  const asked = await storage.runs.getInterrupt(principal, id);
  return asked?.runId === runId && asked.status === 'open' ? asked : null;
}

/** Arguments, messages and forms are private and not sent. */
function shortly({ id, interrupt }: StoredInterrupt): { id: string; kind: string; tool?: string } {
  const { kind } = interrupt;
  return { id, kind, ...('tool' in interrupt ? { tool: formatToolReference(interrupt.tool) } : {}) };
}

async function failureOf(principal: Owner, runId: string, lastSeq: number, storage: Pick<SharedStorage, 'runs'>) {
  const [last] = (await storage.runs.readEvents(principal, runId, Math.max(0, lastSeq - 1), 1)) ?? [];
  return last?.type === 'run_finished' ? last.error?.code : undefined;
}
