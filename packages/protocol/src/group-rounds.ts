import type { GroupDefinition } from './schemas/groups.ts';

const ROUNDS_WITH_SUPERVISOR = 10;
const ROUNDS_IN_ORDER = 1;

/**
 * Rounds for one message. A default that depends on another setting is never stored, only what the user chose: it
 * follows the mode when that is changed.
 */
export function roundsOf({ maxRounds, mode }: Pick<GroupDefinition, 'maxRounds' | 'mode'>): number {
  return maxRounds ?? (mode.kind === 'supervisor' ? ROUNDS_WITH_SUPERVISOR : ROUNDS_IN_ORDER);
}
