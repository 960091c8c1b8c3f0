import { expect, it } from 'vitest';
import { sentences } from './sentences.ts';

it('puts a space between two sentences where their language does', () => {
  expect(sentences('Enter allows once.', 'Or later.')).toBe('Enter allows once. Or later.');
  expect(sentences('按 Enter 允许一次。', '也可以以后再答。')).toBe('按 Enter 允许一次。也可以以后再答。');
  // Where the second one stands in an element of its own.
  expect(sentences('按 Enter 允许一次。', '')).toBe('按 Enter 允许一次。');
});
