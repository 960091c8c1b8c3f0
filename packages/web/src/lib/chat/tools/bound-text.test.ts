import { expect, test } from 'vitest';
import { boundText, lastLine } from './bound-text.ts';

const BOUNDS = { lines: 3, characters: 20 };

test.each([
  ['short', { text: 'short', whole: true }],
  ['a\nb\nc', { text: 'a\nb\nc', whole: true }],
  ['a\nb\nc\n', { text: 'a\nb\nc\n', whole: true }],
  ['a\nb\nc\nd', { text: 'a\nb\nc', whole: false }],
  ['x'.repeat(20), { text: 'x'.repeat(20), whole: true }],
  ['x'.repeat(21), { text: 'x'.repeat(20), whole: false }],
  [`${'x'.repeat(30)}\n`, { text: 'x'.repeat(20), whole: false }],
  // No surrogate pair is split.
  [`${'x'.repeat(19)}😀😀`, { text: 'x'.repeat(19), whole: false }],
])('cuts %j to its limits', (text, bounded) => {
  expect(boundText(text, BOUNDS)).toEqual(bounded);
});

test('the end of streaming text is one line', () => {
  expect(lastLine('{"a":\n  1', 20)).toBe('{"a": 1');
  expect(lastLine(`${'x'.repeat(30)}end`, 5)).toBe('…xxend');
  expect(lastLine('xxx😀end', 4)).toBe('…end');
});
