import { expect, it } from 'vitest';
import { createTextMatcher } from './match-text.ts';

const match = createTextMatcher({
  plain: 'It removes files.',
  removes: 'It removes {path}.',
  tree: 'It removes {path} and everything in it.',
  cost: 'Costs {amount} (in $, not [€]).',
});

it.each([
  ['It removes files.', 'plain', {}],
  ['It removes /a.b.', 'removes', { path: '/a.b' }],
  ['It removes /a and everything in it.', 'tree', { path: '/a' }],
  ['It removes two\nlines.', 'removes', { path: 'two\nlines' }],
  ['Costs 3 (in $, not [€]).', 'cost', { amount: '3' }],
])('recognizes %j', (text, key, values) => {
  expect(match(text)).toEqual({ key, values });
});

it.each(['', 'It removes .', 'it removes /a.', 'It removes /a. Really'])('does not recognize %j', (text) => {
  expect(match(text)).toBeUndefined();
});
