import { createHash } from 'node:crypto';
import type { Owner, TriggerDefinition, TriggerDelivery, AnyText } from '@toolyard/protocol';
import { isStorageFault, messageText, ToolyardError, say, withTemplates } from '@toolyard/protocol';
import type { SharedStorage, StoredDelivery, StoredTrigger } from '@toolyard/storage';
import { createNotFoundError } from '../errors.ts';
import { ensureConversation } from '../runs/start/ensure-conversation.ts';
import { startedByTrigger } from '../runs/start/key-limits.ts';
import type { LiveHub, RunService } from '../services.ts';
import { readDefinition } from './definition.ts';

export type StartDeliveryServices = {
  storage: Pick<SharedStorage, 'triggers' | 'conversations' | 'permissions' | 'agents'>;
  runs: Pick<RunService, 'send'>;
  hub: Pick<LiveHub, 'changed'>;
};

type Outcome = Pick<TriggerDelivery, 'outcome' | 'reason' | 'templates' | 'runId' | 'conversationId'>;

/** The id of run, message and conversation of a delivery: known before the run starts, and the same in every attempt. */
export function createRunId(triggerId: string, deliveryId: string): string {
  return `${triggerId}.${createHash('sha256').update(deliveryId).digest('hex').slice(0, 24)}`;
}

/**
 * Starts the run of a delivery, or finds out why not. Repeating it has no second effect.
 *
 * @throws storage errors, and ToolyardError for a condition that passes; the delivery stays due
 */
export async function startDelivery(
  trigger: StoredTrigger,
  { id: deliveryId, task, at }: Pick<StoredDelivery, 'id' | 'task' | 'at'>,
  services: StartDeliveryServices,
): Promise<Outcome> {
  const definition = readDefinition(trigger.definition);
  if (definition === null || task === null) return failed(say`The stored definition of the webhook cannot be read.`);
  const id = createRunId(trigger.id, deliveryId);
  try {
    await startRun(trigger, definition, { id, task, at }, services);
    return { outcome: 'started', reason: null, runId: id, conversationId: id };
  } catch (thrown) {
    if (isStorageFault(thrown) || (ToolyardError.isInstance(thrown) && thrown.retryable === true)) throw thrown;
    return failed(messageText(thrown));
  }
}

/** Starts a run in a conversation of its own; nothing is approved but the tools that the user allowed in advance. */
export async function startRun(
  { id: triggerId, ownerId, title }: Pick<StoredTrigger, 'id' | 'ownerId' | 'title'>,
  { agentId, allowedTools }: TriggerDefinition,
  { id, task, at }: { id: string; task: string; at: number },
  { storage, runs, hub }: StartDeliveryServices,
): Promise<void> {
  const principal: Owner = { ownerId };
  if ((await storage.agents.get(principal, agentId)) === null) {
    throw createNotFoundError(say`The agent "${agentId}" of the webhook does not exist any more.`);
  }
  await ensureConversation(principal, { id, title, agentId, allowedTools, at }, storage);
  const starter = { startedBy: startedByTrigger(triggerId), name: title };
  await runs.send(
    principal,
    id,
    { id, parts: [{ type: 'text', text: task }], whenBusy: 'refuse' },
    { origin: 'api', starter },
  );
  hub.changed(ownerId, 'conversations', id);
}

function failed(reason: AnyText): Outcome {
  return withTemplates({ outcome: 'failed', reason, runId: null, conversationId: null });
}
