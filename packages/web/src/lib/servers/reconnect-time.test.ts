import { expect, it } from 'vitest';
import { secondsUntil } from './reconnect-time.ts';

it.each([
  [undefined, null],
  [10_000, 0],
  [10_001, 1],
  [17_500, 8],
  // Whose clock is another one's, nobody counts down for.
  [9_000, null],
  [99_000, null],
])('counts the seconds until %s', (at, seconds) => {
  expect(secondsUntil(at, 10_000)).toBe(seconds);
});
