import type {
  ChangeTrigger,
  CreateTrigger,
  IdSource,
  JsonObject,
  JsonValue,
  Owner,
  SavedTrigger,
  TestedTrigger,
  TriggerDefinition,
  TriggerDelivery,
  TriggerView,
} from '@toolyard/protocol';
import { formatToolReference, say } from '@toolyard/protocol';
import type { StoredTrigger } from '@toolyard/storage';
import { createChangedError, createConflictError, createInvalidError, createNotFoundError } from '../errors.ts';
import { repeat } from '../repeat.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { RunServers } from '../services.ts';
import { newSecret } from '../webhooks/webhooks.ts';
import type { AcceptDeliveryServices } from './accept-delivery.ts';
import { acceptDelivery, CLAIM_MS, getSecretName, startAndSettle } from './accept-delivery.ts';
import { completeDefinition, readDefinition, toView } from './definition.ts';
import { startRun } from './start-delivery.ts';
import { checkTemplate, fillTemplate } from './template.ts';
import type { SignedRequest } from './verify-signature.ts';

export type TriggersOptions = AcceptDeliveryServices & {
  secrets: Pick<Secrets, 'get' | 'set' | 'remove'>;
  servers: Pick<RunServers, 'approve'>;
  ids: IdSource;
  /** No other process uses the storage: what an earlier process left is started at once. */
  alone?: boolean;
};

/** Incoming webhooks: verified requests of other systems that start runs. */
export type Triggers = {
  list(principal: Owner): Promise<TriggerView[]>;
  get(principal: Owner, id: string): Promise<TriggerView>;
  create(principal: Owner, trigger: CreateTrigger): Promise<SavedTrigger>;
  /** `conflict` if it was changed since it was read. */
  change(principal: Owner, id: string, change: ChangeTrigger): Promise<SavedTrigger>;
  remove(principal: Owner, id: string): Promise<void>;
  test(principal: Owner, id: string, payload: JsonValue, starts: boolean): Promise<TestedTrigger>;
  deliveries(principal: Owner, id: string): Promise<TriggerDelivery[]>;
  /** Returns the id of the run. @throws RefusedDelivery */
  deliver(id: string, request: SignedRequest): Promise<string>;
};

const LISTED_DELIVERIES = 100;
const LOOK_EVERY_MS = 1_000;
const AT_ONCE = 20;

export function createTriggers(options: TriggersOptions): Triggers & { start: () => void; close: () => Promise<void> } {
  const { storage, secrets, servers, hub, clock, ids, log } = options;
  let stop: (() => Promise<void>) | undefined;

  async function stored(principal: Owner, id: string): Promise<StoredTrigger> {
    const trigger = await storage.triggers.get(principal, id);
    if (trigger !== null) return trigger;
    throw createNotFoundError(say`There is no incoming webhook ${JSON.stringify(id)}.`);
  }

  async function check(principal: Owner, { agentId, template, allowedTools }: TriggerDefinition): Promise<void> {
    checkTemplate(template);
    if ((await storage.agents.get(principal, agentId)) === null) {
      throw createInvalidError(say`There is no agent ${JSON.stringify(agentId)}.`);
    }
    const ofTab = allowedTools.find(({ origin }) => origin === 'tab');
    if (ofTab)
      throw createInvalidError(
        say`${formatToolReference(ofTab)} is a tool of a browser tab, which a webhook cannot use.`,
      );
    // Pins the definitions of the tools that run without approval.
    for (const tool of allowedTools) servers.approve({ tool });
  }

  /** Deliveries whose process has crashed, or whose run could not be started at the time. */
  async function startDue(ahead: number): Promise<void> {
    const now = clock.now();
    for (const delivery of await storage.triggers.claimDue(now + ahead, now + CLAIM_MS, AT_ONCE)) {
      const trigger = await storage.triggers.find(delivery.triggerId);
      if (trigger !== null) await startAndSettle(trigger, delivery, options);
    }
  }

  return {
    async list(principal) {
      const all = await storage.triggers.list(principal);
      return all.flatMap((trigger) => {
        const definition = readDefinition(trigger.definition);
        return definition === null ? [] : [toView(trigger, definition)];
      });
    },
    async get(principal, id) {
      return readableView(await stored(principal, id));
    },
    async create(principal, { id = ids.next(), title, enabled = true, secret, ...chosen }) {
      const definition = completeDefinition(chosen);
      await check(principal, definition);
      const trigger = await storage.triggers.create(principal, {
        id,
        title,
        definition: toJson(definition),
        enabled,
        createdAt: clock.now(),
      });
      const made = secret ?? newSecret();
      await secrets.set(principal, getSecretName(id), made);
      hub.changed(principal.ownerId, 'triggers', id);
      return { trigger: readableView(trigger), ...(secret === undefined ? { secret: made } : {}) };
    },
    async change(principal, id, { version, title, enabled, secret, ...chosen }) {
      const before = await stored(principal, id);
      const definition = completeDefinition({ ...readable(before.definition), ...chosen });
      await check(principal, definition);
      const trigger = await storage.triggers.update(principal, id, {
        title: title ?? before.title,
        definition: toJson(definition),
        enabled: enabled ?? before.enabled,
        version,
        at: clock.now(),
      });
      if (trigger === null) throw createChangedError(say`This webhook was changed by another request.`);
      const made = secret === 'generate' ? newSecret() : secret;
      if (made !== undefined) await secrets.set(principal, getSecretName(id), made);
      hub.changed(principal.ownerId, 'triggers', id);
      return { trigger: readableView(trigger), ...(secret === 'generate' && made ? { secret: made } : {}) };
    },
    async remove(principal, id) {
      await stored(principal, id);
      await storage.triggers.remove(principal, id);
      await secrets.remove(principal, getSecretName(id));
      hub.changed(principal.ownerId, 'triggers', id);
    },
    async test(principal, id, payload, starts) {
      const trigger = await stored(principal, id);
      const definition = readable(trigger.definition);
      const message = fillTemplate(definition.template, payload);
      if (!starts) return { message, runId: null, conversationId: null };
      const runId = `${id}.test.${ids.next()}`;
      await startRun(trigger, definition, { id: runId, task: message, at: clock.now() }, options);
      return { message, runId, conversationId: runId };
    },
    async deliveries(principal, id) {
      await stored(principal, id);
      const all = await storage.triggers.deliveries(principal, id, LISTED_DELIVERIES);
      return all.map(({ id: deliveryId, at, outcome, reason, runId, conversationId }) => ({
        id: deliveryId,
        at,
        outcome,
        reason,
        runId,
        conversationId,
      }));
    },
    deliver: (id, request) => acceptDelivery(id, request, options),
    start() {
      stop = repeat({ what: 'incoming webhooks', clock, log, pauseMs: LOOK_EVERY_MS }, (isFirst) =>
        startDue(isFirst && options.alone === true ? CLAIM_MS : 0),
      );
    },
    async close() {
      await stop?.();
    },
  };
}

function readable(stored: JsonObject): TriggerDefinition {
  const definition = readDefinition(stored);
  if (definition !== null) return definition;
  throw createConflictError(
    say`The stored definition of this webhook cannot be read.`,
    say`Update Toolyard, or delete the webhook.`,
  );
}

function readableView(trigger: StoredTrigger): TriggerView {
  return toView(trigger, readable(trigger.definition));
}

/** Absent optional fields are left out. */
function toJson(definition: TriggerDefinition): JsonObject {
  return JSON.parse(JSON.stringify(definition)) as JsonObject;
}
