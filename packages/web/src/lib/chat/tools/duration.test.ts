import { expect, test } from 'vitest';
import { durationText } from './duration.ts';

test.each([
  [0, '0ms'],
  [613.4, '613ms'],
  [999.7, '1s'],
  [3450, '3.5s'],
  [59_990, '1m 0s'],
  [65_000, '1m 5s'],
])('%d ms are %s', (ms, text) => {
  expect(durationText(ms, 'en')).toBe(text);
});
