import { expect, it } from 'vitest';
import { launchSeconds, secondsUntil } from './reconnect-time.ts';

it.each([
  [undefined, null],
  [10_000, 0],
  [10_001, 1],
  [17_500, 8],
  // No countdown if the clocks of server and browser differ.
  [9_000, null],
  [99_000, null],
])('counts the seconds until %s', (at, seconds) => {
  expect(secondsUntil(at, 10_000)).toBe(seconds);
});

it('counts the seconds of a launcher, but not the first ones, in which a cached server answers', () => {
  expect(launchSeconds(10_000, 12_999)).toBeNull();
  expect(launchSeconds(10_000, 50_400)).toBe(40);
});
