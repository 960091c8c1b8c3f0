import type { Clock, Fetch, Owner, StoredInterrupt, WebhookEvent, WebhookMessage } from '@toolyard/protocol';
import { formatToolReference, textOf, WEBHOOK_EVENTS } from '@toolyard/protocol';
import type { PendingNotification, SharedStorage } from '@toolyard/storage';
import type { OwnerFetches } from '../config/owner-fetches.ts';
import type { EmailChannel } from '../email/email-channel.ts';
import type { SentEmail } from '../email/send-email.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { repeat } from '../repeat.ts';
import { readEnd } from '../runs/read/read-end.ts';
import type { SentWebhook } from './send-webhook.ts';
import { sendWebhook } from './send-webhook.ts';

export type DeliveryServices = {
  storage: Pick<SharedStorage, 'runs' | 'webhooks'>;
  secrets: Pick<Secrets, 'get' | 'remove'>;
  fetches: Pick<OwnerFetches, 'for'>;
  /** For URLs that the owner did not enter: it connects to no private address. */
  guardedFetch: Fetch;
  /** Null: e-mail is not configured. */
  email: Pick<EmailChannel, 'send'> | null;
  clock: Clock;
  log: (line: string) => void;
};

type Sent = SentWebhook | SentEmail;

/** Name of the stored secret. */
export const WEBHOOK_SECRET = 'webhook';

/** Name of the secret of the webhook of one run. */
export function secretOfRun(runId: string): string {
  return `webhook of run ${runId}`;
}

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
  return repeat({ what: 'webhook', clock, log, pauseMs: LOOK_EVERY_MS, delayMs: LOOK_EVERY_MS }, async () => {
    const now = clock.now();
    const due = await storage.webhooks.claim(now, now + CLAIM_MS, AT_ONCE);
    await Promise.all(due.map((announcement) => deliver(announcement, services)));
  });
}

async function deliver(announcement: PendingNotification, services: DeliveryServices): Promise<void> {
  const { storage, clock, log } = services;
  const { id, channel, attempts } = announcement;
  const sent = await send(announcement, services);
  if (sent === null) return storage.webhooks.complete(id);
  const isHopeless = !sent.ok && (attempts + 1 >= MOST_ATTEMPTS || sent.error.code === 'address_refused');
  if (!sent.ok) {
    const name = channel === 'run' ? 'webhook' : channel;
    log(`${name}: delivery of ${id} failed: ${sent.error.message}${isHopeless ? ' No more retries.' : ''}`);
  }
  if (channel === 'run') await noteOfRun(announcement, { sent, isHopeless }, services);
  if (sent.ok || isHopeless) return storage.webhooks.complete(id);
  const retryAfterMs = 'retryAfterMs' in sent ? (sent.retryAfterMs ?? 0) : 0;
  const wait = Math.max(FIRST_WAIT_MS * 4 ** attempts, retryAfterMs);
  return storage.webhooks.postpone(id, clock.now() + Math.min(wait, LONGEST_WAIT_MS));
}

/** Null if there is nothing to deliver: the channel was removed, or the interrupt was answered. */
async function send(announcement: PendingNotification, services: DeliveryServices): Promise<Sent | null> {
  const { storage, email, clock } = services;
  const { id, channel, ownerId } = announcement;
  const principal: Owner = { ownerId };
  const message = await webhookMessage(principal, announcement, storage);
  if (message === null) return null;
  if (channel === 'email') return email === null ? null : email.send(principal, id, message);
  const receiver = await (channel === 'run' ? receiverOfRun : receiverOfOwner)(principal, announcement, services);
  if (receiver === null) return null;
  const { url, secret, fetch } = receiver;
  return sendWebhook({ url, secret, id, message }, { fetch, clock });
}

/** Stores the outcome with the run; its secret is needed no more after the last event. */
async function noteOfRun(
  { ownerId, runId, event, attempts }: PendingNotification,
  { sent, isHopeless }: { sent: Sent; isHopeless: boolean },
  { storage, secrets }: DeliveryServices,
): Promise<void> {
  const isLast = event !== 'interrupt.opened';
  const error = sent.ok ? null : sent.error.message;
  const state = error === null ? (isLast ? 'delivered' : 'waiting') : isHopeless ? 'failed' : 'retrying';
  await storage.webhooks.noteOfRun(runId, { state, failures: error === null ? 0 : attempts + 1, error });
  if (isLast && (error === null || isHopeless)) await secrets.remove({ ownerId }, secretOfRun(runId));
}

type Receiver = { url: string; secret: string; fetch: Fetch };

async function receiverOfOwner(
  principal: Owner,
  _announcement: PendingNotification,
  { storage, secrets, fetches }: DeliveryServices,
): Promise<Receiver | null> {
  const webhook = await storage.webhooks.get(principal);
  const secret = await secrets.get(principal, WEBHOOK_SECRET);
  return webhook && secret !== null ? { url: webhook.url, secret, fetch: fetches.for(webhook.url) } : null;
}

async function receiverOfRun(
  principal: Owner,
  { runId }: PendingNotification,
  { storage, secrets, fetches, guardedFetch }: DeliveryServices,
): Promise<Receiver | null> {
  const webhook = await storage.webhooks.ofRun(principal, runId);
  const secret = await secrets.get(principal, secretOfRun(runId));
  if (webhook === null || secret === null) return null;
  const { url, trusted } = webhook;
  return { url, secret, fetch: trusted ? fetches.for(url) : guardedFetch };
}

async function webhookMessage(
  principal: Owner,
  { event, runId, interruptId, happenedAt, channel }: PendingNotification,
  storage: Pick<SharedStorage, 'runs'>,
): Promise<WebhookMessage | null> {
  const type = WEBHOOK_EVENTS.find((known) => known === event);
  const run = await storage.runs.getRun(principal, runId);
  if (type === undefined || run === null) return null;
  const asked = interruptId === null ? null : await openInterrupt(principal, runId, interruptId, storage);
  if (interruptId !== null && asked === null) return null;
  const result = channel === 'run' && interruptId === null ? await readResult(principal, runId, storage) : undefined;
  const code = type === 'run.failed' ? await readFailure(principal, runId, run.lastSeq, storage) : undefined;
  return {
    type: type satisfies WebhookEvent,
    timestamp: new Date(happenedAt).toISOString(),
    data: {
      runId,
      conversationId: run.conversationId,
      status: run.status,
      ...(asked === null ? {} : { interrupt: shortly(asked) }),
      ...(code === undefined ? {} : { error: { code } }),
      ...(result === undefined ? {} : { result }),
    },
  };
}

/** The receiver asked for this run: it gets the answer. */
async function readResult(principal: Owner, runId: string, { runs }: Pick<SharedStorage, 'runs'>) {
  const answer = (await readEnd(runs, principal, runId))?.answer ?? null;
  return answer === null ? undefined : { text: textOf(answer) };
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

async function readFailure(principal: Owner, runId: string, lastSeq: number, storage: Pick<SharedStorage, 'runs'>) {
  const [last] = (await storage.runs.readEvents(principal, runId, Math.max(0, lastSeq - 1), 1)) ?? [];
  return last?.type === 'run_finished' ? last.error?.code : undefined;
}
