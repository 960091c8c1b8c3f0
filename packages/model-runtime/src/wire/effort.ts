import type { ReasoningEffort } from '@toolyard/protocol';
import { SETTINGS } from '@toolyard/protocol';

const SCALE: readonly ReasoningEffort[] = SETTINGS['parameters.reasoningEffort'].options;

/**
 * The level nearest to the wish among those a model knows; of two as near, the lower. Some thinking is never turned
 * into none, where the model has anything else.
 */
export function nearestEffort<Level extends ReasoningEffort>(
  wish: ReasoningEffort,
  known: readonly Level[],
): Level | null {
  const thinking = known.filter((level) => level !== 'none');
  const choice = wish === 'none' || thinking.length === 0 ? known : thinking;
  const at = SCALE.indexOf(wish);
  let nearest: Level | null = null;
  let distance = Number.POSITIVE_INFINITY;
  for (const level of choice) {
    const away = Math.abs(SCALE.indexOf(level) - at);
    if (away < distance) [nearest, distance] = [level, away];
  }
  return nearest;
}

/** A row of a table by model: the first whose pattern fits counts. */
export type ModelRow<Facts> = { models: RegExp; facts: Facts };

/** What a table says of a model; null where it says nothing. */
export function findModelRow<Facts>(table: readonly ModelRow<Facts>[], model: string): Facts | null {
  return table.find(({ models }) => models.test(model))?.facts ?? null;
}
