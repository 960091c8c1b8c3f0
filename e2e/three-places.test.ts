import { expect, test } from 'vitest';
import { describePlaces } from './places/describe-places.ts';
import { rowsOfTable, TOLD_BY } from './places/rows.ts';

test('every row of the decision table of the loop is told by a story', () => {
  expect(Object.keys(TOLD_BY)).toEqual(rowsOfTable());
});

/**
 * Where a tab has code of its own: streams, calls, questions, stopping, steering, reconnecting, compaction, budgets. All of them
 * run in a tab in `three-places.long.test.ts`.
 */
const IN_TAB = new Set([
  'the model writes text',
  'the model asks for a tool',
  'the model asks for several',
  'the person changes the arguments',
  'the model fails',
  'stopped in mid-call',
  'steered in mid-call',
  'goes on where the line was lost',
  'the model asks to choose',
  'summed up between two turns',
  'a budget is used up and raised',
]);

describePlaces({ inTab: (story) => IN_TAB.has(story) });
