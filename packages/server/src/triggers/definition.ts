import type { CreateTrigger, JsonObject, TriggerDefinition, TriggerView } from '@toolyard/protocol';
import { triggerDefinition } from '@toolyard/protocol/schemas';
import type { StoredTrigger } from '@toolyard/storage';

const DEFAULT_RATE = { perMinute: 60, perDay: 1_000 };

type Chosen = Pick<CreateTrigger, 'agentId' | 'template' | 'signature'> & Partial<TriggerDefinition>;

/** Adds the defaults. */
export function completeDefinition(chosen: Chosen): TriggerDefinition {
  const { agentId, template, signature, rate = DEFAULT_RATE, allowedTools = [] } = chosen;
  return { agentId, template, signature, rate, allowedTools };
}

/** Null if it cannot be read, such as one of a newer version. */
export function readDefinition(stored: JsonObject): TriggerDefinition | null {
  const read = triggerDefinition.safeParse(stored);
  return read.success ? read.data : null;
}

export function toView(trigger: StoredTrigger, definition: TriggerDefinition): TriggerView {
  const { id, title, enabled, version, createdAt, updatedAt } = trigger;
  return { id, title, ...definition, enabled, path: `/api/hooks/${id}`, version, createdAt, updatedAt };
}
