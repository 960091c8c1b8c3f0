import type { Owner, ScheduleDefinition, AnyText } from '@toolyard/protocol';
import { isStorageFault, messageText, ToolyardError, say, withTemplates } from '@toolyard/protocol';
import type { FiringKey, FiringOutcome, SharedStorage, StoredSchedule } from '@toolyard/storage';
import { createNotFoundError } from '../errors.ts';
import type { LiveHub, RunService } from '../services.ts';
import { ensureConversation } from '../runs/start/ensure-conversation.ts';
import { readDefinition } from './definition.ts';
import { runIdOfFiring } from './firing-of-run.ts';

export type StartFiringServices = {
  storage: Pick<SharedStorage, 'schedules' | 'conversations' | 'permissions' | 'agents'>;
  runs: Pick<RunService, 'send'>;
  hub: Pick<LiveHub, 'changed'>;
};

type Outcome = Omit<FiringOutcome, 'at'>;

/** How soon a time that waits for the previous run is checked again. */
const LOOK_AGAIN_MS = 2_000;

/**
 * Starts the run of one time, or finds out why not. Repeating it has no second effect: conversation, message and run
 * have ids that the schedule and the time determine.
 *
 * @throws storage errors, and ToolyardError for a condition that passes; the time stays due
 */
export async function startFiring(
  schedule: StoredSchedule,
  key: FiringKey,
  now: number,
  services: StartFiringServices,
): Promise<Outcome> {
  const definition = readDefinition(schedule.definition);
  if (definition === null) return failed(say`The stored definition of the schedule cannot be read.`);
  const blocked = await findOverlap(definition, key, now, services);
  if (blocked !== null) return blocked;
  try {
    return await start(schedule, definition, key, services);
  } catch (thrown) {
    if (isStorageFault(thrown) || (ToolyardError.isInstance(thrown) && thrown.retryable === true)) throw thrown;
    return failed(messageText(thrown));
  }
}

async function findOverlap(
  { overlap }: ScheduleDefinition,
  key: FiringKey,
  now: number,
  { storage: { schedules } }: StartFiringServices,
): Promise<Outcome | null> {
  if (overlap === 'parallel') return null;
  const isBusy = await schedules.hasActiveRun(key);
  if (overlap === 'skip') return isBusy ? skipped(say`The run of the previous time is still active.`) : null;
  if (await schedules.hasEarlierWaiting(key)) return skipped(say`An earlier time already waits for the active run.`);
  if (!isBusy) return null;
  const reason = say`It waits until the run of the previous time has ended.`;
  return createOutcome('waiting', reason, now + LOOK_AGAIN_MS);
}

async function start(
  schedule: StoredSchedule,
  definition: ScheduleDefinition,
  key: FiringKey,
  services: StartFiringServices,
): Promise<Outcome> {
  const { runs, hub } = services;
  const { plannedAt } = key;
  const principal: Owner = { ownerId: schedule.ownerId };
  const id = runIdOfFiring(key);
  const { target, task, configuration } = definition;
  const conversationId = target.kind === 'conversation' ? target.conversationId : id;
  if (target.kind === 'new') await createConversation(principal, schedule, definition, { id, plannedAt }, services);
  const message = {
    id,
    parts: [{ type: 'text' as const, text: task }],
    // A new conversation has it already.
    ...(target.kind === 'conversation' ? { configuration } : {}),
  };
  await runs.send(principal, conversationId, message, { origin: 'schedule' });
  hub.changed(schedule.ownerId, 'conversations', conversationId);
  return { outcome: 'started', reason: null, runId: id, conversationId, retryAt: null };
}

async function createConversation(
  principal: Owner,
  { title }: StoredSchedule,
  { agentId, configuration, allowedTools }: ScheduleDefinition,
  { id, plannedAt }: { id: string; plannedAt: number },
  { storage }: StartFiringServices,
): Promise<void> {
  if (agentId !== null && (await storage.agents.get(principal, agentId)) === null) {
    throw createNotFoundError(say`The agent "${agentId}" of the schedule does not exist any more.`);
  }
  await ensureConversation(principal, { id, title, agentId, configuration, allowedTools, at: plannedAt }, storage);
}

function skipped(reason: AnyText): Outcome {
  return createOutcome('skipped', reason);
}

function failed(reason: AnyText): Outcome {
  return createOutcome('failed', reason);
}

function createOutcome(outcome: Outcome['outcome'], reason: AnyText, retryAt: number | null = null): Outcome {
  return withTemplates({ outcome, reason, runId: null, conversationId: null, retryAt });
}
