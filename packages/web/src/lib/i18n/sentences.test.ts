import { expect, it } from 'vitest';
import { sentences } from './sentences.ts';

it('adds a space between sentences where the language uses one', () => {
  expect(sentences('Enter allows once.', 'Or later.')).toBe('Enter allows once. Or later.');
  expect(sentences('按 Enter 允许一次。', '也可以以后再答。')).toBe('按 Enter 允许一次。也可以以后再答。');
  // The second sentence may be in an element of its own.
  expect(sentences('按 Enter 允许一次。', '')).toBe('按 Enter 允许一次。');
});
