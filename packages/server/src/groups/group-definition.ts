import type { CreateGroup, GroupDefinition, GroupView, JsonObject } from '@toolyard/protocol';
import { defined, ToolyardError, say } from '@toolyard/protocol';
import { groupDefinition } from '@toolyard/protocol/schemas';
import type { StoredGroup } from '@toolyard/storage';
import { createInvalidError } from '../errors.ts';

const DEFAULT_TIMEOUT_MS = 15 * 60_000;

/** A definition with the defaults of what the user did not choose. */
export function completeDefinition(chosen: Omit<CreateGroup, 'id' | 'title'>): GroupDefinition {
  const { members, mode, memberMaxTurns, maxRounds } = chosen;
  return {
    members,
    mode,
    instructions: chosen.instructions ?? '',
    memberTimeoutMs: chosen.memberTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    stopPhrases: chosen.stopPhrases ?? [],
    budgets: chosen.budgets ?? [],
    ...defined({ memberMaxTurns, maxRounds }),
  };
}

/** @throws ToolyardError `bad_request` for an invalid definition */
export function checkDefinition(definition: GroupDefinition): GroupDefinition {
  const read = groupDefinition.safeParse(definition);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const message = `${issue?.path.join('.') ?? 'group'}: ${issue?.message ?? 'invalid'}`;
  throw createInvalidError(message);
}

/** @throws ToolyardError `internal` for the row of a newer version */
export function readDefinition({ id, definition }: Pick<StoredGroup, 'id' | 'definition'>): GroupDefinition {
  const read = groupDefinition.safeParse(definition);
  if (read.success) return read.data;
  throw new ToolyardError({
    code: 'internal',
    message: say`The group ${id} was stored by another version of Toolyard and cannot be read.`,
    hint: say`Update Toolyard, or create the group again.`,
  });
}

/** A definition as it is stored. */
export function storedDefinition(definition: GroupDefinition): JsonObject {
  return { ...definition };
}

export function toView(group: StoredGroup): GroupView {
  const { definition: _stored, ...head } = group;
  return { ...head, ...readDefinition(group) };
}
