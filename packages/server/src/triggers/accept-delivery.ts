import type { Clock, Failpoint, JsonValue, AnyText } from '@toolyard/protocol';
import { messageOf, ToolyardError, say, messageText, withTemplates } from '@toolyard/protocol';
import type { DeliveryKey, SharedStorage, StoredDelivery, StoredTrigger } from '@toolyard/storage';
import { rateSpans, secondsUntilEnd } from '../http/transport/rate-spans.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { readDefinition } from './definition.ts';
import type { StartDeliveryServices } from './start-delivery.ts';
import { createRunId, startDelivery } from './start-delivery.ts';
import { fillTemplate } from './template.ts';
import type { SignedRequest } from './verify-signature.ts';
import { readDeliveryId, isSigned, readPayload } from './verify-signature.ts';

export type AcceptDeliveryServices = StartDeliveryServices & {
  storage: StartDeliveryServices['storage'] & Pick<SharedStorage, 'rateCounters'>;
  secrets: Pick<Secrets, 'get'>;
  clock: Clock;
  log: (line: string) => void;
  failpoint?: Failpoint;
};

/** How long one process has a delivery; then another one starts its run. */
export const CLAIM_MS = 10_000;

const MINUTE_MS = 60_000;

/** Name of the stored secret of a webhook. */
export function getSecretName(triggerId: string): string {
  return `incoming webhook ${triggerId}`;
}

/** The request of a sender was not accepted; `retryAfter` in seconds. */
export class RefusedDelivery extends ToolyardError {
  readonly retryAfter: number | undefined;

  constructor(
    info: { code: 'unauthorized' | 'conflict' | 'rate_limited' | 'bad_request' | 'too_large'; message: AnyText },
    retryAfter?: number,
  ) {
    super(info);
    this.retryAfter = retryAfter;
  }
}

/**
 * Verifies a request, stores its delivery and starts the run. The delivery is stored before the sender gets a response:
 * if this process is killed, another one or the next start starts the run. Returns the id of the run.
 *
 * @throws RefusedDelivery; all reasons that the sender may not know are one and the same
 */
export async function acceptDelivery(
  triggerId: string,
  request: SignedRequest,
  services: AcceptDeliveryServices,
): Promise<string> {
  const { storage, secrets, clock, failpoint } = services;
  const now = clock.now();
  const trigger = await storage.triggers.find(triggerId);
  if (trigger === null) throw unauthorized();
  const definition = readDefinition(trigger.definition);
  const secret = await secrets.get(trigger, getSecretName(triggerId));
  if (definition === null || secret === null) throw unauthorized();
  const { signature, template, rate } = definition;
  if (!isSigned(request, { signature, secret, now })) {
    // One per minute: a client that knows the URL could displace the other deliveries.
    await note({
      id: `signature:${toMinute(now)}`,
      outcome: 'rejected',
      reason: say`The signature is missing or invalid.`,
    });
    throw unauthorized();
  }
  if (!trigger.enabled) {
    await note({ id: `disabled:${toMinute(now)}`, outcome: 'rejected', reason: say`The webhook is disabled.` });
    throw new RefusedDelivery({ code: 'conflict', message: say`This webhook is disabled.` });
  }
  const payload = readPayload(request.body);
  if (payload === null) return fail('invalid', 'bad_request', say`The body is not valid JSON.`);
  const id = readDeliveryId(request, signature, payload);
  const key: DeliveryKey = { triggerId, id };
  const before = await storage.triggers.getDelivery(key);
  if (before?.outcome === 'started' || before?.outcome === 'due') return createRunId(triggerId, id);
  const full = await storage.rateCounters.take(`trigger:${triggerId}`, rateSpans(rate, now));
  if (full !== null) {
    const reason = say`More than ${full.limit} deliveries per ${full.span === 'day' ? say`day` : say`minute`}.`;
    await note({ id: `rate:${toMinute(now)}`, outcome: 'rejected', reason });
    throw new RefusedDelivery({ code: 'rate_limited', message: reason }, secondsUntilEnd(full, now));
  }
  const task = await filled(template, payload, id);
  const accepted = await storage.triggers.accept(trigger, { ...key, at: now, task, retryAt: now + CLAIM_MS });
  await failpoint?.('trigger:accepted');
  if (accepted !== null) await startAndSettle(trigger, accepted, services);
  const after = await storage.triggers.getDelivery(key);
  if (after?.outcome === 'failed') {
    throw new RefusedDelivery({ code: 'conflict', message: say`The run of this delivery could not be started.` });
  }
  return createRunId(triggerId, id);

  async function filled(text: string, data: JsonValue, deliveryId: string): Promise<string> {
    try {
      return fillTemplate(text, data);
    } catch (thrown) {
      const code = ToolyardError.isInstance(thrown) && thrown.code === 'too_large' ? 'too_large' : 'bad_request';
      return fail(deliveryId, code, messageText(thrown));
    }
  }

  async function fail(deliveryId: string, code: 'bad_request' | 'too_large', reason: AnyText): Promise<never> {
    const id = deliveryId === 'invalid' ? `invalid:${toMinute(now)}` : deliveryId;
    await note({ id, outcome: 'failed', reason });
    throw new RefusedDelivery({ code, message: reason });
  }

  async function note(delivery: { id: string; outcome: 'failed' | 'rejected'; reason: AnyText }): Promise<void> {
    if (trigger === null) return;
    await storage.triggers.reject(trigger, withTemplates({ ...delivery, at: now }));
    services.hub.changed(trigger.ownerId, 'triggers', trigger.id);
  }
}

/** Starts the run of a delivery and stores the outcome. An error that passes leaves it due. */
export async function startAndSettle(
  trigger: StoredTrigger,
  delivery: StoredDelivery,
  services: Pick<AcceptDeliveryServices, 'storage' | 'runs' | 'hub' | 'log' | 'failpoint'>,
): Promise<void> {
  const { storage, hub, log, failpoint } = services;
  try {
    const outcome = await startDelivery(trigger, delivery, services);
    await failpoint?.('trigger:started');
    await storage.triggers.settle({ triggerId: trigger.id, id: delivery.id }, outcome);
    if (outcome.outcome === 'failed') log(`incoming webhook ${trigger.id}: ${String(outcome.reason)}`);
    hub.changed(trigger.ownerId, 'triggers', trigger.id);
  } catch (thrown) {
    log(`incoming webhook ${trigger.id}: postponed: ${messageOf(thrown)}`);
  }
}

function unauthorized(): RefusedDelivery {
  return new RefusedDelivery({ code: 'unauthorized', message: say`The signature is missing or invalid.` });
}

function toMinute(now: number): number {
  return Math.floor(now / MINUTE_MS);
}
