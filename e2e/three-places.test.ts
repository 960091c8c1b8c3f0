import { expect, test } from 'vitest';
import { describePlaces } from './places/describe-places.ts';
import { rowsOfTable, TOLD_BY } from './places/rows.ts';

test('every row of the decision table of the loop is told by a story', () => {
  expect(Object.keys(TOLD_BY)).toEqual(rowsOfTable());
});

/** One of each sort; all of them run in a tab in `three-places.long.test.ts`. */
const IN_TAB = new Set([
  'the model writes text',
  'the model asks for a tool',
  'the model asks for several',
  'the model writes its call as text',
  'of several calls one is refused',
  'the person changes the arguments',
  'a rule forbids a call',
  'the turns are used up',
  'the model fails',
  'stopped in mid-call',
  'steered in mid-call',
  'goes on where the line was lost',
  'the model asks to choose',
  'summed up between two turns',
  'a budget is used up and raised',
]);

describePlaces({ inTab: (story) => IN_TAB.has(story) });
