import { expect, test } from 'vitest';
import { describePlaces } from './places/describe-places.ts';
import { rowsOfTable, SCENARIOS_OF_ROW, VARIANTS } from './places/rows.ts';

test('every row of the decision table of the loop is told by a story', () => {
  expect(Object.keys(SCENARIOS_OF_ROW)).toEqual(rowsOfTable());
});

/**
 * Where a tab has code of its own: streams, several calls, questions, steering, continuing. Stopping and reconnecting
 * are in `page-tab-runs.test.ts` and `page-tab-tools.test.ts`.
 */
const IN_TAB = new Set([
  'the model asks for several',
  'the model asks to choose',
  'steered in mid-call',
  'goes on where the line was lost',
]);

// All stories run in all places in `three-places.long.test.ts`.
describePlaces({
  isIncluded: (story) => IN_TAB.has(story) || !VARIANTS.has(story),
  inTab: (story) => IN_TAB.has(story),
});
