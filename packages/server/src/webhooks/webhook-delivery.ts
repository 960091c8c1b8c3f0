import type { Clock, Fetch, Owner, StoredInterrupt, WebhookEvent, WebhookMessage } from '@toolyard/protocol';
import { formatToolReference, textOf, WEBHOOK_EVENTS } from '@toolyard/protocol';
import type { WebhookNotification, SharedStorage } from '@toolyard/storage';
import type { OwnerFetches } from '../config/owner-fetches.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { createLogOnce } from '../log-once.ts';
import { readEnd } from '../runs/read-end.ts';
import type { SentWebhook } from './send-webhook.ts';
import { sendWebhook } from './send-webhook.ts';

export type DeliveryServices = {
  storage: Pick<SharedStorage, 'runs' | 'webhooks'>;
  secrets: Pick<Secrets, 'get' | 'remove'>;
  fetches: Pick<OwnerFetches, 'for'>;
  /** For URLs that the owner did not enter: it connects to no private address. */
  guardedFetch: Fetch;
  clock: Clock;
  log: (line: string) => void;
};

/** Name of the stored secret. */
export const WEBHOOK_SECRET = 'webhook';

/** Name of the secret of the webhook of one run. */
export function secretOfRun(runId: string): string {
  return `webhook of run ${runId}`;
}

const LOOK_EVERY_MS = 1_000;
const AT_ONCE = 8;
/** How long one process has the delivery; longer than a response may take. */
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

async function deliver(announcement: WebhookNotification, services: DeliveryServices): Promise<void> {
  const { storage, clock, log } = services;
  const principal: Owner = { ownerId: announcement.ownerId };
  const { id, attempts, target, runId } = announcement;
  const receiver = await (target === 'run' ? receiverOfRun : receiverOfOwner)(principal, announcement, services);
  const message = await webhookMessage(principal, announcement, storage);
  // The webhook was deleted, or the interrupt was answered.
  if (receiver === null || message === null) return storage.webhooks.complete(id);
  const { url, secret, fetch } = receiver;
  const sent = await sendWebhook({ url, secret, id, message }, { fetch, clock });
  const isHopeless = !sent.ok && (attempts + 1 >= MOST_ATTEMPTS || sent.error.code === 'address_refused');
  if (!sent.ok) {
    log(`webhook: delivery of ${id} failed: ${sent.error.message}${isHopeless ? ' No more retries.' : ''}`);
  }
  if (target === 'run') await note(principal, announcement, { sent, isHopeless }, services);
  if (sent.ok || isHopeless) return storage.webhooks.complete(id);
  const wait = Math.max(FIRST_WAIT_MS * 4 ** attempts, sent.retryAfterMs ?? 0);
  return storage.webhooks.postpone(id, clock.now() + Math.min(wait, LONGEST_WAIT_MS));

  async function note(
    { ownerId }: Owner,
    { event }: WebhookNotification,
    result: { sent: SentWebhook; isHopeless: boolean },
    { secrets }: DeliveryServices,
  ): Promise<void> {
    const isLast = event !== 'interrupt.opened';
    const failure = result.sent.ok ? null : result.sent.error.message;
    const state = failure === null ? (isLast ? 'delivered' : 'waiting') : result.isHopeless ? 'failed' : 'retrying';
    await storage.webhooks.noteOfRun(runId, { state, failures: failure === null ? 0 : attempts + 1, error: failure });
    if (isLast && (failure === null || result.isHopeless)) await secrets.remove({ ownerId }, secretOfRun(runId));
  }
}

type Receiver = { url: string; secret: string; fetch: Fetch };

async function receiverOfOwner(
  principal: Owner,
  _announcement: WebhookNotification,
  { storage, secrets, fetches }: DeliveryServices,
): Promise<Receiver | null> {
  const webhook = await storage.webhooks.get(principal);
  const secret = await secrets.get(principal, WEBHOOK_SECRET);
  return webhook && secret !== null ? { url: webhook.url, secret, fetch: fetches.for(webhook.url) } : null;
}

async function receiverOfRun(
  principal: Owner,
  { runId }: WebhookNotification,
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
  { event, runId, interruptId, happenedAt, target }: WebhookNotification,
  storage: Pick<SharedStorage, 'runs'>,
): Promise<WebhookMessage | null> {
  const type = WEBHOOK_EVENTS.find((known) => known === event);
  const run = await storage.runs.getRun(principal, runId);
  if (type === undefined || run === null) return null;
  const asked = interruptId === null ? null : await openInterrupt(principal, runId, interruptId, storage);
  if (interruptId !== null && asked === null) return null;
  const result = target === 'run' && interruptId === null ? await resultOf(principal, runId, storage) : undefined;
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
      ...(result === undefined ? {} : { result }),
    },
  };
}

/** The receiver asked for this run: it gets the answer. */
async function resultOf(principal: Owner, runId: string, { runs }: Pick<SharedStorage, 'runs'>) {
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

async function failureOf(principal: Owner, runId: string, lastSeq: number, storage: Pick<SharedStorage, 'runs'>) {
  const [last] = (await storage.runs.readEvents(principal, runId, Math.max(0, lastSeq - 1), 1)) ?? [];
  return last?.type === 'run_finished' ? last.error?.code : undefined;
}
