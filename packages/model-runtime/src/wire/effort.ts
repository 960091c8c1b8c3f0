import { SETTINGS, type ReasoningEffort } from '@toolyard/protocol';

const SCALE: readonly ReasoningEffort[] = SETTINGS['parameters.reasoningEffort'].options;

/**
 * The supported effort nearest to the requested one; of two equally near, the lower. Never maps an effort to `none` if
 * the model supports any other.
 */
export function nearestEffort<Level extends ReasoningEffort>(
  requested: ReasoningEffort,
  known: readonly Level[],
): Level | null {
  const thinking = known.filter((level) => level !== 'none');
  const choice = requested === 'none' || thinking.length === 0 ? known : thinking;
  const at = SCALE.indexOf(requested);
  let nearest: Level | null = null;
  let distance = Number.POSITIVE_INFINITY;
  for (const level of choice) {
    const levelDistance = Math.abs(SCALE.indexOf(level) - at);
    if (levelDistance < distance) [nearest, distance] = [level, levelDistance];
  }
  return nearest;
}

/** A row of a table by model name: the first match counts. */
export type ModelRow<Traits> = { models: RegExp; traits: Traits };

/** The facts of a model in a table; null if no row matches. */
export function findModelRow<Traits>(table: readonly ModelRow<Traits>[], model: string): Traits | null {
  return table.find(({ models }) => models.test(model))?.traits ?? null;
}
